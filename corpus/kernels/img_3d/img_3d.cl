//! global 8 8 8
//! local 8 2 2
//! image im image3d rgba8unorm 5x6x4 bits 8
//! sampler normalized,repeat,linear
//! outimage w image3d r32float 8x8x8; abs 2e-6
//! out o f32 2048; abs 2e-6
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void img_3d(read_only image3d_t im, sampler_t t, write_only image3d_t w, global float4 *o)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float4 at = (float4)(x * 0.21875f + 0.015625f, y * 0.15625f - 0.265625f, z * 0.28125f - 1.03125f, 0);
    float4 v = read_imagef(im, t, at) + read_imagef(im, s, (int4)(x - 1, y - 1, z - 2, 0));
    o[(z * 8 + y) * 8 + x] = v;
    write_imagef(w, (int4)(x, 7 - y, z, 0), v);
}
