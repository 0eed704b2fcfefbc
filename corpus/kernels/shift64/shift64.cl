//! global 64
//! local 16
//! in a u64 64 edges
//! in b u64 64 bits 64
//! out o u64 704
kernel void shift64(global const ulong *pa, global const ulong *pb, global ulong *o)
{
    uint i = get_global_id(0);
    ulong a = pa[i], b = pb[i];
    uint n = (uint)(b >> 20) & 63;
    o += 11 * i;
    o[0] = a << n; o[1] = a >> n; o[2] = (ulong)((long)a >> n); o[3] = rotate(a, (ulong)n); o[4] = a << 32; o[5] = a >> 33;
    o[6] = (ulong)((long)b >> 63); o[7] = a << 1; o[8] = (a >> 31) ^ (b << 17); o[9] = (ulong)((int)a >> (n & 31)); o[10] = 1UL << n;
}
