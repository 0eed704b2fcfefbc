//! global 32
//! local 16
//! in d u64 32 bits 64
//! out o u64 256
kernel void k_astype(global const ulong *d, global ulong *o)
{
    int i = get_global_id(0);
    ulong v = d[i];
    uchar8 b = as_uchar8(v);
    short4 s = as_short4(v);
    float2 f = as_float2(v);
    uint2 w = as_uint2(v);
    o += 8 * i;
    o[0] = as_ulong(b.s76543210);
    o[1] = as_ulong(s.yxwz);
    o[2] = as_ulong((uint2)(as_uint(f.y), w.x));
    o[3] = as_ulong(as_double(v));
    o[4] = as_uint(as_uchar4(w.x).wzyx);
    o[5] = as_ulong((short4)(b.s0, b.s1, s.z, s.w));
    o[6] = as_ushort(as_char2(s.x).yx) + (ulong)as_int(as_float(w.y));
    o[7] = as_ulong(as_char8(v) + (char8)1);
}
