//! global 64
//! local 16
//! in d u64 64 bits 63
//! inout g u64 8 list 5 100 7 77 0xffffffffffffffff 1 2 3
//! inout s i64 2 list -5 5
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k_atom_long(global const ulong *d, volatile global ulong *g, volatile global long *s)
{
    uint i = get_global_id(0);
    ulong v = d[i];
    atom_add(g, v); atom_sub(g + 1, v); atom_inc(g + 2); atom_dec(g + 3); atom_min(g + 4, v); atom_max(g + 5, v);
    atom_or(g + 6, v); atom_xor(g + 7, v);
    if (i == 9) atom_cmpxchg(s, (long)-5, (long)v);
    atom_max(s + 1, (long)v - ((long)1 << 61));
}
/*py
def expect(args):
    d, g, s = args
    M = 2**64
    o = list(g)
    o[0] = (g[0] + sum(d)) % M; o[1] = (g[1] - sum(d)) % M; o[2] = g[2] + 64; o[3] = g[3] - 64; o[4] = min(d + [g[4]]); o[5] = max(d + [g[5]])
    for v in d: o[6] |= v; o[7] ^= v
    return {1: o, 2: [d[9], max([s[1]] + [v - 2**61 for v in d])]}
*/
