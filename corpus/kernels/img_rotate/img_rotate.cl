//! global 20 20
//! local 10 2
//! note coordinates from rounded products; a texel apart is 1
//! image im image2d r32float 16x16 real 0 1
//! val f32 0.8
//! val f32 0.6
//! outimage out image2d r32float 20x20; abs 1e-5
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
kernel void img_rotate(read_only image2d_t im, float c, float d, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 p = convert_float2(at) - 9.5f;
    float2 q = (float2)(p.x * c - p.y * d, p.x * d + p.y * c) + 8.0f;
    write_imagef(out, at, read_imagef(im, s, q));
}
