//! global 16
//! local 16
//! in a u64 300 bits 64
//! out o2 u64 48
//! out o3 u64 64
//! out o8 u64 160
//! out o16 u64 288
// Vectors of ulong of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_ulong(global const ulong *a, global ulong *o2, global ulong *o3, global ulong *o8, global ulong *o16)
{
    size_t i = get_global_id(0);
    ulong2 x = vload2(i, a + 1);
    vstore2(x.yx + (ulong2)1, i, o2 + 3);
    ulong3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    ulong8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    ulong16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
