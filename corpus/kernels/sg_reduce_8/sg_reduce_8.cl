//! global 64
//! local 32
//! options -cl-std=CL2.0
//! in d i32 64 bits 28
//! out o i32 640
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(8))) kernel void sg_reduce_8(global const int *d, global int *o)
{
    uint i = get_global_id(0);
    int v = (d[i] << 4) >> 4;
    o += 10 * i;
    o[0] = sub_group_reduce_add(v);
    o[1] = sub_group_reduce_min(v);
    o[2] = sub_group_reduce_max(v);
    o[3] = sub_group_scan_inclusive_add(v);
    o[4] = sub_group_scan_exclusive_add(v);
    o[5] = sub_group_scan_inclusive_min(v);
    o[6] = sub_group_scan_exclusive_max(v);
    o[7] = sub_group_all(v > 0) + 2 * sub_group_any(v > 100000000);
    o[8] = (int)sub_group_reduce_max((uint)v) + (int)sub_group_reduce_min((uint)v);
    o[9] = (int)sub_group_scan_inclusive_max((uint)v);
}
/*py
S, L = 8, 32
def subgroups(n):
    for g in range(0, n, L):
        for s in range(g, g + L, S):
            yield list(range(s, min(s + S, g + L)))
M = 2**32

def expect(args):
    d = [(x << 4 & 0xffffffff) for x in args[0]]
    d = [(x - 2**32 if x >= 2**31 else x) >> 4 for x in d]
    o = [0] * len(d) * 10
    for sg in subgroups(len(d)):
        v = [d[i] for i in sg]
        u = [x % M for x in v]
        for l, i in enumerate(sg):
            o[10*i:10*i+10] = [sum(v), min(v), max(v), sum(v[:l+1]), sum(v[:l]), min(v[:l+1]), max(v[:l], default=-2**31),
                all(x > 0 for x in v) + 2 * any(x > 100000000 for x in v), max(u) + min(u), max(u[:l+1])]
    return {1: o}
*/
