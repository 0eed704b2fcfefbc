//! global 48
//! local 16
//! in a u8 48 edges
//! in b u8 48 edges 5
//! in c u8 48 edges 9
//! out out u8 912
// The integer functions of OpenCL on uchar.
kernel void builtin_uchar(global const uchar *pa, global const uchar *pb, global const uchar *pc, global uchar *out)
{
    size_t i = get_global_id(0);
    uchar a = pa[i], b = pb[i], c = pc[i];
    out[i * 19 + 0] = min(a, b);
    out[i * 19 + 1] = max(a, b);
    out[i * 19 + 2] = clamp(a, min(b, c), max(b, c));
    out[i * 19 + 3] = (uchar)abs(a);
    out[i * 19 + 4] = (uchar)abs_diff(a, b);
    out[i * 19 + 5] = add_sat(a, b);
    out[i * 19 + 6] = sub_sat(a, b);
    out[i * 19 + 7] = mul_hi(a, b);
    out[i * 19 + 8] = mad_hi(a, b, c);
    out[i * 19 + 9] = mad_sat(a, b, c);
    out[i * 19 + 10] = rotate(a, b);
    out[i * 19 + 11] = clz(a);
    out[i * 19 + 12] = popcount(a);
    out[i * 19 + 13] = hadd(a, b);
    out[i * 19 + 14] = rhadd(a, b);
    out[i * 19 + 15] = rotate(a, (uchar)3);
    out[i * 19 + 16] = sub_sat(b, a);
    out[i * 19 + 17] = add_sat(a, a);
    out[i * 19 + 18] = select(a, b, c);
}
