//! global 64
//! local 16
//! stack
//! host
//! in a i32 64 range -50 50
//! out o i32 64
// Calls under divergent branches and in loops, returns from the middle of functions.
__attribute__((noinline)) int find(global const int *a, int from, int value)
{
    for (int i = from; i < 64; i++) {
        if (a[i] == value) return i;
        if (a[i] > value + 40) return -i;
    }
    return 1000;
}
__attribute__((noinline)) int steps(int n)
{
    int count = 0;
    while (n != 1 && count < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        count++;
    }
    return count;
}
__attribute__((noinline)) int twice(int n, int depth)
{
    if (depth > 3) return n;
    if (n & 1) return twice(n / 2, depth + 1) + steps(n & 63 | 1);
    return twice(n + 7, depth + 2) * 2;
}
__attribute__((intel_reqd_sub_group_size(16)))
kernel void call_wide(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    int r = 0;
    if (a[i] > 0)
        r = find(a, i, a[i] / 2);
    else if (a[i] & 1)
        for (int k = 0; k < (a[i] & 7); k++) {
            if (k == 5) break;
            r += steps(r & 127 | 1) + find(a, i & 31, k);
            if (r > 300) continue;
            r ^= twice(r & 255, k & 1);
        }
    else
        r = twice(-a[i], 0) + 7;
    o[i] = r;
}
