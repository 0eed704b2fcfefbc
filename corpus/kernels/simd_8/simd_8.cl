//! global 96
//! local 32
//! in a i32 96 bits 32
//! in f f32 96 real -9 9
//! in q i64 96 bits 60
//! out o i32 192
//! out g f32 96; ulp 4 abs 1e-5
//! out r i64 96
// One kernel at each SIMD size: integers, floats, longs, divergence, local memory.
#ifdef __OPENCL_VERSION__
#ifdef cl_intel_required_subgroup_size
#define SIZE __attribute__((intel_reqd_sub_group_size(8)))
#else
#define SIZE
#endif
#endif
SIZE kernel void simd_8(global const int *a, global const float *f, global const long *q, global int *o, global float *g, global long *r)
{
    local int t[32];
    uint i = get_global_id(0), l = get_local_id(0);
    int x = a[i], s = 0;
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < (x & 31); k++) { if ((x >> k) & 1) s += t[(l + k) % 32]; else if (s & 8) break; else s ^= k; }
    o[2 * i] = s;
    o[2 * i + 1] = x / (1 + (s & 63)) + x % (3 + (s & 7));
    g[i] = x & 1 ? f[i] * 2.0f / (fabs(f[i]) + 1.0f) : sqrt(fabs(f[i]));
    r[i] = q[i] * (long)s + (q[i] >> (s & 31)) - q[i] / ((long)(s & 127) + 1);
}
