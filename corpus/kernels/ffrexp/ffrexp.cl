//! global 64
//! local 16
//! in a f32 64 fedges
//! note modf of -0.0 may give either zero
//! out f f32 256; ulp 1
//! out e i32 192
kernel void k_ffrexp(global const float *pa, global float *f, global int *e)
{
    size_t i = get_global_id(0);
    float a = pa[i], ip, fr;
    int x = 0, q = 0;
    if (isinf(a) || isnan(a) || fabs(a) > 1e9f)
        a = 3.75f;
    f[4 * i] = frexp(a, &x);
    f[4 * i + 1] = modf(a, &ip);
    f[4 * i + 2] = ip;
    f[4 * i + 3] = fract(a, &fr) + fr;
    e[3 * i] = x;
    e[3 * i + 1] = (int)remquo(a, 3.0f, &q);
    e[3 * i + 2] = q & 7;
}
