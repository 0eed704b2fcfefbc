//! global 64
//! local 32
//! options -cl-std=CL2.0
//! in d u32 64 bits 31
//! out o u32 512
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(8))) kernel void sg_shuffle_8(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), v = d[i], l = get_sub_group_local_id();
    o += 8 * i;
    o[0] = l | get_sub_group_id() << 8 | get_sub_group_size() << 16 | get_num_sub_groups() << 24;
    o[1] = intel_sub_group_shuffle(v, l ^ 1);
    o[2] = intel_sub_group_shuffle_xor(v, 5);
    o[3] = intel_sub_group_shuffle_down(v, v + 1, 1);
    o[4] = intel_sub_group_shuffle_up(v ^ 3, v, 1);
    o[5] = sub_group_broadcast(v, 3);
    o[6] = intel_sub_group_shuffle(v, (v >> 4) & 7);
    o[7] = get_max_sub_group_size() + intel_sub_group_shuffle(l, 2);
}
/*py
S, L = 8, 32
def subgroups(n):
    for g in range(0, n, L):
        for s in range(g, g + L, S):
            yield list(range(s, min(s + S, g + L)))
M = 2**32

def expect(args):
    d = args[0]
    o = [0] * len(d) * 8
    for sg in subgroups(len(d)):
        n = len(sg)
        v = [d[i] for i in sg]
        for l, i in enumerate(sg):
            at = lambda k: v[k] if k < n else 0
            o[8*i:8*i+8] = [l | (i % L // S) << 8 | n << 16 | -(-L // S) << 24, at(l ^ 1), at(l ^ 5), v[l + 1] if l + 1 < n else (v[0] + 1) % M if n == S else None,
                v[l - 1] if l else v[n - 1] ^ 3 if n == S else None, v[3], v[(v[l] >> 4) & 7], S + 2]
    return {1: o}
*/
