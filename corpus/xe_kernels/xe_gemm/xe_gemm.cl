//! devices bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note a product of matrices in tiles of 32 rows and 32 columns, which a subgroup adds up in registers; all sums are exact
//! in a f16 2048 list 1 -2 3 0.5 -1.5 2 0 4 -3 1.25
//! in b f16 1024 list 2 -1 0.25 3 -4 1 0.5
//! in c i32 2048 range -50 50
//! out o f32 2048
/*py
def expect(args):
    a, b, c, o = args[0], args[1], args[2], [0.0] * 2048
    for g in range(2):
        for r in range(4):
            for n in range(2):
                for row in range(8):
                    for l in range(16):
                        at = ((g * 4 + r) * 2 + n) * 128 + row * 16 + l
                        v = c[at] / 4
                        for kk in range(2):
                            for k in range(16):
                                v += a[((g * 4 + r) * 2 + kk) * 128 + row * 16 + k] * b[(kk * 2 + n) * 256 + (k // 2 * 16 + l) * 2 + k % 2]
                        o[at] = v
    return {3: o}
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_gemm(global const ushort *a, global const uint *b, global const int *c, global float *o)
{
    int g = get_group_id(0);
    float8 s[4][2];
    a += g * 1024;
    c += g * 1024;
    o += g * 1024;
    for (int r = 0; r < 4; r++)
        for (int n = 0; n < 2; n++)
            s[r][n] = convert_float8(as_int8(intel_sub_group_block_read8((global const uint *)c + (r * 2 + n) * 128))) / 4.0f;
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < 2; n++) {
            int8 columns = as_int8(intel_sub_group_block_read8(b + (k * 2 + n) * 128));
            for (int r = 0; r < 4; r++) {
                short8 rows = as_short8(intel_sub_group_block_read_us8(a + (r * 2 + k) * 128));
                s[r][n] = intel_sub_group_f16_f16_matrix_mad_k16(rows, columns, s[r][n]);
            }
        }
    for (int r = 0; r < 4; r++)
        for (int n = 0; n < 2; n++)
            intel_sub_group_block_write8((global uint *)o + (r * 2 + n) * 128, as_uint8(s[r][n]));
}
