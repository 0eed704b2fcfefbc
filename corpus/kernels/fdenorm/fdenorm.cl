//! global 64
//! local 16
//! in a f32 64 real -1e-38 1e-38
//! in b f32 64 real -3e-39 3e-39
//! in c f32 64 real -2 2
//! out out f32 512; ulp 0
kernel void k_fdenorm(global const float *pa, global const float *pb, global const float *pc, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 8 + 0] = a + b;
    out[i * 8 + 1] = a - b;
    out[i * 8 + 2] = a * c;
    out[i * 8 + 3] = b * c;
    out[i * 8 + 4] = a * 0.25f;
    out[i * 8 + 5] = fma(a, c, b);
    out[i * 8 + 6] = fmax(a, b);
    out[i * 8 + 7] = a > b ? a : b;
}
