//! devices pvc bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note blocks of two dimensions in a loop, whose address is in a variable that keeps its parts
//! in m u8 4096 bits 8
//! inout w u8 4096 bits 8
//! out o u32 32
//! val i32 5
/*py
def expect(args):
    m, w, o, n = args[0], args[1], [0] * 32, args[3][0] if isinstance(args[3], list) else args[3]
    # The matrix: 30 rows of 120 bytes, 128 apart.
    def get(size, x, y):
        if not (0 <= y < 30 and 0 <= x * size and x * size + size <= 120): return 0
        return int.from_bytes(bytes(m[y * 128 + x * size:][:size]), "little")
    for g in range(2):
        for i in range(n):
            x, y = i * 7 - 3, g * 9 + i * 3 - 2
            for l in range(16):
                out = [get(2, x + l, y + r) for r in range(8)]
                out += [get(2, x + l, y + r * 2) | get(2, x + l, y + r * 2 + 1) << 16 for r in range(8)]
                out += [get(4, x + r, y + l) for r in range(8)]
                for v in out: o[g * 16 + l] = (o[g * 16 + l] * 31 + v) & 0xffffffff
            for r in range(2):
                for l in range(16):
                    at, row = (i * 16 + l) * 2, 4 * g + r + i * 8 % 24
                    if at + 2 <= 120 and row < 30:
                        v = get(2, x + l, y + r) + r & 0xffff
                        w[row * 128 + at:row * 128 + at + 2] = list(v.to_bytes(2, "little"))
    return {1: w, 2: o}
*/
#pragma OPENCL EXTENSION cl_intel_subgroup_2d_block_io : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_block2d_loop(global uchar *m, global uchar *w, global uint *o, int n)
{
    int g = get_group_id(0);
    uint sum = 0;
    for (int i = 0; i < n; i++) {
        int2 at = (int2)(i * 7 - 3, g * 9 + i * 3 - 2);
        ushort a[8];
        uint b[8], c[8];
        intel_sub_group_2d_block_prefetch_16b_8r16x1c(m, 120, 30, 128, at);
        intel_sub_group_2d_block_read_16b_8r16x1c(m, 120, 30, 128, at, a);
        intel_sub_group_2d_block_read_transform_16b_16r16x1c(m, 120, 30, 128, at, b);
        intel_sub_group_2d_block_read_transpose_32b_16r8x1c(m, 120, 30, 128, at, c);
        for (int r = 0; r < 8; r++) sum = sum * 31 + a[r];
        for (int r = 0; r < 8; r++) sum = sum * 31 + b[r];
        for (int r = 0; r < 8; r++) sum = sum * 31 + c[r];
        ushort s[2] = {a[0], a[1] + 1};
        intel_sub_group_2d_block_write_16b_2r16x1c(w, 120, 30, 128, (int2)(i * 16, 4 * g + i * 8 % 24), s);
    }
    o[get_global_id(0)] = sum;
}
