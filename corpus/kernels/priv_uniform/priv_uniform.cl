//! global 128
//! local 64
//! note A private array that is the same in all channels: it is kept once a thread, and read as a block.
//! in in u32 64 bits 32
//! out out u32 128
//! val u32 21
kernel void priv_uniform(global const uint *in, global uint *out, uint n) {
    uint i = get_global_id(0);
    ulong2 a[16];
    for (uint k = 0; k < 16; k++)
        a[k] = (ulong2)(k * n, n);
    for (uint k = 0; k < n; k++)
        a[k * n & 15].y += a[k & 15].x;
    ulong2 one = a[n & 15];
    out[i] = in[i & 63] * (uint)one.x + (uint)one.y;
}
