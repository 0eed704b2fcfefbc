//! global 48
//! local 16
//! in a f64 48 real -100 100
//! in b f64 48 fedges
//! out o_long i64 96
//! out o_ulong u64 96
// double to integers, rounding rte; with and without saturation (the latter in range only).
kernel void conv_double_long_rte(global const double *pa, global const double *pb, global long *o_long, global ulong *o_ulong)
{
    size_t i = get_global_id(0);
    double a = pa[i], b = pb[i];
    o_long[2 * i] = convert_long_sat_rte(b);
    o_long[2 * i + 1] = convert_long_rte(a);
    o_ulong[2 * i] = convert_ulong_sat_rte(b);
    o_ulong[2 * i + 1] = convert_ulong_rte(fabs(a));
}
