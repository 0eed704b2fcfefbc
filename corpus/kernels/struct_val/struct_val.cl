//! global 32
//! local 16
//! bytes 0102030405060708090a0b0c0d0e0f101112131415161718000000000000f03f0000c0c0ff7f0000
//! out o i64 96
//! val u8 250
typedef struct { int a; short b[2]; long c; uchar d[8]; double e; float f; short g; } par;
kernel void k_struct_val(par p, global long *o, uchar k)
{
    int i = get_global_id(0);
    o[3 * i] = p.a + p.b[i & 1] + p.d[i & 7] + k;
    o[3 * i + 1] = p.c * i + p.g;
    o[3 * i + 2] = (long)(p.e * 100.0 + p.f * i);
}
