//! global 64
//! local 32
//! options -cl-std=CL2.0
//! in d i32 64 bits 20
//! out o i32 64
// Generic address space: one function on local, global and private pointers.
int sum3(const int *p) { return p[0] + 2 * p[1] + 3 * p[2]; }
kernel void generic_ptr(global const int *d, global int *o)
{
    local int t[34];
    int q[3], i = get_global_id(0), l = get_local_id(0);
    t[l] = d[i] * 2;
    if (l < 2) t[32 + l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    q[0] = i; q[1] = d[i]; q[2] = 7;
    const int *p = d[i] & 1 ? (const int *)(t + l) : d[i] & 2 ? (const int *)q : (const int *)(d + (i & 31));
    o[i] = sum3(p) + sum3(q);
}
/*py
def expect(args):
    d, o = args[0], []
    for i in range(64):
        g = i // 32 * 32
        t = [2 * x for x in d[g:g+32]] + [0, 1]
        q = [i, d[i], 7]
        s = lambda p: p[0] + 2 * p[1] + 3 * p[2]
        o.append(s(t[i % 32:] if d[i] & 1 else q if d[i] & 2 else d[i & 31:]) + s(q))
    return {1: o}
*/
