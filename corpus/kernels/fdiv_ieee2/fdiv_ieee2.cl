//! global 64
//! local 16
//! options -cl-fp32-correctly-rounded-divide-sqrt
//! note denormals and overflow
//! in a f32 64 real -1e-38 1e-38
//! in b f32 64 real 1e37 3e38
//! in c f32 64 real -3 3
//! out out f32 448; ulp 0
kernel void k_fdiv_ieee2(global const float *pa, global const float *pb, global const float *pc, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 7 + 0] = a / c;
    out[i * 7 + 1] = b / c;
    out[i * 7 + 2] = b / a;
    out[i * 7 + 3] = a / b;
    out[i * 7 + 4] = sqrt(fabs(a));
    out[i * 7 + 5] = sqrt(b);
    out[i * 7 + 6] = c / b;
}
