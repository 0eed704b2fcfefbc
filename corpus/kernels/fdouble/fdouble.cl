//! global 64
//! local 16
//! in a f64 64 fedges
//! in b f64 64 fedges 5
//! in c f64 64 real -1000 1000
//! out o f64 1216; ulp 1
// Basic functions and operators of double.
kernel void k_fdouble(global const double *pa, global const double *pb, global const double *pc, global double *o)
{
    size_t i = get_global_id(0);
    double a = pa[i], b = pb[i], c = pc[i];
    o += i * 19;
    o[0] = a + b; o[1] = a - c; o[2] = a * c; o[3] = a / c; o[4] = c / b; o[5] = sqrt(fabs(c)); o[6] = sqrt(a);
    o[7] = fma(a, b, c); o[8] = fmin(a, b); o[9] = fmax(a, c); o[10] = floor(c); o[11] = ceil(c); o[12] = trunc(c);
    o[13] = fabs(b); o[14] = copysign(a, c); o[15] = a < b ? a : c; o[16] = (double)(float)c; o[17] = (double)(long)c;
    o[18] = a == b ? (double)(int)c : (double)(uint)fabs(c);
}
