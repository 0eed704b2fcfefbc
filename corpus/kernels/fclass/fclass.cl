//! global 64
//! local 16
//! in a f32 64 fedges
//! in b f32 64 fedges 7
//! in c f32 64 real -4 4
//! out out i32 1408
kernel void k_fclass(global const float *pa, global const float *pb, global const float *pc, global int *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 22 + 0] = isnan(a);
    out[i * 22 + 1] = isinf(a);
    out[i * 22 + 2] = isfinite(b);
    out[i * 22 + 3] = isnormal(a);
    out[i * 22 + 4] = signbit(a);
    out[i * 22 + 5] = isequal(a, b);
    out[i * 22 + 6] = isnotequal(a, b);
    out[i * 22 + 7] = isgreater(a, b);
    out[i * 22 + 8] = isgreaterequal(a, b);
    out[i * 22 + 9] = isless(a, b);
    out[i * 22 + 10] = islessequal(a, b);
    out[i * 22 + 11] = islessgreater(a, b);
    out[i * 22 + 12] = isordered(a, b);
    out[i * 22 + 13] = isunordered(a, b);
    out[i * 22 + 14] = a < b;
    out[i * 22 + 15] = a <= b;
    out[i * 22 + 16] = a != b;
    out[i * 22 + 17] = !(a > b);
    out[i * 22 + 18] = a == c;
    out[i * 22 + 19] = as_int(a);
    out[i * 22 + 20] = a && b;
    out[i * 22 + 21] = !a;
}
