//! global 12 6
//! local 4 2
//! note typed writes of floats, in and out of each format's range
//! in v f32 288 real -1.5 1.5
//! outimage a image2d rgba8unorm 12x6
//! outimage b image2d bgra8unorm 12x6
//! outimage c image2d r8snorm 12x6
//! outimage d image2d rgba16unorm 12x6
//! outimage e image2d rgba16float 12x6
//! outimage f image2d r32float 12x6
//! outimage g image2d rgba32float 12x6
kernel void img_write(global const float4 *v, write_only image2d_t a, write_only image2d_t b, write_only image2d_t c,
    write_only image2d_t d, write_only image2d_t e, write_only image2d_t f, write_only image2d_t g)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 x = v[at.y * 12 + at.x];
    write_imagef(a, at, x); write_imagef(b, at, x); write_imagef(c, at, max(x, -1.0f)); write_imagef(d, at, x);
    write_imagef(e, at, x); write_imagef(f, at, x);
    if (at.x & 1) write_imagef(g, at, x);
}
