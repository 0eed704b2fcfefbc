//! global 64
//! local 32
//! indirect
//! host
//! in a i32 64 range -50 50
//! out o i32 64
// Functions whose address is taken, called under divergent branches, in loops and by one another.
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
__attribute__((noinline)) int both(global const int *a, int n)
{
    int r = steps(n & 63 | 1);
    if (n & 2) r = r * 3 - find(a, n & 31, r - 20);
    return r;
}
kernel void call_address(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    int r = 0;
    if (a[i] > 0)
        r = find(a, i, a[i] / 2);
    else if (a[i] & 1)
        for (int k = 0; k < (a[i] & 7); k++) {
            if (k == 5) break;
            r += steps(r & 127 | 1) + both(a, i + k);
            if (r > 300) continue;
            r ^= find(a, r & 31, k);
        }
    else
        r = both(a, -a[i]) + 7;
    o[i] = r;
}
