//! global 32
//! local 16
//! subroutines
//! in a i32 32 range 0 1000
//! out o i32 32
// Subroutines that work on a private array of the caller's, with addresses that differ by channel.
__attribute__((noinline)) void shuffle_(int *v, int from)
{
    for (int k = 0; k < 8; k++) {
        int at = (from + k * 3) & 7;
        int t = v[k];
        v[k] = v[at];
        v[at] = t + k;
    }
}
__attribute__((noinline)) int sum(const int *v, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++) s = s * 5 + v[k];
    return s;
}
kernel void sub_arrays(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    int v[8];
    for (int k = 0; k < 8; k++) v[k] = a[(i + k) & 31];
    shuffle_(v, a[i]);
    int r = sum(v, 8);
    if (a[i] & 1) {
        shuffle_(v, r & 7);
        r ^= sum(v, a[i] & 7);
    } else if (a[i] & 2) {
        v[a[i] >> 2 & 7] = r;
        r += sum(v, 5);
    }
    shuffle_(v, r & 3);
    o[i] = r - sum(v, 8);
}
