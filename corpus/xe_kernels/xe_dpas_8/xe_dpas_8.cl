//! devices dg2
//! global 16
//! local 8
//! options -cl-std=CL3.0
//! note products of matrices in subgroups of eight, of integers and of floats
//! in a u32 128 bits 32
//! in b u32 128 bits 32
//! in c i32 128 range -1000 1000
//! out o i32 1024
/*py
def expect(args):
    a, b, c, o = args[0], args[1], args[2], [0] * 1024
    def number(v, bits, signed):
        return v - 2**bits if signed and v >> (bits - 1) else v
    def elements(words, width, bits, signed):
        v = sum(w % 2**width << width * i for i, w in enumerate(words))
        return [number(v >> bits * i & 2**bits - 1, bits, signed) for i in range(width * len(words) // bits)]
    for at, rows, ta, tb, width in ((0, 8, (8, 1), (8, 1), 32), (8, 4, (8, 0), (4, 1), 32), (12, 2, (4, 1), (8, 0), 16),
                                    (14, 1, (8, 1), (2, 0), 32), (15, 8, (4, 0), (4, 0), 32), (23, 8, (2, 1), (2, 0), 16),
                                    (43, 8, (2, 0), (8, 1), 8)):
        for g in range(2):
            k = 32 if ta[0] == 8 or tb[0] == 8 else 64
            for row in range(rows):
                values = elements([a[g * 64 + row * 8 + l] for l in range(8)], width, *ta)[:k]
                for l in range(8):
                    column = elements([b[g * 64 + d * 8 + l] for d in range(k * tb[0] // 32)], 32, *tb)
                    total = c[g * 64 + row * 8 + l] + sum(x * y for x, y in zip(values, column))
                    o[g * 512 + (at + row) * 8 + l] = total
    # The small numbers in the words, a half or a quarter of them.
    small = lambda w: [number(w >> s & 15, 4, True) for s in (0, 16)]
    for g in range(2):
        for at, rows in ((31, 8), (39, 4)):
            for row in range(rows):
                values = sum((small(a[g * 64 + row * 8 + l]) for l in range(8)), [])
                for l in range(8):
                    column = sum((small(b[g * 64 + d * 8 + l]) for d in range(8)), [])
                    total = c[g * 64 + row * 8 + l] * 8 + sum(x * y for x, y in zip(values, column))
                    o[g * 512 + (at + row) * 8 + l] = total
    return {3: o}
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOAD8(p) (int8)(p[0], p[8], p[16], p[24], p[32], p[40], p[48], p[56])
#define STORE(at, rows, v) do { for (int r = 0; r < rows; r++) o[((at) + r) * 8] = ((int *)&v)[r]; } while (0)
int2 small(int w) { return (int2)(w << 28 >> 28, w << 12 >> 28); }
int halves(int w, float by) { return as_int(convert_half2(convert_float2(small(w)) * by)); }
int bfloats(int w, float by)
{
    float2 v = convert_float2(small(w)) * by;
    return as_int((ushort2)(as_ushort2(v.s0).s1, as_ushort2(v.s1).s1));
}
__attribute__((intel_reqd_sub_group_size(8)))
kernel void xe_dpas_8(global const uint *a, global const uint *b, global const int *c, global int *o)
{
    int l = get_local_id(0), g = get_group_id(0);
    a += g * 64 + l; b += g * 64 + l; c += g * 64 + l; o += g * 512 + l;
    int8 wide = LOAD8(a), m = LOAD8(b), s = LOAD8(c);
    ushort8 narrow = convert_ushort8(wide & 0xffff);
    int8 r0 = intel_sub_group_i8_i8_matrix_mad_k32(wide, m, s);
    STORE(0, 8, r0);
    int4 r1 = intel_sub_group_u8_i4_matrix_mad_k32(as_uint4(wide.lo), m.lo, s.lo);
    STORE(8, 4, r1);
    int2 r2 = intel_sub_group_i4_u8_matrix_mad_k32(as_short2(narrow.s01), as_uint8(m), s.s01);
    STORE(12, 2, r2);
    int r3 = intel_sub_group_i8_u2_matrix_mad_k32(wide.s0, as_uint2(m.s01), s.s0);
    o[14 * 8] = r3;
    int8 r4 = intel_sub_group_u4_u4_matrix_mad_k64(as_uint8(wide), as_uint8(m), s);
    STORE(15, 8, r4);
    int8 r5 = intel_sub_group_i2_u2_matrix_mad_k64(as_short8(narrow), as_uint4(m.lo), s);
    STORE(23, 8, r5);
    int8 r8 = intel_sub_group_u2_i8_matrix_mad_k32(convert_uchar8(wide & 0xff), m, s);
    STORE(43, 8, r8);
    int8 ah, bh;
    int4 ab;
    int8 bb;
    for (int r = 0; r < 8; r++) { ah[r] = halves(wide[r], 0.5f); bh[r] = halves(m[r], 0.25f); bb[r] = bfloats(m[r], 0.25f); }
    for (int r = 0; r < 4; r++) ab[r] = bfloats(wide[r], 0.5f);
    float8 r6 = intel_sub_group_f16_f16_matrix_mad_k16(ah, bh, convert_float8(s));
    for (int r = 0; r < 8; r++) o[(31 + r) * 8] = r6[r] * 8;
    float4 r7 = intel_sub_group_bf16_bf16_matrix_mad_k16(ab, bb, convert_float4(s.lo));
    for (int r = 0; r < 4; r++) o[(39 + r) * 8] = r7[r] * 8;
}
