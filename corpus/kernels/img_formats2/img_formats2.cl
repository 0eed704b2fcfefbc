//! global 8 8
//! local 8 8
//! note formats that the other implementation lacks, and what is read in the place of missing channels
//! image a image2d rg8unorm 8x8 bits 8
//! image b image2d rg16snorm 8x8 bits 16
//! image c image2d r16float 8x8 real -3 3
//! image d image2d rg16float 8x8 real -3 3
//! image e image2d rg32float 8x8 real -3 3
//! image f image2d r8snorm 8x8 bits 8
//! image g image2d rg8uint 8x8 bits 8
//! image h image2d rg16sint 8x8 bits 16
//! image i image2d rg32uint 8x8 bits 32
//! out o f32 1536; ulp 1
//! out p i32 768
/*py
def expect(args):
    o, p = [], []
    for at in range(64):
        for n, largest, count in ((0, 255, 2), (1, 32767, 2), (2, 1, 1), (3, 1, 2), (4, 1, 2), (5, 127, 1)):
            stored = args[n][at * count:at * count + count]
            o += [struct.unpack("f", struct.pack("f", max(v / largest, -1.0 if largest > 1 else v)))[0] for v in stored]
            o += [0.0, 0.0, 1.0][count - 1:]
        for n in (6, 7, 8):
            p += args[n][at * 2:at * 2 + 2] + [0, 1]
    return {9: o, 10: p}
*/
#define R(n) *o++ = read_imagef(n, s, at)
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_formats2(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c, read_only image2d_t d,
    read_only image2d_t e, read_only image2d_t f, read_only image2d_t g, read_only image2d_t h, read_only image2d_t i,
    global float4 *o, global int4 *p)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    o += (at.y * 8 + at.x) * 6; p += (at.y * 8 + at.x) * 3;
    R(a); R(b); R(c); R(d); R(e); R(f);
    p[0] = as_int4(read_imageui(g, s, at)); p[1] = read_imagei(h, s, at); p[2] = as_int4(read_imageui(i, s, at));
}
