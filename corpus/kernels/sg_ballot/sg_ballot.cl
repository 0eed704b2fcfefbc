//! global 64
//! local 32
//! options -cl-std=CL3.0
//! in d u32 64 bits 8
//! out o u32 256
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(16))) kernel void sg_ballot(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), v = d[i];
    uint4 b = sub_group_ballot(v & 1);
    o += 4 * i;
    o[0] = b.x;
    o[1] = sub_group_shuffle(v, (get_sub_group_local_id() + 3) & 15);
    if (v & 2) o[2] = sub_group_ballot(v & 4).x;
    o[3] = sub_group_ballot_bit_count(b) + sub_group_inverse_ballot(b) * 100;
}
/*py
def expect(args):
    d, o = args[0], [0] * 256
    for s in range(0, 64, 16):
        v = d[s:s+16]
        b = sum((x & 1) << l for l, x in enumerate(v))
        c = sum((x >> 1 & x >> 2 & 1) << l for l, x in enumerate(v))
        for l, x in enumerate(v):
            o[4*(s+l):4*(s+l)+4] = [b, v[(l + 3) & 15], c if x & 2 else 0, bin(b).count('1') + (x & 1) * 100]
    return {1: o}
*/
