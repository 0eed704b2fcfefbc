//! global 32
//! local 16
//! subroutines
//! note Private arrays of 200 KB a thread, and behind them what is spilled, by subroutines too, and an array in registers.
//! in d i32 32 range 1 1000
//! out o i32 64
__attribute__((noinline)) int16 mix(int16 x, int16 y, int k)
{
    int16 z = x * k + y;
    for (int n = 0; n < (k & 3); n++) {
        z ^= x.s123456789abcdef0 + y;
        x = y - z.s76543210fedcba98;
        y += z >> 3;
    }
    return z + x - y;
}

kernel void k_priv_far(global const int *d, global int *o)
{
    int i = get_global_id(0), x = d[i];
    int a[6200], c[20];
    for (int k = 0; k < 6200; k++) a[k] = k * x;
    for (int k = 0; k < 20; k++) c[k] = k ^ x;
    int16 p = x + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int16 q = p * 3, r = p ^ q << 2, s = q - 7, t = r * r;
    for (int n = 0; n < 3 + x % 3; n++) {
        p = mix(p, q, a[(x + n * 31) % 6200]);
        c[(p.s3 & 0x7fff) % 20] += p.s4;
        q = mix(q, r, n + c[(x + n) % 20]);
        r += s.s1032547698badcfe;
        s = mix(s, t, x);
        t ^= p;
        a[(p.s0 & 1023) * 6] = t.s5;
    }
    int16 v = p + q * 3 - r + (s ^ t);
    int8 w = v.lo + v.hi * 5;
    int4 u = w.lo - w.hi * 7;
    o[2 * i] = u.x + u.y * 11 - u.z + u.w + a[(v.s0 & 0x7fff) % 6200];
    o[2 * i + 1] = c[x % 20] + a[x * 6];
}
