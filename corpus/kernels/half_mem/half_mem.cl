//! global 64
//! local 16
//! in h f16 256 fedges
//! in f f32 64 real -70000 70000
//! in g f32 64 real -0.001 0.001
//! out of f32 192
//! out oh u16 640
// vload_half, vstore_half with all roundings: conversions only, no half arithmetic.
kernel void k_half_mem(global const half *h, global const float *pf, global const float *pg, global float *of, global half *oh)
{
    size_t i = get_global_id(0);
    float f = pf[i], g = pg[i];
    of[3 * i] = vload_half(i, h);
    float2 v = vload_half2(i, h);
    of[3 * i + 1] = isnan(v.y) ? 1.0f : v.y;
    float4 w = vload_half4(i, h);
    of[3 * i + 2] = isnan(w.z) || isinf(w.z) ? 0.0f : w.z * 2.0f;
    oh += 10 * i;
    vstore_half(f, 0, oh);
    vstore_half_rtz(f, 1, oh);
    vstore_half_rtp(f, 2, oh);
    vstore_half_rtn(f, 3, oh);
    vstore_half_rte(g, 4, oh);
    vstore_half_rtz(g, 5, oh);
    vstore_half_rtp(g, 6, oh);
    vstore_half_rtn(g, 7, oh);
    vstore_half2((float2)(1.0f, f * 0.5f), 4, oh);
}
