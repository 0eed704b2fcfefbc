//! global 16 4
//! local 16 4
//! note rows, arrays and buffers
//! image a image1d rgba32float 20 real -1 1
//! image b image1d_array r32float 10x4 real -1 1
//! image c image2d_array rgba8unorm 6x5x3 bits 8
//! image d image1d_buffer rgba32uint 64 bits 32
//! outimage e image1d rgba8uint 16
//! outimage f image1d_array r32float 16x4; abs 1e-6
//! outimage g image2d_array rgba32float 16x4x2; abs 2e-6
//! outimage h image1d_buffer rgba32uint 64
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t n = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_kinds(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_array_t c,
    read_only image1d_buffer_t d, write_only image1d_t e, write_only image1d_array_t f,
    write_only image2d_array_t g, write_only image1d_buffer_t h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float u = x * 0.09375f - 0.203125f, v = y * 0.21875f + 0.046875f;
    float4 va = read_imagef(a, s, u), vb = read_imagef(b, n, (float2)(u * 10.0f, y * 1.125f));
    float4 vc = read_imagef(c, n, (float4)(u * 6.0f, v * 5.0f, y - 0.75f, 0)), vd = read_imagef(a, n, x - 2);
    uint4 ve = read_imageui(d, y * 16 + x);
    if (y == 1) write_imageui(e, x, ve & 0xff);
    write_imagef(f, (int2)(x, y), vb + read_imagef(b, n, (int2)(x, y)));
    write_imagef(g, (int4)(x, y, 0, 0), va + vd);
    write_imagef(g, (int4)(x, y, 1, 0), vc);
    write_imageui(h, y * 16 + x, (uint4)(ve.x, 7, get_image_array_size(b), get_image_array_size(c)));
}
