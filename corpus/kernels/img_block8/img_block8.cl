//! global 16 2
//! local 8 1
//! note eight rows of eight texels; the image has texels of four bytes
//! image im image2d rgba8unorm 16x16 bits 8
//! outimage out image2d rgba8unorm 16x16
/*py
def expect(args):
    out = [0] * 1024
    for y in range(2):
        for g in range(2):
            for r in range(8):
                for i in range(32):
                    out[(y * 8 + r) * 64 + (1 - g) * 32 + i] = args[0][(y * 8 + 7 - r) * 64 + g * 32 + i]
    return {1: out}
*/
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
__attribute__((intel_reqd_sub_group_size(8)))
kernel void img_block8(read_only image2d_t im, write_only image2d_t out)
{
    int g = get_group_id(0), y = get_global_id(1);
    uint8 v = intel_sub_group_block_read8(im, (int2)(g * 32, y * 8));
    intel_sub_group_block_write8(out, (int2)((1 - g) * 32, y * 8), v.s76543210);
}
