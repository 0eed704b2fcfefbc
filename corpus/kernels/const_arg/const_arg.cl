//! global 64
//! local 32
//! in t u32 32 bits 32
//! in d u32 64 bits 32
//! out o u32 64
kernel void k_const_arg(constant uint *t, global const uint *d, global uint *o)
{
    uint i = get_global_id(0), x = d[i];
    o[i] = t[3] + t[x & 31] * t[(x >> 5) & 31] + t[get_group_id(0)];
}
