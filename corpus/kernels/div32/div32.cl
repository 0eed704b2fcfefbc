//! global 64
//! local 16
//! in a u32 64 edges
//! in b u32 64 bits 17
//! out o u32 768
kernel void div32(global const uint *pa, global const uint *pb, global uint *o)
{
    uint i = get_global_id(0), a = pa[i], b = pb[i] | 1;
    int s = (int)a, t = (int)b - 40000;
    o += 12 * i;
    t = t ? t : 5;
    o[0] = a / b; o[1] = a % b; o[2] = s / t; o[3] = s % t; o[4] = a / 10; o[5] = a % 7; o[6] = s / 1000; o[7] = s % 100; o[8] = s / -3;
    o[9] = (uint)((ushort)a / (ushort)b) ; o[10] = (uint)((char)a / (char)(b & 63 | 1)); o[11] = (uint)((short)s % (short)(t | 1));
}
