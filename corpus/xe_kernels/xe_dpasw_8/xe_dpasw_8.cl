//! devices dg2
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note products of matrices whose rows two fused threads share
//! in a u32 128 bits 32
//! in b u32 256 bits 32
//! in c i32 256 range -1000 1000
//! out o i32 1024
/*py
def expect(args):
    a, b, c, o = args[0], args[1], args[2], [0] * 1024
    def number(v, bits, signed):
        return v - 2**bits if signed and v >> (bits - 1) else v
    def elements(words, width, bits, signed):
        v = sum(w % 2**width << width * i for i, w in enumerate(words))
        return [number(v >> bits * i & 2**bits - 1, bits, signed) for i in range(width * len(words) // bits)]
    # The first thread of a group has the first own of the rows.
    for at, rows, ta, tb, width in ((0, 8, (8, 1), (8, 0), 32), (8, 4, (8, 0), (4, 1), 32), (12, 2, (4, 1), (4, 0), 32),
                                    (14, 8, (4, 0), (8, 1), 16)):
        for g in range(2):
            k = 32 if ta[0] == 8 or tb[0] == 8 else 64
            words = [[a[g * 64 + t * 32 + row * 8 + l] % 2**width for l in range(8)] for t in range(2) for row in range(rows // 2)]
            for t in range(2):
                s = g * 2 + t
                for row in range(rows):
                    values = elements(words[row], width, *ta)[:k]
                    for l in range(8):
                        column = elements([b[s * 64 + d * 8 + l] for d in range(k * tb[0] // 32)], 32, *tb)
                        total = c[s * 64 + row * 8 + l] + sum(x * y for x, y in zip(values, column))
                        o[s * 256 + (at + row) * 8 + l] = total
    return {3: o}
*/
int4 __attribute__((overloadable)) intel_sub_group_u8_i4_split_matrix_mad_k32(uint2 a, int4 b, int4 c);
int2 __attribute__((overloadable)) intel_sub_group_i4_u4_split_matrix_mad_k64(int a, uint8 b, int2 c);
int8 __attribute__((overloadable)) intel_sub_group_u4_i8_split_matrix_mad_k32(ushort4 a, int8 b, int8 c);
#define LOAD8(p) (int8)(p[0], p[8], p[16], p[24], p[32], p[40], p[48], p[56])
#define STORE(at, rows, v) do { for (int r = 0; r < rows; r++) o[((at) + r) * 8] = ((int *)&v)[r]; } while (0)
__attribute__((intel_reqd_sub_group_size(8)))
kernel void xe_dpasw_8(global const uint *a, global const uint *b, global const int *c, global int *o)
{
    int l = get_sub_group_local_id(), s = get_group_id(0) * 2 + get_sub_group_id();
    a += s * 32 + l; b += s * 64 + l; c += s * 64 + l; o += s * 256 + l;
    int4 own = (int4)(a[0], a[8], a[16], a[24]);
    int8 m = LOAD8(b), n = LOAD8(c);
    int8 r0 = intel_sub_group_i8_u8_split_matrix_mad_k32(own, as_uint8(m), n);
    STORE(0, 8, r0);
    int4 r1 = intel_sub_group_u8_i4_split_matrix_mad_k32(as_uint2(own.lo), m.lo, n.lo);
    STORE(8, 4, r1);
    int2 r2 = intel_sub_group_i4_u4_split_matrix_mad_k64(own.s0, as_uint8(m), n.s01);
    STORE(12, 2, r2);
    int8 r3 = intel_sub_group_u4_i8_split_matrix_mad_k32(convert_ushort4(own & 0xffff), m, n);
    STORE(14, 8, r3);
}
