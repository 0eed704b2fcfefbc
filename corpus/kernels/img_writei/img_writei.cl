//! global 12 6
//! local 12 2
//! note typed writes of integers, in and out of each format's range
//! in v i32 288 edges
//! outimage a image2d rgba8uint 12x6
//! outimage b image2d r16uint 12x6
//! outimage c image2d rgba32uint 12x6
//! outimage d image2d rgba8sint 12x6
//! outimage e image2d rgba16sint 12x6
//! outimage f image2d r32sint 12x6
kernel void img_writei(global const int4 *v, write_only image2d_t a, write_only image2d_t b, write_only image2d_t c,
    write_only image2d_t d, write_only image2d_t e, write_only image2d_t f)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int4 x = v[at.y * 12 + at.x];
    uint4 u = as_uint4(x);
    write_imageui(a, at, u); write_imageui(b, at, u); write_imageui(c, at, u);
    write_imagei(d, at, x); write_imagei(e, at, x); write_imagei(f, at, x);
}
