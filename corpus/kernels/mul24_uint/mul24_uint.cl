//! global 48
//! local 16
//! in a u32 48 range 0 4000
//! in b u32 48 range 0 900000
//! in c u32 48 bits 31
//! out out u32 240
kernel void mul24_uint(global const uint *pa, global const uint *pb, global const uint *pc, global uint *out)
{
    size_t i = get_global_id(0);
    uint a = pa[i], b = pb[i], c = pc[i];
    out[i * 5 + 0] = mul24(a, b);
    out[i * 5 + 1] = mad24(a, b, c);
    out[i * 5 + 2] = mul24(b, b);
    out[i * 5 + 3] = a * b + c;
    out[i * 5 + 4] = mul24(a & (uint)0xfff, b);
}
