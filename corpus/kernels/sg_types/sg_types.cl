//! global 64
//! local 32
//! options -cl-std=CL2.0
//! in d u64 64 bits 64
//! out o u64 384
//! out f f32 128; ulp 4
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(16))) kernel void sg_types(global const ulong *d, global ulong *o, global float *f)
{
    uint i = get_global_id(0), l = get_sub_group_local_id();
    ulong v = d[i];
    o += 6 * i;
    o[0] = intel_sub_group_shuffle(v, 15 - l);
    o[1] = sub_group_broadcast(v, 9);
    o[2] = sub_group_reduce_add(v);
    o[3] = intel_sub_group_shuffle((ushort)v, l ^ 2) + intel_sub_group_shuffle_xor((uchar)v, 4);
    o[4] = sub_group_scan_exclusive_add(v);
    o[5] = (ulong)sub_group_reduce_max((long)v);
    f[2 * i] = intel_sub_group_shuffle((float)(v & 0xffff), (l + 1) & 15);
    f[2 * i + 1] = sub_group_reduce_add((float)(v & 0xff));
}
/*py
def expect(args):
    d, o, f = args[0], [0] * 384, [0] * 128
    sg = lambda x: x - 2**64 if x >= 2**63 else x
    for s in range(0, 64, 16):
        v = d[s:s+16]
        for l, x in enumerate(v):
            o[6*(s+l):6*(s+l)+6] = [v[15-l], v[9], sum(v), (v[l ^ 2] & 0xffff) + (v[l ^ 4] & 0xff), sum(v[:l]), max(map(sg, v))]
            f[2*(s+l):2*(s+l)+2] = [v[(l+1) & 15] & 0xffff, sum(x & 0xff for x in v)]
    return {1: o, 2: f}
*/
