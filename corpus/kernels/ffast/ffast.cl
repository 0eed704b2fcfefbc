//! global 64
//! local 16
//! options -cl-fast-relaxed-math
//! note fast relaxed math: within a few hundred ulp
//! in a f32 64 real 0.1 20
//! in b f32 64 real -3 3
//! out out f32 640; ulp 4096 abs 1e-4
kernel void k_ffast(global const float *pa, global const float *pb, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    out[i * 10 + 0] = sin(b);
    out[i * 10 + 1] = cos(b);
    out[i * 10 + 2] = exp(b);
    out[i * 10 + 3] = log(a);
    out[i * 10 + 4] = pow(a, b);
    out[i * 10 + 5] = sqrt(a);
    out[i * 10 + 6] = b / a;
    out[i * 10 + 7] = rsqrt(a);
    out[i * 10 + 8] = a * b + b;
    out[i * 10 + 9] = fmod(a, 3.0f);
}
