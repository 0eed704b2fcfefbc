//! global 64
//! local 16
//! options -cl-std=CL2.0
//! in d u32 64 edges
//! in q u64 64 edges
//! out o u32 320
kernel void bits_cl2(global const uint *d, global const ulong *q, global uint *o)
{
    uint i = get_global_id(0), v = d[i];
    ulong w = q[i];
    o += 5 * i;
    o[0] = ctz(v); o[1] = ctz(w); o[2] = ctz((ushort)(v | 0x100)); o[3] = clz(w) + popcount(w) * 100; o[4] = ctz((uchar)(w | 0x80));
}
/*py
def ctz(v, n): return n if v == 0 else (v & -v).bit_length() - 1
def expect(args):
    o = []
    for v, w in zip(args[0], args[1]):
        o += [ctz(v, 32), ctz(w, 64), ctz((v | 0x100) & 0xffff, 16), 64 - w.bit_length() + bin(w).count('1') * 100, ctz((w | 0x80) & 0xff, 8)]
    return {2: o}
*/
