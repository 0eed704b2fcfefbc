//! global 64
//! local 16
//! in a u64 64 edges
//! in b u64 64 bits 40
//! out o u64 640
kernel void div64(global const ulong *pa, global const ulong *pb, global ulong *o)
{
    uint i = get_global_id(0);
    ulong a = pa[i], b = pb[i] | 1;
    long s = (long)a, t = (long)b - (1L << 39);
    t = t ? t : 3;
    o += 10 * i;
    o[0] = a / b; o[1] = a % b; o[2] = (ulong)(s / t); o[3] = (ulong)(s % t); o[4] = b / 10; o[5] = b % 1000000007UL;
    o[6] = (ulong)(s / 7); o[7] = (ulong)(s % -13); o[8] = a / (b & 0xff | 1); o[9] = (ulong)(s / (long)(int)(b | 1));
}
