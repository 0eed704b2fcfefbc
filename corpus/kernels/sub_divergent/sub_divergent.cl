//! global 64
//! local 16
//! subroutines
//! in a i32 64 range -50 50
//! out o i32 64
// Subroutines called under divergent branches and in loops that channels leave at different times, with
// returns in the middle.
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
kernel void sub_divergent(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    int r = 0, kept = a[i] * 3, other = a[63 - i];
    if (a[i] > 0)
        r = find(a, i, a[i] / 2) + steps(a[i]);
    else if (a[i] & 1)
        for (int k = 0; k < (a[i] & 7); k++) {
            if (k == 5) break;
            r += steps(r & 127 | 1) + find(a, i & 31, k);
            if (r > 300) continue;
            r ^= steps(r & 255 | 1) * 3;
        }
    else
        r = find(a, 0, other) + 7;
    if (r & 1) r += steps(kept & 63 | 1);
    o[i] = r + kept - other;
}
