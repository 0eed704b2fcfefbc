// Two kernels: of the first the code spills unless it is narrow, of the second it never does.
kernel void heavy(global const int *in, global int *out) {
    int x[84], item = get_global_id(0);
    __attribute__((opencl_unroll_hint))
    for (int i = 0; i < 84; i++)
        x[i] = in[item * 84 + i];
    __attribute__((opencl_unroll_hint))
    for (int i = 0; i < 84; i++)
        x[i] = x[i] * x[(i + 31) % 84];
    __attribute__((opencl_unroll_hint))
    for (int i = 0; i < 84; i++)
        out[item * 84 + i] = x[i];
}

kernel void light(global int *a) {
    a[get_global_id(0)] *= 3;
}
