//! global 32 4
//! local 16 1
//! note blocks of an image's rows to and from a subgroup, over its edges, too
//! image im image2d r32uint 40x10 bits 32
//! outimage out image2d r32uint 40x10
//! out o u32 128
/*py
def expect(args):
    im, out, o = args[0], [0] * 400, [0] * 128
    get = lambda x, y: im[min(max(y, 0), 9) * 40 + min(max(x, 0), 39)]
    for gy in range(4):
        for g in range(2):
            x0, y0 = g * 16 + 12, gy * 2 + 3
            for l in range(16):
                v = [get(x0 + l, y0 + k) for k in range(4)]
                w = get(g * 16 - 4 + l, gy - 2)
                for k in range(2):
                    if x0 + l < 40 and y0 + k < 10:
                        out[(y0 + k) * 40 + x0 + l] = v[k] + w & 0xffffffff
                o[gy * 32 + g * 16 + l] = v[2] ^ v[3]
    return {1: out, 2: o}
*/
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void img_block(read_only image2d_t im, write_only image2d_t out, global uint *o)
{
    int g = get_group_id(0), y = get_global_id(1);
    int2 at = (int2)((g * 16 + 12) * 4, y * 2 + 3);
    uint4 v = intel_sub_group_block_read4(im, at);
    uint w = intel_sub_group_block_read(im, (int2)((g * 16 - 4) * 4, y - 2));
    intel_sub_group_block_write2(out, at, v.s01 + w);
    o[y * 32 + get_global_id(0)] = v.s2 ^ v.s3;
}
