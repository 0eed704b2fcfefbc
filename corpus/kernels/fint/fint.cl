//! global 64
//! local 16
//! in a f32 64 real -300 300
//! in b f32 64 real -1 1
//! in c f32 64 real 1 200
//! out out i32 704
kernel void k_fint(global const float *pa, global const float *pb, global const float *pc, global int *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 11 + 0] = ilogb(a);
    out[i * 11 + 1] = (int)a;
    out[i * 11 + 2] = convert_int_rte(a);
    out[i * 11 + 3] = (uint)c;
    out[i * 11 + 4] = (short)a;
    out[i * 11 + 5] = (uchar)c;
    out[i * 11 + 6] = convert_char_sat(a);
    out[i * 11 + 7] = as_int(a);
    out[i * 11 + 8] = (int)logb(c);
    out[i * 11 + 9] = convert_int_rtp(a);
    out[i * 11 + 10] = convert_int_rtn(b * 100.0f);
}
