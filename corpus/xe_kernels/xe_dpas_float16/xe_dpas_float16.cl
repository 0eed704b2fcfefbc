//! devices pvc bmg ptl
//! global 32
//! local 16
//! options -cl-std=CL3.0
//! note products of matrices of bf16, halves and tf32; their sums have few bits, so that any order gives the same
//! in a i16 256 range -9 9
//! in b i32 512 range -7 7
//! in c i32 256 range -100 100
//! out o f32 1024
/*py
def expect(args):
    a, b, c, o = args[0], args[1], args[2], [0.0] * 1024
    # Where it is, its rows, and whether the result has 11, 8 or 24 bits.
    for at, rows, bits in ((0, 8, 24), (8, 4, 24), (12, 2, 8), (14, 8, 24), (22, 1, 24), (23, 4, 11)):
        for g in range(2):
            for row in range(rows):
                for l in range(16):
                    v = c[g * 128 + row * 16 + l] / 4
                    v += sum(a[g * 128 + row * 16 + k] * b[g * 256 + k * 16 + l] / 8 for k in range(16))
                    if bits < 24 and v:
                        unit = 1.0
                        while abs(v) / unit >= 2**bits: unit *= 2
                        while abs(v) / unit < 2**(bits - 1): unit /= 2
                        v = round(v / unit) * unit
                    o[g * 512 + (at + row) * 16 + l] = v
    for g in range(2):
        for at, rows in ((27, 4), (31, 1)):
            for row in range(rows):
                for l in range(16):
                    v = c[g * 128 + row * 16 + l] / 4
                    v += sum(a[g * 128 + row * 8 + k] * 17 * b[g * 256 + k * 16 + l] / 8 for k in range(8))
                    o[g * 512 + (at + row) * 16 + l] = v
    return {3: o}
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
short bf(float v) { return as_ushort2(v).s1; }
float of_bf(short v) { return as_float((uint)as_ushort(v) << 16); }
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_dpas_float16(global const short *a, global const int *b, global const int *c, global float *o)
{
    int l = get_local_id(0), g = get_group_id(0);
    short8 ab, ah;
    int8 bb, bh;
    float8 s;
    for (int r = 0; r < 8; r++) {
        float v = a[g * 128 + r * 16 + l] / 2.0f, x = b[g * 256 + r * 32 + l] / 4.0f, y = b[g * 256 + r * 32 + 16 + l] / 4.0f;
        ab[r] = bf(v); ah[r] = as_short((half)v);
        bb[r] = as_int((short2)(bf(x), bf(y))); bh[r] = as_int((half2)(x, y));
        s[r] = c[g * 128 + r * 16 + l] / 4.0f;
    }
    o += g * 512 + l;
    float8 r0 = intel_sub_group_bf16_bf16_matrix_mad_k16(ab, bb, s);
    for (int r = 0; r < 8; r++) o[r * 16] = r0[r];
    float4 r1 = intel_sub_group_bf16_bf16_matrix_mad_k16(ab.lo, bb, s.lo);
    for (int r = 0; r < 4; r++) o[(8 + r) * 16] = r1[r];
    short2 r2 = intel_sub_group_bf16_bf16_matrix_mad_k16(ab.s01, bb, (short2)(bf(s.s0), bf(s.s1)));
    o[12 * 16] = of_bf(r2.s0); o[13 * 16] = of_bf(r2.s1);
    float8 r3 = intel_sub_group_f16_f16_matrix_mad_k16(ah, bh, s);
    for (int r = 0; r < 8; r++) o[(14 + r) * 16] = r3[r];
    float r4 = intel_sub_group_f16_f16_matrix_mad_k16(ah.s0, bh, s.s0);
    o[22 * 16] = r4;
    half4 r5 = intel_sub_group_f16_f16_matrix_mad_k16(ah.lo, bh, convert_half4(s.lo));
    for (int r = 0; r < 4; r++) o[(23 + r) * 16] = r5[r];
    float8 columns;
    for (int k = 0; k < 8; k++) columns[k] = b[g * 256 + k * 16 + l] / 4.0f;
    // What is beyond its bits is cut off.
    float2 rows = (float2)(a[g * 128 + l], a[g * 128 + 16 + l]) * 8.5f;
    rows = as_float2(as_uint2(rows) | 0xfff);
    float4 r6 = intel_sub_group_tf32_tf32_matrix_mad_k8(rows, columns, s.lo);
    for (int r = 0; r < 4; r++) o[(27 + r) * 16] = r6[r];
    float r7 = intel_sub_group_tf32_tf32_matrix_mad_k8(rows.s0, columns, s.s0);
    o[31 * 16] = r7;
}
