//! global 48
//! local 16
//! in a u8 48 edges
//! in b u16 48 edges
//! in c u32 48 edges
//! out o1 u16 96
//! out o2 u32 96
//! out o3 u64 96
kernel void upsample_(global const uchar *pa, global const ushort *pb, global const uint *pc, global ushort *o1, global uint *o2, global ulong *o3)
{
    size_t i = get_global_id(0);
    uchar a = pa[i]; ushort b = pb[i]; uint c = pc[i];
    o1[2 * i] = upsample(a, (uchar)(a + 7));
    o1[2 * i + 1] = upsample((char)a, (uchar)b);
    o2[2 * i] = upsample(b, (ushort)a);
    o2[2 * i + 1] = upsample((short)b, (ushort)c);
    o3[2 * i] = upsample(c, (uint)b);
    o3[2 * i + 1] = upsample((int)c, c * 3);
}
