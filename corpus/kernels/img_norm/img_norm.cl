//! global 16 16
//! local 8 4
//! note the texels that each mode of normalized coordinates reads, in and around the image
//! image im image2d rgba8unorm 7x5 bits 8
//! out o f32 8192; abs 2e-6
#define S(n, a, f) constant sampler_t n = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_##a | CLK_FILTER_##f
S(en, CLAMP_TO_EDGE, NEAREST); S(el, CLAMP_TO_EDGE, LINEAR); S(cn, CLAMP, NEAREST); S(cl, CLAMP, LINEAR);
S(rn, REPEAT, NEAREST); S(rl, REPEAT, LINEAR); S(mn, MIRRORED_REPEAT, NEAREST); S(ml, MIRRORED_REPEAT, LINEAR);
kernel void img_norm(read_only image2d_t im, global float4 *o)
{
    uint x = get_global_id(0), y = get_global_id(1), i = (y * 16 + x) * 8;
    // Steps of an odd number of 1/1024, so that no coordinate lies on an edge between texels.
    float2 at = (float2)((float)x * 0.1875f - 1.0009765625f, (float)y * 0.15625f - 0.9990234375f);
    o[i] = read_imagef(im, en, at); o[i + 1] = read_imagef(im, el, at);
    o[i + 2] = read_imagef(im, cn, at); o[i + 3] = read_imagef(im, cl, at);
    o[i + 4] = read_imagef(im, rn, at); o[i + 5] = read_imagef(im, rl, at);
    o[i + 6] = read_imagef(im, mn, at); o[i + 7] = read_imagef(im, ml, at);
}
