//! global 32
//! local 16
//! stack
//! in a f32 32 real -4 4
//! in b i64 32 bits 60
//! out o f32 64; ulp 64 abs 0.0001
//! out p i64 64
// Arguments and results of all sizes, so many that they go to memory, and structures by value.
typedef struct { int x; short y; char z; long w; float4 v; } Mixed;
__attribute__((noinline)) float4 sum(float4 a, float4 b, float4 c, float4 d, float4 e, float4 f, float4 g,
                                     float4 h, float4 i, float4 j)
{
    return a - b + c * d - e + f * 2 - g + h - i * 3 + j;
}
__attribute__((noinline)) long mix(Mixed m, long k, char c, ushort s)
{
    return m.x * k + m.y * c - m.z + (m.w >> 3) * s + (long)m.v.y;
}
__attribute__((noinline)) bool odd(uchar c) { return c & 1; }
__attribute__((noinline)) void both(long k, private long *low, private long *high)
{
    *low = k & 0xffff;
    *high = k >> 16;
}
kernel void call_arguments(global const float *a, global const long *b, global float *o, global long *p)
{
    uint i = get_global_id(0);
    float4 v = (float4)(a[i], a[31 - i], i, 1);
    float4 r = sum(v, v.yxwz, v * 2, v + 1, v.zzxx, v - 3, v * v, v.wzyx, v + v.yyyy, v * 0.5f);
    o[i] = r.x + r.y;
    o[32 + i] = r.z - r.w;
    int x = i + (int)a[i];
    Mixed m = {x * 3, (short)(x - 1), (char)x, b[i] ^ x, (float4)(x, x + 1, x + 2, x + 3)};
    p[i] = mix(m, b[i] >> 20, (char)(i * 3), (ushort)(i + 60000));
    long low, high;
    both(b[i], &low, &high);
    p[32 + i] = odd((uchar)i) ? low - high : high * 3 + low;
}
