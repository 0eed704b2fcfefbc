//! global 64
//! local 32
//! host
//! in a f64 64 real -10 10
//! in n i32 64 range 0 20
//! out o f64 64
//! out q i32 64
// The compiler's own choice of calls: subroutines, and stack calls only for what is recursive.
__attribute__((noinline)) double power(double x, int n)
{
    double r = 1;
    while (n > 0) {
        if (n & 1) r *= x;
        x *= x;
        n /= 2;
    }
    return r;
}
__attribute__((noinline)) double poly(double x, int n)
{
    double r = 0;
    for (int i = 0; i < (n & 3); i++) r += power(x, i) * i;
    return r;
}
__attribute__((noinline)) int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
kernel void call_single(global const double *a, global const int *n, global double *o, global int *q)
{
    uint i = get_global_id(0);
    double r = poly(a[i], n[i]);
    if (n[i] > 10)
        r += power(r * 0.125, n[i] & 3);
    o[i] = r;
    q[i] = gcd(n[i] * 12, 90) + gcd(60, n[i] + 1);
}
