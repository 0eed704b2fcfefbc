//! global 64
//! local 32
//! indirect
//! options -cl-opt-disable
//! note Many small functions, called by address, with a barrier between their calls, as the front end makes them without optimizations.
//! in in i32 64 range -1000 1000
//! out out i32 64
//! out sums i32 64
//! local_arg 128
typedef struct { int low; int high; } Pair;
__attribute__((noinline)) int twice(int x) { return x + x; }
__attribute__((noinline)) int less(int a, int b) { return a < b; }
__attribute__((noinline)) int smaller(int a, int b) { return less(a, b) ? a : b; }
__attribute__((noinline)) int larger(int a, int b) { return less(a, b) ? b : a; }
__attribute__((noinline)) Pair sorted(int a, int b) {
    Pair p;
    p.low = smaller(a, b);
    p.high = larger(a, b);
    return p;
}
__attribute__((noinline)) long product(long a, long b, int times) {
    long r = a;
    for (int i = 0; i < times; i++)
        r = r * b + twice(i);
    return r;
}
__attribute__((noinline)) int at(local const int *shared, int i) { return shared[i & 31]; }
__attribute__((noinline)) void put(local int *shared, int i, int x) { shared[i & 31] = x; }
__attribute__((noinline)) int scan(local int *shared, int i) {
    for (int by = 1; by < 32; by = twice(by)) {
        int other = i >= by ? at(shared, i - by) : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        put(shared, i, at(shared, i) + other);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return at(shared, i);
}
__attribute__((noinline)) float scaled(float4 v, float by) { return (v.x * by + v.y) * (v.z - v.w); }
kernel void noopt_functions(global const int *in, global int *out, global int *sums, local int *shared) {
    int i = get_local_id(0);
    int g = get_global_id(0);
    int x = in[g];
    put(shared, i, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    Pair p = sorted(x, at(shared, i ^ 1));
    int value = p.low * 3 - p.high;
    if (x & 1)
        value += (int)product(p.low, p.high, x & 7);
    else
        value -= (int)scaled((float4)(p.low, p.high, i, 2), 4);
    sums[g] = scan(shared, i);
    out[g] = value;
}
