//! global 48
//! local 16
//! in a f32 48 real -100 100
//! in b f32 48 fedges
//! out o_long i64 96
//! out o_ulong u64 96
// float to integers, rounding rtz; with and without saturation (the latter in range only).
kernel void conv_float_long_rtz(global const float *pa, global const float *pb, global long *o_long, global ulong *o_ulong)
{
    size_t i = get_global_id(0);
    float a = pa[i], b = pb[i];
    o_long[2 * i] = convert_long_sat_rtz(b);
    o_long[2 * i + 1] = convert_long_rtz(a);
    o_ulong[2 * i] = convert_ulong_sat_rtz(b);
    o_ulong[2 * i + 1] = convert_ulong_rtz(fabs(a));
}
