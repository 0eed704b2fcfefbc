//! global 48
//! local 16
//! in d i32 48 range 1 1000
//! out o i32 96
// A private array too large for registers.
kernel void k_priv_large(global const int *d, global int *o)
{
    int i = get_global_id(0), x = d[i];
    int a[600];
    for (int k = 0; k < 600; k++) a[k] = k * x;
    int p = x % 600, s = 0;
    for (int k = 0; k < 100; k++) { s += a[p]; a[(p * 7) % 600] = s; p = (p * 31 + 17 + (a[p] & 15)) % 600; }
    o[2 * i] = s;
    o[2 * i + 1] = a[p];
}
