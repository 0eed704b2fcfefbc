//! global 32
//! local 16
//! in d u32 128 bits 32
//! out o u32 128
// Buffers read and written through pointers of other types.
kernel void k_alias_cast(global const uint *d, global uint *o)
{
    int i = get_global_id(0);
    global const uchar *b = (global const uchar *)d;
    global const ushort *s = (global const ushort *)d;
    global const ulong *q = (global const ulong *)d;
    global uchar *ob = (global uchar *)(o + 4 * i);
    ob[0] = b[16 * i + 3]; ob[1] = b[16 * i + 1]; ob[2] = ~b[16 * i]; ob[3] = b[511 - i];
    global ushort *os = (global ushort *)(o + 4 * i + 1);
    os[0] = s[8 * i + 1] + 1; os[1] = s[(i * 37) & 255];
    *(global ulong *)(o + 4 * i + 2) = q[2 * i] * q[(i * 5) & 63];
}
