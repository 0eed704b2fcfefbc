//! global 64
//! local 32
//! subroutines
//! options -cl-std=CL2.0
//! in a f32 256 real -4 4
//! in b i64 64 bits 64
//! out o f32 256
//! out p i64 64
// Subroutines of vectors and wide types: arguments of several registers, and more than fit.
typedef struct { float4 r[4]; } matrix;
__attribute__((noinline)) matrix multiply(matrix x, matrix y)
{
    matrix m;
    for (int i = 0; i < 4; i++)
        m.r[i] = x.r[i].x * y.r[0] + x.r[i].y * y.r[1] + x.r[i].z * y.r[2] + x.r[i].w * y.r[3];
    return m;
}
__attribute__((noinline)) long fold_(long x, long y, int n)
{
    while (n-- > 0) {
        x = (x << 5) - x + y;
        if (x < 0) y ^= x >> 7;
        else y += n;
    }
    return x ^ y;
}
kernel void sub_wide(global const float4 *a, global const long *b, global float4 *o, global long *p)
{
    uint i = get_global_id(0);
    matrix m, n;
    for (int k = 0; k < 4; k++) {
        m.r[k] = floor(a[(i + k) & 63]);
        n.r[k] = floor(a[(i * 5 + k) & 63]);
    }
    long x = fold_(b[i], b[63 - i], (int)i & 7);
    m = multiply(m, n);
    if (x & 1) n = multiply(n, m);
    else x += fold_(x, b[i], 3);
    m.r[0] += n.r[1] - n.r[2];
    if (x & 2) {
        m = multiply(multiply(m, n), m);
        x = fold_(x, x >> 3, 2);
    }
    o[i] = m.r[0] + m.r[1] - m.r[2] * 0.5f + m.r[3];
    p[i] = x;
}
