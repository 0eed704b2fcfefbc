//! global 32
//! local 16
//! in d u8 768 bits 6
//! out o u8 768
// An array of structures with members of every size, packed and padded.
typedef struct { uchar a; ushort b; uint c; ulong d; char e[3]; uchar pad; int f; } item;
kernel void k_struct_buf(global const item *d, global item *o)
{
    int i = get_global_id(0);
    item t = d[i], u = d[31 - i];
    t.a += u.a; t.b ^= u.b + 5; t.c = t.c * u.c + 1; t.d -= u.d * 3; t.e[0] = u.e[2]; t.e[u.a % 3] = 9; t.f = -t.f + u.f;
    o[i] = t;
}
