//! devices dg2 pvc bmg ptl
//! global 256
//! local 64
//! options -cl-std=CL3.0
//! note float atomics in global and local memory: sums of numbers of few bits do not depend on their order
//! in a i32 256 range -1000 1000
//! inout g f32 16 list 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//! inout n u32 16 list 7
//! out l f32 16
/*py
def expect(args):
    a, g, n, l = args[0], args[1], args[2], [0.0] * 16
    for i in range(256):
        k, v = i % 4, a[i] / 4
        g[k] += v
        g[k + 4] = min(g[k + 4], v)
        g[k + 8] = max(g[k + 8], v)
        g[k + 12] -= v
    for w in range(4):
        part = range(w * 64, w * 64 + 64)
        l[w] = sum(a[i] for i in part) / 4
        l[4 + w] = min(a[i] for i in part) / 4
        l[8 + w] = max(a[i] for i in part) / 4
        l[12 + w] = a[w * 64] * 1.0
    return {1: g, 2: [v + 1 for v in n[:1]] + n[1:], 3: l} if False else {1: g, 2: [n[0] + 256] + n[1:], 3: l}
*/
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
kernel void xe_atomics(global const int *a, volatile global float *g, volatile global uint *n, global float *l)
{
    local float s[4];
    int i = get_global_id(0), k = i % 4, w = get_group_id(0), t = get_local_id(0);
    float v = a[i] / 4.0f;
    if (t == 0) { s[0] = 0; s[1] = 1e9f; s[2] = -1e9f; s[3] = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit((volatile global atomic_float *)g + k, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit((volatile global atomic_float *)g + k + 4, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit((volatile global atomic_float *)g + k + 8, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit((volatile global atomic_float *)g + k + 12, v, memory_order_relaxed, memory_scope_device);
    atomic_inc(n);
    atomic_fetch_add_explicit((volatile local atomic_float *)s, v, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit((volatile local atomic_float *)s + 1, v, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit((volatile local atomic_float *)s + 2, v, memory_order_relaxed, memory_scope_work_group);
    if (t == 0) atomic_store_explicit((volatile local atomic_float *)s + 3, a[i], memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 4) l[t * 4 + w] = s[t];
}
