//! global 64
//! local 16
//! in a f32 64 real 0.01 50
//! in b f32 64 real -8 8
//! out out f32 1344; ulp 32 abs 1e-6
kernel void k_fmath_exp(global const float *pa, global const float *pb, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    out[i * 21 + 0] = exp(b);
    out[i * 21 + 1] = exp2(b);
    out[i * 21 + 2] = exp10(b);
    out[i * 21 + 3] = expm1(b);
    out[i * 21 + 4] = log(a);
    out[i * 21 + 5] = log2(a);
    out[i * 21 + 6] = log10(a);
    out[i * 21 + 7] = log1p(a);
    out[i * 21 + 8] = pow(a, b);
    out[i * 21 + 9] = powr(a, b);
    out[i * 21 + 10] = pown(b, 3);
    out[i * 21 + 11] = rootn(a, 3);
    out[i * 21 + 12] = sqrt(a);
    out[i * 21 + 13] = rsqrt(a);
    out[i * 21 + 14] = cbrt(b);
    out[i * 21 + 15] = hypot(a, b);
    out[i * 21 + 16] = a / b;
    out[i * 21 + 17] = 1.0f / a;
    out[i * 21 + 18] = erf(b);
    out[i * 21 + 19] = tgamma(a * 0.1f);
    out[i * 21 + 20] = lgamma(a);
}
