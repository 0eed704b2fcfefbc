//! global 8 8
//! local 4 8
//! note every common format of integers; the sampler that clamps reads outside, too
//! image a image2d rgba8uint 8x8 bits 8
//! image b image2d r8uint 8x8 bits 8
//! image c image2d rgba16uint 8x8 bits 16
//! image d image2d r32uint 8x8 bits 32
//! image e image2d rgba32uint 8x8 bits 32
//! image f image2d rgba8sint 8x8 bits 8
//! image g image2d r16sint 8x8 bits 16
//! image h image2d rgba16sint 8x8 bits 16
//! image i image2d rgba32sint 8x8 bits 32
//! out o u32 1280
//! out p i32 1280
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t t = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_integers(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, read_only image2d_t d,
    read_only image2d_t e, read_only image2d_t f, read_only image2d_t g, read_only image2d_t h, read_only image2d_t i,
    global uint4 *o, global int4 *p)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)), out = at - 2;
    int n = (at.y * 8 + at.x) * 5;
    o[n] = read_imageui(a, s, at) + read_imageui(a, s, out); o[n + 1] = read_imageui(b, t, at).x;
    o[n + 2] = read_imageui(c, t, out); o[n + 3] = read_imageui(d, s, out).x; o[n + 4] = read_imageui(e, at);
    p[n] = read_imagei(f, s, out); p[n + 1] = read_imagei(g, t, out).x; p[n + 2] = read_imagei(h, at);
    p[n + 3] = read_imagei(i, t, convert_float2(out)); p[n + 4] = read_imagei(f, t, at);
}
