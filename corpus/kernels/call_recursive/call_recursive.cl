//! global 32
//! local 32
//! stack
//! host
//! in a i32 32 range 0 7
//! out o i32 96
// Recursion of one function and of several, to depths that differ from channel to channel.
__attribute__((noinline)) int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__attribute__((noinline)) int minus(int n, int depth);
__attribute__((noinline)) int plus(int n, int depth)
{
    if (depth == 0) return n;
    int r = 0;
    for (int i = 0; i < (n & 3); i++) r += minus(n + i, depth - 1);
    return r + n;
}
__attribute__((noinline)) int minus(int n, int depth)
{
    if (n & 4) return plus(n / 2, depth > 1 ? depth - 2 : 0) - n;
    return plus(n, depth) * 2 - depth;
}
__attribute__((noinline)) void sort(private int *a, int from, int to)
{
    if (to - from < 2) return;
    int pivot = a[from], at = from;
    for (int i = from + 1; i < to; i++)
        if (a[i] < pivot) {
            int t = a[++at];
            a[at] = a[i];
            a[i] = t;
        }
    int t = a[from];
    a[from] = a[at];
    a[at] = t;
    sort(a, from, at);
    sort(a, at + 1, to);
}
kernel void call_recursive(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    o[i] = ackermann(a[i] & 1 ? 2 : 1, a[i]);
    o[32 + i] = plus(a[i] + 1, 4);
    int list[12];
    for (int k = 0; k < 12; k++) list[k] = (k * 7 + a[i] * 5 + i) % 13;
    sort(list, 0, 12);
    int h = 0;
    for (int k = 0; k < 12; k++) h = h * 13 + list[k];
    o[64 + i] = h;
}
