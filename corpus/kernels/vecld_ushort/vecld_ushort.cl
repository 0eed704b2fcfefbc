//! global 16
//! local 16
//! in a u16 300 bits 16
//! out o2 u16 48
//! out o3 u16 64
//! out o8 u16 160
//! out o16 u16 288
// Vectors of ushort of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_ushort(global const ushort *a, global ushort *o2, global ushort *o3, global ushort *o8, global ushort *o16)
{
    size_t i = get_global_id(0);
    ushort2 x = vload2(i, a + 1);
    vstore2(x.yx + (ushort2)1, i, o2 + 3);
    ushort3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    ushort8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    ushort16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
