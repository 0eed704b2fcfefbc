//! global 64
//! local 16
//! in a f32 64 fedges
//! in b f32 64 fedges 7
//! in c f32 64 real -4 4
//! out out f32 1728; ulp 2
kernel void k_fbasic(global const float *pa, global const float *pb, global const float *pc, global float *out)
{
    size_t i = get_global_id(0);
    float a = pa[i];
    float b = pb[i];
    float c = pc[i];
    out[i * 27 + 0] = a + b;
    out[i * 27 + 1] = a - b;
    out[i * 27 + 2] = a * b;
    out[i * 27 + 3] = -a;
    out[i * 27 + 4] = fabs(a);
    out[i * 27 + 5] = fmin(a, b);
    out[i * 27 + 6] = fmax(a, b);
    out[i * 27 + 7] = floor(a);
    out[i * 27 + 8] = ceil(a);
    out[i * 27 + 9] = trunc(a);
    out[i * 27 + 10] = rint(a);
    out[i * 27 + 11] = round(a);
    out[i * 27 + 12] = copysign(a, b);
    out[i * 27 + 13] = fdim(a, b);
    out[i * 27 + 14] = fma(a, b, c);
    out[i * 27 + 15] = step(a, c);
    out[i * 27 + 16] = clamp(c, -1.0f, 1.0f);
    out[i * 27 + 17] = mix(b, c, 0.5f);
    out[i * 27 + 18] = sign(c);
    out[i * 27 + 19] = degrees(c);
    out[i * 27 + 20] = smoothstep(-1.0f, 1.0f, c);
    out[i * 27 + 21] = a < b ? a : c;
    out[i * 27 + 22] = isnan(a) ? 1.0f : c;
    out[i * 27 + 23] = a == b ? 2.0f : 3.0f;
    out[i * 27 + 24] = select(a, b, isless(a, c));
    out[i * 27 + 25] = maxmag(a, c);
    out[i * 27 + 26] = minmag(b, c);
}
