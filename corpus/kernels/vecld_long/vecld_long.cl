//! global 16
//! local 16
//! in a i64 300 bits 64
//! out o2 i64 48
//! out o3 i64 64
//! out o8 i64 160
//! out o16 i64 288
// Vectors of long of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_long(global const long *a, global long *o2, global long *o3, global long *o8, global long *o16)
{
    size_t i = get_global_id(0);
    long2 x = vload2(i, a + 1);
    vstore2(x.yx + (long2)1, i, o2 + 3);
    long3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    long8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    long16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
