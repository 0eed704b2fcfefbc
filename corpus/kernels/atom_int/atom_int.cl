//! global 96
//! local 32
//! in d i32 96 bits 31
//! inout g i32 16 list 5 100 -7 77 0 -1 3 1000000 255 1 2 3 4 5 6 7
//! out o i32 16
// All 32-bit atomics of OpenCL 1.1, on global and local memory; only order-independent results.
kernel void k_atom_int(global const int *d, volatile global int *g, global int *o)
{
    local int t[12];
    uint i = get_global_id(0), l = get_local_id(0);
    int v = d[i];
    if (l < 12) t[l] = l == 5 ? (int)-1 : l == 6 ? (int)0x7fffffff : (int)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(g, v); atomic_sub(g + 1, v); atomic_inc(g + 2); atomic_dec(g + 3); atomic_min(g + 4, v); atomic_max(g + 5, v);
    atomic_and(g + 6, v | 3); atomic_or(g + 7, v); atomic_xor(g + 8, v);
    if (i == 40) atomic_xchg(g + 9, v);
    atomic_cmpxchg(g + 10, (int)2, (int)99);
    atomic_add(&t[0], v & 0xff); atomic_sub(&t[1], v & 15); atomic_inc(&t[2]); atomic_dec(&t[3]); atomic_min(&t[4], v & 7);
    atomic_and(&t[5], v | 0xf0); atomic_min(&t[6], v); atomic_max(&t[7], v); atomic_or(&t[8], v & 0xff00); atomic_xor(&t[9], v);
    atomic_cmpxchg(&t[10], (int)0, (int)l / 32 + 6);
    int old = atomic_add(&t[11], (int)1);
    atomic_add(g + 11, old);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 12) atomic_add(o + l, t[l]);
    if (i == 95) atomic_cmpxchg(g + 12, (int)4, t[2]);
}
