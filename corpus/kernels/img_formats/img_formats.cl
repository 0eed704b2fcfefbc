//! global 8 8
//! local 8 8
//! note every common format that is seen as floats
//! image a image2d rgba8unorm 8x8 bits 8
//! image b image2d bgra8unorm 8x8 bits 8
//! image c image2d argb8unorm 8x8 bits 8
//! image d image2d r8unorm 8x8 bits 8
//! image e image2d a8unorm 8x8 bits 8
//! image f image2d rgba8snorm 8x8 bits 8
//! image g image2d r16unorm 8x8 bits 16
//! image h image2d rgba16unorm 8x8 bits 16
//! image i image2d rgba16snorm 8x8 bits 16
//! image k image2d rgba16float 8x8 real -3 3
//! image l image2d r32float 8x8 real -3 3
//! image m image2d rgba32float 8x8 real -3 3
//! out o f32 3072; ulp 1
#define R(n) *o++ = read_imagef(n, s, at)
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_formats(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, read_only image2d_t d,
    read_only image2d_t e, read_only image2d_t f, read_only image2d_t g, read_only image2d_t h, read_only image2d_t i,
    read_only image2d_t k, read_only image2d_t l, read_only image2d_t m, global float4 *o)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    o += (at.y * 8 + at.x) * 12;
    R(a); R(b); R(c); R(d); R(e); R(f); R(g); R(h); R(i); R(k); R(l); R(m);
}
