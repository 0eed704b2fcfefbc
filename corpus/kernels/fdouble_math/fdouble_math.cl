//! global 64
//! local 16
//! in a f64 64 real 0.01 50
//! in b f64 64 real -4 4
//! out o f64 768; ulp 16 abs 1e-12
kernel void k_fdouble_math(global const double *pa, global const double *pb, global double *o)
{
    size_t i = get_global_id(0);
    double a = pa[i], b = pb[i];
    o += i * 12;
    o[0] = exp(b); o[1] = log(a); o[2] = pow(a, b); o[3] = sin(b); o[4] = cos(b); o[5] = hypot(a, b); o[6] = rsqrt(a);
    o[7] = fmod(a, 3.0); o[8] = atan2(a, b); o[9] = exp2(b); o[10] = cbrt(a); o[11] = tanh(b);
}
