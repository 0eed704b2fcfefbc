//! global 32
//! local 16
//! note a buffer as an image longer than rows may be, and its size
//! image a image1d_buffer r16uint 20000 bits 16
//! outimage b image1d_buffer r32float 32
//! out o u32 32
/*py
def expect(args):
    at = [i * 625 + 7 for i in range(32)]
    return {1: [float(args[0][i]) for i in at], 2: [args[0][i] + 20000 + 32 for i in at]}
*/
kernel void img_buffer(read_only image1d_buffer_t a, write_only image1d_buffer_t b, global uint *o)
{
    int i = get_global_id(0);
    uint v = read_imageui(a, i * 625 + 7).x;
    write_imagef(b, i, (float)v);
    o[i] = v + get_image_width(a) + get_image_width(b);
}
