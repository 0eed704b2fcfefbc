//! global 48
//! local 16
//! in d u32 48 bits 32
//! out o u32 48
// Private arrays of chars and shorts with dynamic indices.
kernel void k_priv_bytes(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), x = d[i];
    uchar a[256];
    ushort h[40];
    for (int k = 0; k < 256; k++) a[k] = (uchar)(k ^ x);
    for (int k = 0; k < 40; k++) h[k] = 0;
    for (int k = 0; k < 200; k++) { uchar t = a[(x + k) & 255]; a[t] += a[k]; h[t % 40u] += t; }
    uint r = 0;
    for (int k = 0; k < 40; k++) r = r * 31 + h[k] + a[(r >> 3) & 255];
    o[i] = r;
}
