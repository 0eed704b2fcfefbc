//! global 64
//! local 16
//! options -cl-fp32-correctly-rounded-divide-sqrt
//! in a f32 64 fedges
//! in b f32 64 fedges 5
//! in c f32 64 real -1000 1000
//! out out f32 512; ulp 0
kernel void k_fdiv_ieee(global const float *pa, global const float *pb, global const float *pc, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 8 + 0] = a / b;
    out[i * 8 + 1] = c / a;
    out[i * 8 + 2] = b / c;
    out[i * 8 + 3] = sqrt(fabs(a));
    out[i * 8 + 4] = sqrt(c);
    out[i * 8 + 5] = 1.0f / c;
    out[i * 8 + 6] = c / 3.0f;
    out[i * 8 + 7] = sqrt(a) / b;
}
