//! global 32
//! local 16
//! val i8 -5
//! val u8 250
//! val i16 -3000
//! val u16 60000
//! val i32 -100000
//! val u32 4000000000
//! val i64 -5000000000
//! val u64 18000000000000000000
//! val f32 1.5
//! val f64 2.25
//! bytes 01020304
//! bytes 0100ffff02000300
//! bytes 000000000000f03f00000000000000c0
//! bytes 0000803f000000400000404000008040000080bf000000c0000040c0000080c0
//! in a i32 32 bits 20
//! in b u8 32 bits 8
//! in c u64 32 bits 60
//! out o i64 256
//! out f f32 64
kernel void manyargs(char a0, uchar a1, short a2, ushort a3, int a4, uint a5, long a6, ulong a7, float a8, double a9, uchar4 b0, short4 b1, double2 b2, float8 b3,
    global const int *a, global const uchar *b, global const ulong *c, global long *o, global float *f)
{
    uint i = get_global_id(0);
    o += 8 * i;
    o[0] = a0 + a1 + a2 + a3; o[1] = a4 + (long)a5 + a6; o[2] = a7 * i; o[3] = (long)(a9 * i + a8); o[4] = b0.x + b0.w * b1.y; o[5] = (long)(b2.x * 8 + b2.y);
    o[6] = a[i] + b[i]; o[7] = c[i] ^ a7;
    f[2 * i] = b3.s3 * i + b3.s7; f[2 * i + 1] = a8 + b3.s5;
}
