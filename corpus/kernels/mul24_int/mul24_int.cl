//! global 48
//! local 16
//! in a i32 48 range -2000 2000
//! in b i32 48 range 0 900000
//! in c i32 48 bits 31
//! out out i32 240
kernel void mul24_int(global const int *pa, global const int *pb, global const int *pc, global int *out)
{
    size_t i = get_global_id(0);
    int a = pa[i], b = pb[i], c = pc[i];
    out[i * 5 + 0] = mul24(a, b);
    out[i * 5 + 1] = mad24(a, b, c);
    out[i * 5 + 2] = mul24(b, b);
    out[i * 5 + 3] = a * b + c;
    out[i * 5 + 4] = mul24(a & (int)0xfff, b);
}
