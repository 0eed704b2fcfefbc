//! global 32
//! local 16
//! in a f32 512 real -4 4
//! in b f32 256 real 0.5 4
//! out o8 f32 256; ulp 4 abs 1e-5
//! out o16 f32 512; ulp 4 abs 1e-5
//! out m i32 128
// float8, float16: operators, swizzles, comparisons to masks.
kernel void k_fvec(global const float16 *pa, global const float8 *pb, global float8 *o8, global float16 *o16, global int4 *m)
{
    size_t i = get_global_id(0);
    float16 a = pa[i];
    float8 b = pb[i];
    o8[i] = a.hi * b + a.lo / b - fmin(a.even, a.odd);
    float16 c = (float16)(b.s7654, a.s0123, b.even, a.s89ab);
    c.s0f = c.sf0;
    c.s159 += (float3)(1.0f, 2.0f, 3.0f);
    o16[i] = mix(a, c, 0.25f) + sqrt((float16)(b, b));
    int4 k = a.lo.lo < b.hi;
    k = select(k, (int4)7, isgreater(a.hi.hi, b.lo));
    m[i] = k + (any(k) ? (int4)100 : (int4)200) + (int4)all(k);
}
