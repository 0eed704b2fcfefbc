//! global 16
//! local 16
//! in a u8 300 bits 8
//! out o2 u8 48
//! out o3 u8 64
//! out o8 u8 160
//! out o16 u8 288
// Vectors of uchar of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_uchar(global const uchar *a, global uchar *o2, global uchar *o3, global uchar *o8, global uchar *o16)
{
    size_t i = get_global_id(0);
    uchar2 x = vload2(i, a + 1);
    vstore2(x.yx + (uchar2)1, i, o2 + 3);
    uchar3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    uchar8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    uchar16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
