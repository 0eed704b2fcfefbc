//! global 16
//! local 16
//! in a i16 300 bits 16
//! out o2 i16 48
//! out o3 i16 64
//! out o8 i16 160
//! out o16 i16 288
// Vectors of short of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_short(global const short *a, global short *o2, global short *o3, global short *o8, global short *o16)
{
    size_t i = get_global_id(0);
    short2 x = vload2(i, a + 1);
    vstore2(x.yx + (short2)1, i, o2 + 3);
    short3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    short8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    short16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
