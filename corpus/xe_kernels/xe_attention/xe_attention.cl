//! devices bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note attention for 16 queries a subgroup: products of halves, and weights by powers of two of their sums
//! in q f16 2048 list 1 -1 0.5 0 -0.5 1 0 -1 0.5 1 -0.5 0 -1
//! in k f16 2048 list 0.5 0 -1 1 -0.5 0 1
//! in v f16 2048 list 2 -1 0.25 3 -4 1 0.5 -2 1.5 0 -3
//! out o f32 2048; ulp 64 abs 0.004
//! val i32 32
//! val f32 0.25
/*py
def expect(args):
    q, k, v, o = args[0], args[1], args[2], [0.0] * 2048
    # A row of 16 columns of 8 rows, and columns in pairs of rows.
    rows = lambda row, d: row // 8 * 4 * 128 + d // 16 * 128 + row % 8 * 16 + d % 16
    pairs = lambda block, row, column: block * 256 + (row // 2 * 16 + column) * 2 + row % 2
    for row in range(32):
        score = [sum(q[rows(row, d)] * k[pairs(key // 16 * 4 + d // 16, d % 16, key % 16)] for d in range(64)) / 4
                 for key in range(32)]
        top = max(score)
        weights = [2.0 ** (s - top) for s in score]
        for d in range(64):
            parts = [w * v[pairs(key // 16 * 4 + d // 16, key % 16, d % 16)] for key, w in enumerate(weights)]
            o[rows(row, d)] = sum(parts) / sum(weights)
    return {3: o}
*/
#define ROWS 16
#define KEYS 16
#define D 64
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_attention(global const ushort *q, global const uint *k, global const uint *v, global float *o, int keys, float scale)
{
    const int l = get_sub_group_local_id(), g = get_group_id(0);
    short8 queries[ROWS/8][D/16];
    for (int r = 0; r < ROWS/8; r++)
        for (int d = 0; d < D/16; d++)
            queries[r][d] = as_short8(intel_sub_group_block_read_us8(q + ((g * (ROWS/8) + r) * (D/16) + d) * 128));
    float8 sums[ROWS/8][D/16];
    float8 top[ROWS/8], norm[ROWS/8];
    for (int r = 0; r < ROWS/8; r++) {
        top[r] = -1e30f; norm[r] = 0;
        for (int d = 0; d < D/16; d++) sums[r][d] = 0;
    }
    for (int at = 0; at < keys; at += KEYS) {
        float8 s[ROWS/8][KEYS/16];
        for (int n = 0; n < KEYS/16; n++) {
            for (int r = 0; r < ROWS/8; r++) s[r][n] = 0;
            for (int d = 0; d < D/16; d++) {
                int8 b = as_int8(intel_sub_group_block_read8(k + ((at/16 + n) * (D/16) + d) * 128));
                for (int r = 0; r < ROWS/8; r++)
                    s[r][n] = intel_sub_group_f16_f16_matrix_mad_k16(queries[r][d], b, s[r][n]);
            }
        }
        short8 p[ROWS/8][KEYS/16];
        for (int r = 0; r < ROWS/8; r++) {
            float8 m = top[r];
            for (int n = 0; n < KEYS/16; n++) { s[r][n] *= scale; m = fmax(m, s[r][n]); }
            for (int i = 0; i < 8; i++) m[i] = sub_group_reduce_max(m[i]);
            float8 fade = native_exp2(top[r] - m), sum = 0;
            top[r] = m;
            for (int n = 0; n < KEYS/16; n++) {
                float8 e = native_exp2(s[r][n] - m);
                sum += e;
                p[r][n] = as_short8(convert_half8(e));
            }
            norm[r] = norm[r] * fade + sum;
            for (int d = 0; d < D/16; d++) sums[r][d] *= fade;
        }
        for (int n = 0; n < KEYS/16; n++)
            for (int d = 0; d < D/16; d++) {
                int8 b = as_int8(intel_sub_group_block_read8(v + ((at/16 + n) * (D/16) + d) * 128));
                for (int r = 0; r < ROWS/8; r++)
                    sums[r][d] = intel_sub_group_f16_f16_matrix_mad_k16(p[r][n], b, sums[r][d]);
            }
    }
    for (int r = 0; r < ROWS/8; r++) {
        float8 all;
        for (int i = 0; i < 8; i++) all[i] = sub_group_reduce_add(norm[r][i]);
        for (int d = 0; d < D/16; d++)
            intel_sub_group_block_write8((global uint *)o + ((g * (ROWS/8) + r) * (D/16) + d) * 128, as_uint8(sums[r][d] / all));
    }
}
