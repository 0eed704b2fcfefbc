//! global 64
//! local 16
//! in a f32 64 fedges
//! in b f32 64 real 0.5 20
//! out out f32 64; ulp 0
kernel void k_fmod_exact(global const float *pa, global const float *pb, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    out[i * 1 + 0] = fmod(a, b);
}
