//! global 16
//! local 16
//! in a i32 300 bits 32
//! out o2 i32 48
//! out o3 i32 64
//! out o8 i32 160
//! out o16 i32 288
// Vectors of int of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_int(global const int *a, global int *o2, global int *o3, global int *o8, global int *o16)
{
    size_t i = get_global_id(0);
    int2 x = vload2(i, a + 1);
    vstore2(x.yx + (int2)1, i, o2 + 3);
    int3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    int8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    int16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
