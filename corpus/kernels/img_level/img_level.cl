//! global 16 8
//! local 16 1
//! options -cl-std=CL2.0
//! note reads with a level of detail and with gradients, of an image that has one level
//! image im image2d r32float 16x8 iota
//! out o f32 256
/*py
def expect(args):
    return {1: [v for at in range(128) for v in (args[0][at], args[0][at ^ 1])]}
*/
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_level(read_only image2d_t im, global float2 *o)
{
    int x = get_global_id(0), y = get_global_id(1);
    float2 at = (float2)((x + 0.5f) / 16, (y + 0.5f) / 8), other = (float2)(((x ^ 1) + 0.5f) / 16, at.y);
    o[y * 16 + x] = (float2)(read_imagef(im, s, at, 0.0f).x, read_imagef(im, s, other, (float2)(0.0625f, 0), (float2)(0, 0.125f)).x);
}
