//! global 64
//! local 16
//! in a f32 64 real -10 10
//! in b f32 64 real -1 1
//! out out f32 896; ulp 16 abs 1e-6
kernel void k_fmath_trig(global const float *pa, global const float *pb, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    out[i * 14 + 0] = sin(a);
    out[i * 14 + 1] = cos(a);
    out[i * 14 + 2] = tan(b);
    out[i * 14 + 3] = asin(b);
    out[i * 14 + 4] = acos(b);
    out[i * 14 + 5] = atan(a);
    out[i * 14 + 6] = atan2(a, b);
    out[i * 14 + 7] = sinh(b);
    out[i * 14 + 8] = cosh(b);
    out[i * 14 + 9] = tanh(a);
    out[i * 14 + 10] = sinpi(b);
    out[i * 14 + 11] = cospi(b);
    out[i * 14 + 12] = asinh(a);
    out[i * 14 + 13] = atanpi(a);
}
