//! global 48
//! local 16
//! in a f64 48 real -100 100
//! in b f64 48 fedges
//! out o_char i8 96
//! out o_ushort u16 96
//! out o_int i32 96
//! out o_uint u32 96
// double to integers, rounding rtn; with and without saturation (the latter in range only).
kernel void conv_double_small_rtn(global const double *pa, global const double *pb, global char *o_char, global ushort *o_ushort, global int *o_int, global uint *o_uint)
{
    size_t i = get_global_id(0);
    double a = pa[i], b = pb[i];
    o_char[2 * i] = convert_char_sat_rtn(b);
    o_char[2 * i + 1] = convert_char_rtn(a);
    o_ushort[2 * i] = convert_ushort_sat_rtn(b);
    o_ushort[2 * i + 1] = convert_ushort_rtn(fabs(a));
    o_int[2 * i] = convert_int_sat_rtn(b);
    o_int[2 * i + 1] = convert_int_rtn(a);
    o_uint[2 * i] = convert_uint_sat_rtn(b);
    o_uint[2 * i + 1] = convert_uint_rtn(fabs(a));
}
