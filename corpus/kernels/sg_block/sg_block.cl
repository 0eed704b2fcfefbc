//! global 64
//! local 32
//! options -cl-std=CL2.0
//! in d u32 512 bits 32
//! out o u32 512
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(16))) kernel void sg_block(global uint *d, global uint *o)
{
    uint g = get_group_id(0) * 2 + get_sub_group_id();
    uint v = intel_sub_group_block_read(d + g * 128);
    uint2 w = intel_sub_group_block_read2(d + g * 128 + 16);
    uint4 x = intel_sub_group_block_read4(d + g * 128 + 48);
    uint y = intel_sub_group_block_read(d + g * 128 + 112);
    intel_sub_group_block_write(o + g * 128, v + y);
    intel_sub_group_block_write2(o + g * 128 + 16, w.yx);
    intel_sub_group_block_write4(o + g * 128 + 48, x.wzyx ^ v);
    intel_sub_group_block_write(o + g * 128 + 112, get_sub_group_local_id());
}
/*py
def expect(args):
    d, o = args[0], [0] * 512
    for g in range(4):
        b = g * 128
        r = lambda k, l: d[b + k * 16 + l]
        for l in range(16):
            row = [r(0, l) + r(7, l), r(2, l), r(1, l), r(6, l) ^ r(0, l), r(5, l) ^ r(0, l), r(4, l) ^ r(0, l), r(3, l) ^ r(0, l), l]
            for k in range(8): o[b + k * 16 + l] = row[k]
    return {1: o}
*/
