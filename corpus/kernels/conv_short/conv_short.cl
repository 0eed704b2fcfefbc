//! global 48
//! local 16
//! in a i16 48 edges
//! out o_char i8 96
//! out o_uchar u8 96
//! out o_short i16 96
//! out o_ushort u16 96
//! out o_int i32 96
//! out o_uint u32 96
//! out o_long i64 96
//! out o_ulong u64 96
//! out o_float f32 48
//! out o_double f64 48
// short to every other type, saturated and not.
kernel void conv_short(global const short *pa, global char *o_char, global uchar *o_uchar, global short *o_short, global ushort *o_ushort, global int *o_int, global uint *o_uint, global long *o_long, global ulong *o_ulong, global float *o_float, global double *o_double)
{
    size_t i = get_global_id(0);
    short a = pa[i];
    o_char[2 * i] = convert_char(a);
    o_char[2 * i + 1] = convert_char_sat(a);
    o_uchar[2 * i] = convert_uchar(a);
    o_uchar[2 * i + 1] = convert_uchar_sat(a);
    o_short[2 * i] = convert_short(a);
    o_short[2 * i + 1] = convert_short_sat(a);
    o_ushort[2 * i] = convert_ushort(a);
    o_ushort[2 * i + 1] = convert_ushort_sat(a);
    o_int[2 * i] = convert_int(a);
    o_int[2 * i + 1] = convert_int_sat(a);
    o_uint[2 * i] = convert_uint(a);
    o_uint[2 * i + 1] = convert_uint_sat(a);
    o_long[2 * i] = convert_long(a);
    o_long[2 * i + 1] = convert_long_sat(a);
    o_ulong[2 * i] = convert_ulong(a);
    o_ulong[2 * i + 1] = convert_ulong_sat(a);
    o_float[i] = convert_float(a);
    o_double[i] = convert_double(a);
}
