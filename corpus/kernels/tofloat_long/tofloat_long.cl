//! global 48
//! local 16
//! in a i64 48 edges
//! out f f32 192
//! out d f64 192
// long to floats in all rounding modes.
kernel void tofloat_long(global const long *pa, global float *f, global double *d)
{
    size_t i = get_global_id(0);
    long a = pa[i];
    f[i * 4 + 0] = convert_float_rte(a);
    f[i * 4 + 1] = convert_float_rtz(a);
    f[i * 4 + 2] = convert_float_rtp(a);
    f[i * 4 + 3] = convert_float_rtn(a);
    d[i * 4 + 0] = convert_double_rte(a);
    d[i * 4 + 1] = convert_double_rtz(a);
    d[i * 4 + 2] = convert_double_rtp(a);
    d[i * 4 + 3] = convert_double_rtn(a);
}
