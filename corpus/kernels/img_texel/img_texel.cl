//! global 16 12
//! local 16 4
//! note the same with coordinates in texels, and with whole ones
//! image im image2d rgba32float 9x6 real -4 4
//! out o f32 6144; abs 1e-5
#define S(n, a, f) constant sampler_t n = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_##a | CLK_FILTER_##f
S(en, CLAMP_TO_EDGE, NEAREST); S(el, CLAMP_TO_EDGE, LINEAR); S(cn, CLAMP, NEAREST); S(cl, CLAMP, LINEAR);
kernel void img_texel(read_only image2d_t im, global float4 *o)
{
    int x = get_global_id(0), y = get_global_id(1), i = (y * 16 + x) * 8;
    float2 at = (float2)((float)x * 0.84375f - 2.03125f, (float)y * 0.71875f - 1.015625f);
    int2 whole = (int2)(x - 3, y - 3);
    o[i] = read_imagef(im, en, at); o[i + 1] = read_imagef(im, el, at);
    o[i + 2] = read_imagef(im, cn, at); o[i + 3] = read_imagef(im, cl, at);
    o[i + 4] = read_imagef(im, en, whole); o[i + 5] = read_imagef(im, cn, whole);
    o[i + 6] = read_imagef(im, clamp(whole, (int2)(0, 0), (int2)(8, 5))); o[i + 7] = 0;
}
