//! global 128
//! local 32
//! in d i32 128 bits 20
//! local_arg 128
//! out o i32 128
// Barriers in a loop: rotating and summing through local memory.
kernel void k_slm_loop(global const int *d, local int *t, global int *o)
{
    int l = get_local_id(0), n = get_local_size(0), v = d[get_global_id(0)];
    for (int k = 0; k < 10; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + k + 1) % n] + (t[n - 1 - l] >> 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = v;
}
