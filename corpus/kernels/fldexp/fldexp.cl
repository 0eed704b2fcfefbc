//! global 64
//! local 16
//! in a f32 64 real -10 10
//! in b f32 64 real -2 2
//! out out f32 384; ulp 1
kernel void k_fldexp(global const float *pa, global const float *pb, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    out[i * 6 + 0] = ldexp(a, (int)(b * 40.0f));
    out[i * 6 + 1] = nextafter(a, b);
    out[i * 6 + 2] = nextafter(b, a);
    out[i * 6 + 3] = logb(a);
    out[i * 6 + 4] = ldexp(a, -140);
    out[i * 6 + 5] = ldexp(b, 130);
}
