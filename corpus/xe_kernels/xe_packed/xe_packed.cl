//! devices dg2 pvc bmg ptl
//! global 32
//! local 8
//! in a u8 256 bits 8
//! in b i16 256 bits 16
//! out o u8 256
//! out s i16 256
//! out i i32 64
kernel void k_xe_packed(global const uchar *a, global const short *b, global uchar *o, global short *s, global int *i)
{
    size_t g = get_global_id(0);
    uchar8 x = vload8(g, a), y = vload8(31 - g, a);
    short8 p = vload8(g, b), q = vload8(31 - g, b);
    uchar8 r = select(add_sat(x, y), rhadd(x, y), x > y);
    r = bitselect(r, rotate(x, y), (uchar8)(0x3c));
    vstore8(r.s73516240, g, o);
    short8 t = sub_sat(p, q) ^ mul_hi(p, q) + hadd(p, q);
    t.even = max(t.even, t.odd); t.odd += convert_short4(popcount(x.lo)) - clz(q.hi);
    vstore8(t, g, s);
    i[2*g] = any(p > q) + 2 * all(x != y) + mad_hi(p.s0, q.s1, p.s2);
    i[2*g+1] = dot(convert_float4(x.lo), convert_float4(y.hi));
}
