//! global 32
//! local 16
//! options -cl-std=CL2.0
//! in d u16 512 bits 16
//! out o u16 512
//! in e u32 256 bits 32
//! out q u32 256
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(8))) kernel void sg_block8(global ushort *d, global ushort *o, global uint *e, global uint *q)
{
    uint g = get_group_id(0) * 2 + get_sub_group_id();
    ushort8 v = intel_sub_group_block_read_us8(d + g * 128);
    intel_sub_group_block_write_us8(o + g * 128, v.s76543210);
    ushort8 w = intel_sub_group_block_read_us8(d + g * 128 + 64);
    intel_sub_group_block_write_us8(o + g * 128 + 64, w + (ushort8)1);
    uint8 x = intel_sub_group_block_read8(e + g * 64);
    intel_sub_group_block_write8(q + g * 64, x.s76543210);
}
/*py
def expect(args):
    d, o, e, q = args[0], [0] * 512, args[2], [0] * 256
    for g in range(4):
        for k in range(8):
            for l in range(8):
                o[g*128 + k*8 + l] = d[g*128 + (7-k)*8 + l]
                o[g*128 + 64 + k*8 + l] = d[g*128 + 64 + k*8 + l] + 1
                q[g*64 + k*8 + l] = e[g*64 + (7-k)*8 + l]
    return {1: o, 3: q}
*/
