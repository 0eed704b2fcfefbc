//! devices pvc bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note products of matrices of integers of 2, 4 and 8 bits, of 1 to 8 rows
//! in a u16 256 bits 16
//! in b u32 256 bits 32
//! in c i32 256 bits 32
//! out o i32 2048
/*py
def expect(args):
    a, b, c, o = args[0], args[1], args[2], [0] * 2048
    def number(v, bits, signed):
        return v - 2**bits if signed and v >> (bits - 1) else v
    def elements(words, width, bits, signed):
        v = sum(w % 2**width << width * i for i, w in enumerate(words))
        return [number(v >> bits * i & 2**bits - 1, bits, signed) for i in range(width * len(words) // bits)]
    # Where it is, its rows, the type of each matrix (bits, signed), what the first is packed in.
    for at, rows, ta, tb, width in ((0, 8, (8, 1), (8, 0), 16), (8, 4, (8, 0), (8, 1), 16), (12, 2, (4, 1), (8, 1), 8),
                                    (15, 8, (8, 1), (4, 1), 16), (23, 2, (8, 0), (2, 1), 16),
                                    (25, 8, (4, 1), (4, 0), 16), (33, 4, (4, 0), (2, 1), 16), (37, 8, (2, 1), (2, 1), 8),
                                    (45, 1, (2, 0), (4, 1), 8)):
        for g in range(2):
            k = 32 if ta[0] == 8 or tb[0] == 8 else 64
            for row in range(rows):
                words = [a[g * 128 + row * 16 + l] for l in range(16)]
                values = elements([w % 2**width for w in words], width, *ta)[:k]
                for l in range(16):
                    column = elements([b[g * 128 + d * 16 + l] for d in range(k * tb[0] // 32)], 32, *tb)
                    total = c[g * 128 + (row + (at == 45)) * 16 + l] + sum(x * y for x, y in zip(values, column))
                    o[g * 1024 + (at + row) * 16 + l] = total
    return {3: o}
*/
#define LOAD8(p) (int8)(p[0], p[16], p[32], p[48], p[64], p[80], p[96], p[112])
#define STORE(at, rows, v) do { for (int r = 0; r < rows; r++) o[((at) + r) * 16] = ((int *)&v)[r]; } while (0)
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_dpas_int16(global const ushort *a, global const uint *b, global const int *c, global int *o)
{
    int l = get_local_id(0), g = get_group_id(0);
    a += g * 128 + l; b += g * 128 + l; c += g * 128 + l; o += g * 1024 + l;
    ushort8 wide = convert_ushort8(LOAD8(a));
    uchar8 narrow = convert_uchar8(LOAD8(a) & 255);
    int8 m = LOAD8(b), s = LOAD8(c);
    int8 r0 = intel_sub_group_i8_u8_matrix_mad_k32(as_short8(wide), as_uint8(m), s);
    STORE(0, 8, r0);
    int4 r1 = intel_sub_group_u8_i8_matrix_mad_k32(wide.lo, m, s.lo);
    STORE(8, 4, r1);
    int2 r2 = intel_sub_group_i4_i8_matrix_mad_k32(as_char2(narrow.s01), m, s.s01);
    STORE(12, 2, r2);
    int8 r4 = intel_sub_group_i8_i4_matrix_mad_k32(as_short8(wide), m.lo, s);
    STORE(15, 8, r4);
    int2 r5 = intel_sub_group_u8_i2_matrix_mad_k32(wide.s01, m.s01, s.s01);
    STORE(23, 2, r5);
    int8 r6 = intel_sub_group_i4_u4_matrix_mad_k64(as_short8(wide), as_uint8(m), s);
    STORE(25, 8, r6);
    int4 r7 = intel_sub_group_u4_i2_matrix_mad_k64(wide.lo, m.lo, s.lo);
    STORE(33, 4, r7);
    int8 r8 = intel_sub_group_i2_i2_matrix_mad_k64(as_char8(narrow), m.lo, s);
    STORE(37, 8, r8);
    int r9 = intel_sub_group_u2_i4_matrix_mad_k64(narrow.s0, m, s.s1);
    o[45 * 16] = r9;
}
