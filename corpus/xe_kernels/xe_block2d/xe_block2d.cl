//! devices pvc bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note blocks of two dimensions, over the edges of their matrix, too
//! in m u8 4096 bits 8
//! inout w u8 4096 bits 8
//! out o u32 4096
/*py
def expect(args):
    m, w, o = args[0], args[1], [0] * 4096
    # The matrix: 30 rows of 120 bytes, 128 apart.
    def get(size, x, y):
        if not (0 <= y < 30 and 0 <= x * size and x * size + size <= 120): return 0
        return int.from_bytes(bytes(m[y * 128 + x * size:][:size]), "little")
    for g in range(2):
        x, y = g * 20 - 3, g * 16 - 2
        for l in range(16):
            out = []
            out += [get(4, x + l, y + r) for r in range(8)]
            out += [get(2, 2 * x + l, y + r) for r in range(8)]
            out += [get(2, x + b * 16 + l, y + r) for b in range(2) for r in range(8)]
            out += [get(1, x + l * 2, y + r) | get(1, x + l * 2 + 1, y + r) << 8 for r in range(8)]
            out += [get(2, x + l, y + r * 2) | get(2, x + l, y + r * 2 + 1) << 16 for r in range(8)]
            out += [sum(get(1, x + l, y + r * 4 + i) << 8 * i for i in range(4)) for r in range(8)]
            out += [get(4, x + r, y + l) for r in range(8)]
            for i, v in enumerate(out): o[g * 2048 + i * 16 + l] = v
            for r in range(8):
                at = (x + l) * 4, y + r
                if 0 <= at[0] and at[0] + 4 <= 120 and 0 <= at[1] < 30:
                    w[at[1] * 128 + at[0]:][:4]
                    v = (g * 1000000 + r * 1000 + l).to_bytes(4, "little")
                    for i in range(4): w[at[1] * 128 + at[0] + i] = v[i]
    return {1: w, 2: o}
*/
#pragma OPENCL EXTENSION cl_intel_subgroup_2d_block_io : enable
#define STORE(v) do { for (int i = 0; i < 8; i++) o[i * 16] = (v)[i]; o += 128; } while (0)
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_block2d(global uchar *m, global uchar *w, global uint *o)
{
    int l = get_local_id(0), g = get_group_id(0);
    int2 at = (int2)(g * 20 - 3, g * 16 - 2);
    uint p[8];
    ushort q[16];
    o += g * 2048 + l;
    intel_sub_group_2d_block_prefetch_32b_8r16x1c(m, 120, 30, 128, at);
    intel_sub_group_2d_block_read_32b_8r16x1c(m, 120, 30, 128, at, p);
    STORE(p);
    intel_sub_group_2d_block_read_16b_8r16x1c(m, 120, 30, 128, at * (int2)(2, 1), q);
    STORE(q);
    intel_sub_group_2d_block_read_16b_8r16x2c(m, 120, 30, 128, at, q);
    STORE(q);
    STORE(q + 8);
    intel_sub_group_2d_block_read_8b_8r32x1c(m, 120, 30, 128, at, q);
    STORE(q);
    intel_sub_group_2d_block_read_transform_16b_16r16x1c(m, 120, 30, 128, at, p);
    STORE(p);
    intel_sub_group_2d_block_read_transform_8b_32r16x1c(m, 120, 30, 128, at, p);
    STORE(p);
    intel_sub_group_2d_block_read_transpose_32b_16r8x1c(m, 120, 30, 128, at, p);
    STORE(p);
    for (int i = 0; i < 8; i++) p[i] = g * 1000000 + i * 1000 + l;
    intel_sub_group_2d_block_write_32b_8r16x1c(w, 120, 30, 128, at, p);
}
