// Two kernels: one with private memory and a function that is called by address, one with a barrier.
__attribute__((noinline)) int square(int x) { return x * x + 1; }

kernel void first(global int *out, int n)
{
    int own[40];
    for (int i = 0; i < 40; i++)
        own[i] = out[i] * n;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += own[(sum + i) & 31];
    out[get_global_id(0)] = sum + square(n);
}

kernel void second(global int *out, local int *shared)
{
    shared[get_local_id(0)] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[3] + square(2);
}
