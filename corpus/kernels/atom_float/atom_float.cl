//! global 64
//! local 32
//! inout g f32 4 list 1 2 3 4
//! out o f32 64
kernel void k_atom_float(volatile global float *g, global float *o)
{
    local float t[2];
    uint i = get_global_id(0), l = get_local_id(0);
    if (l == 0) { t[0] = 5.5f; t[1] = 0.0f; }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 17) o[i] = atomic_xchg(g + 1, 9.5f);
    if (l == 3) o[i] = atomic_xchg(&t[0], (float)i);
    barrier(CLK_LOCAL_MEM_FENCE);
    // A float sum by compare and exchange, of numbers that add up exactly in any order.
    union { uint u; float f; } old, new;
    old.f = g[0];
    do { new.f = old.f; uint seen = old.u; float f = old.f + (float)l; new.f = f; uint got = atomic_cmpxchg((volatile global uint *)g, seen, new.u); if (got == seen) break; old.u = got; } while (1);
    if (l == 4) o[i] = t[0];
}
