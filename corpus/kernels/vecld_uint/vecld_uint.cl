//! global 16
//! local 16
//! in a u32 300 bits 32
//! out o2 u32 48
//! out o3 u32 64
//! out o8 u32 160
//! out o16 u32 288
// Vectors of uint of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_uint(global const uint *a, global uint *o2, global uint *o3, global uint *o8, global uint *o16)
{
    size_t i = get_global_id(0);
    uint2 x = vload2(i, a + 1);
    vstore2(x.yx + (uint2)1, i, o2 + 3);
    uint3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    uint8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    uint16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
