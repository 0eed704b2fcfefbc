//! global 16
//! local 16
//! in a i8 300 bits 8
//! out o2 i8 48
//! out o3 i8 64
//! out o8 i8 160
//! out o16 i8 288
// Vectors of char of 2, 3, 8, 16 loaded and stored at odd element offsets.
kernel void vecld_char(global const char *a, global char *o2, global char *o3, global char *o8, global char *o16)
{
    size_t i = get_global_id(0);
    char2 x = vload2(i, a + 1);
    vstore2(x.yx + (char2)1, i, o2 + 3);
    char3 y = vload3(i, a + 5);
    vstore3(y.zxy, i, o3 + 1);
    char8 z = vload8(i, a + 7);
    vstore8(z.s76543210 ^ z.s13572460, i, o8 + 9);
    char16 w = vload16(i, a + 11);
    w.s0a = w.sa0;
    w.hi = w.hi + w.lo;
    vstore16(w, i, o16 + 5);
}
