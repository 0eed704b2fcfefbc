//! global 64
//! local 32
//! host
//! in a i64 64 bits 40
//! in n i32 64 range 0 20
//! out o i64 64
//! out q i32 64
// The compiler's own choice of calls: subroutines, and stack calls only for what is recursive.
__attribute__((noinline)) long power(long x, int n)
{
    long r = 1;
    while (n > 0) {
        if (n & 1) r *= x;
        x = x * x ^ 5;
        n /= 2;
    }
    return r;
}
__attribute__((noinline)) long poly(long x, int n)
{
    long r = 0;
    for (int i = 0; i < (n & 3); i++) r += power(x, i) * i;
    return r;
}
__attribute__((noinline)) int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
kernel void call_single(global const long *a, global const int *n, global long *o, global int *q)
{
    uint i = get_global_id(0);
    long r = poly(a[i], n[i]);
    if (n[i] > 10)
        r += power(r >> 3, n[i] & 3);
    o[i] = r;
    q[i] = gcd(n[i] * 12, 90) + gcd(60, n[i] + 1);
}
