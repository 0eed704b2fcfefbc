//! global 48
//! local 16
//! in a f32 48 real -100 100
//! in b f32 48 fedges
//! out o_char i8 96
//! out o_ushort u16 96
//! out o_int i32 96
//! out o_uint u32 96
// float to integers, rounding rte; with and without saturation (the latter in range only).
kernel void conv_float_small_rte(global const float *pa, global const float *pb, global char *o_char, global ushort *o_ushort, global int *o_int, global uint *o_uint)
{
    size_t i = get_global_id(0);
    float a = pa[i], b = pb[i];
    o_char[2 * i] = convert_char_sat_rte(b);
    o_char[2 * i + 1] = convert_char_rte(a);
    o_ushort[2 * i] = convert_ushort_sat_rte(b);
    o_ushort[2 * i + 1] = convert_ushort_rte(fabs(a));
    o_int[2 * i] = convert_int_sat_rte(b);
    o_int[2 * i + 1] = convert_int_rte(a);
    o_uint[2 * i] = convert_uint_sat_rte(b);
    o_uint[2 * i + 1] = convert_uint_rte(fabs(a));
}
