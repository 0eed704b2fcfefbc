//! global 96
//! local 24
//! in d u64 96 bits 64
//! out o u64 96
// Local arrays of every width, vectors too.
kernel void k_slm_types(global const ulong *d, global ulong *o)
{
    local uchar b[24]; local ushort s[24]; local uint w[24]; local ulong q[24]; local uint4 v[24]; local float f[25];
    uint l = get_local_id(0);
    ulong x = d[get_global_id(0)];
    b[l] = x; s[l] = x >> 8; w[l] = x >> 16; q[l] = x; v[l] = (uint4)(x, x >> 5, x >> 32, x >> 40); f[l + 1] = (float)(uint)(x & 0xffff);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint m = (l * 7 + 3) % 24;
    ulong r = b[m] + ((ulong)s[23 - l] << 8) + ((ulong)w[m] << 20);
    r ^= q[(m + 1) % 24] * 3 + v[m].y + v[l ^ 1].w;
    r += (ulong)f[m + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 12) { b[l * 2] = r; b[l * 2 + 1] = r >> 8; }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = r * 256 + b[m];
}
