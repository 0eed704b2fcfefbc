//! devices pvc bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note blocks of two dimensions that fill 32 registers, of which the message's descriptor can say only 31
//! in m u8 12288 bits 8
//! out o u32 5120
/*py
def expect(args):
    m, o = args[0], [0] * 5120
    # The matrix: 60 rows of 184 bytes, 192 apart.
    def get(size, x, y):
        if not (0 <= y < 60 and 0 <= x * size and x * size + size <= 184): return 0
        return int.from_bytes(bytes(m[y * 192 + x * size:][:size]), "little")
    for g in range(2):
        x, y = g * 20 - 4, g * 40 - 2
        for l in range(16):
            out = []
            out += [get(2, x + b * 16 + l, y + r) | get(2, x + b * 16 + l, y + r + 1) << 16 for b in range(2) for r in range(0, 32, 2)]
            out += [get(2, x + b * 16 + l, y + r) | get(2, x + b * 16 + l, y + r + 1) << 16 for b in range(2) for r in range(0, 32, 2)]
            out += [get(4, x + l, y + r) for r in range(32)]
            out += [sum(get(1, x + b * 32 + l * 2 + i, y + r + j) << 8 * (i + 2 * j) for i in range(2) for j in range(2)) for b in range(2) for r in range(0, 32, 2)]
            out += [sum(get(1, x + b * 16 + l, y + r + i) << 8 * i for i in range(4)) for b in range(4) for r in range(0, 32, 4)]
            for i, v in enumerate(out): o[g * 2560 + i * 16 + l] = v
    return {1: o}
*/
#pragma OPENCL EXTENSION cl_intel_subgroup_2d_block_io : enable
#define STORE(v) do { for (int i = 0; i < 32; i++) o[i * 16] = (v)[i]; o += 512; } while (0)
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_block2d_large(global uchar *m, global uint *o)
{
    int l = get_local_id(0), g = get_group_id(0);
    int2 at = (int2)(g * 20 - 4, g * 40 - 2);
    uint p[32];
    ushort q[64];
    o += g * 2560 + l;
    intel_sub_group_2d_block_read_16b_32r16x2c(m, 184, 60, 192, at, q);
    for (int i = 0; i < 32; i++) p[i] = q[2 * i] | q[2 * i + 1] << 16;
    STORE(p);
    intel_sub_group_2d_block_read_transform_16b_32r16x2c(m, 184, 60, 192, at, p);
    STORE(p);
    intel_sub_group_2d_block_read_32b_32r16x1c(m, 184, 60, 192, at, p);
    STORE(p);
    intel_sub_group_2d_block_read_8b_32r32x2c(m, 184, 60, 192, at, q);
    for (int i = 0; i < 32; i++) p[i] = q[2 * i] | q[2 * i + 1] << 16;
    STORE(p);
    intel_sub_group_2d_block_read_transform_8b_32r16x4c(m, 184, 60, 192, at, p);
    STORE(p);
}
