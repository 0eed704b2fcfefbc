//! global 128
//! local 64
//! options -cl-std=CL2.0
//! in d i32 128 bits 20
//! out o i32 640
kernel void wg_funcs(global const int *d, global int *o)
{
    uint i = get_global_id(0);
    int v = d[i];
    o += 5 * i;
    o[0] = work_group_reduce_add(v);
    o[1] = work_group_scan_inclusive_add(v);
    o[2] = work_group_broadcast(v, 17);
    o[3] = work_group_all(v > 5) + 2 * work_group_any(v > 1000000);
    o[4] = work_group_reduce_max(v);
}
/*py
def expect(args):
    d, o = args[0], [0] * 640
    for s in range(0, 128, 64):
        v = d[s:s+64]
        for l, x in enumerate(v):
            o[5*(s+l):5*(s+l)+5] = [sum(v), sum(v[:l+1]), v[17], all(x > 5 for x in v) + 2 * any(x > 1000000 for x in v), max(v)]
    return {1: o}
*/
