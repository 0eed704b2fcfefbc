//! global 32 16
//! local 32 1
//! note samplers as arguments
//! image im image2d rgba16float 8x8 real -2 2
//! sampler normalized,mirror,linear
//! sampler clamp,nearest
//! sampler normalized,repeat,nearest
//! out o f32 6144; abs 4e-6
kernel void img_sampler(read_only image2d_t im, sampler_t a, sampler_t b, sampler_t c, global float4 *o)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * 32 + x;
    float2 at = (float2)((float)x * 0.078125f - 0.7509765625f, (float)y * 0.1171875f - 0.6259765625f);
    o[i * 3] = read_imagef(im, a, at);
    o[i * 3 + 1] = read_imagef(im, b, at * 8.0f);
    o[i * 3 + 2] = read_imagef(im, c, at);
}
