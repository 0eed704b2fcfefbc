//! global 57 14
//! local 19 7
//! in d i32 798 range -99 99
//! local_arg 532
//! out o i32 798
// 133 work-items a group: the last thread is partial; reverse through local memory.
kernel void k_launch_odd(global const int *d, local int *t, global int *o)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * 57 + x;
    int l = get_local_id(1) * 19 + get_local_id(0);
    t[132 - l] = d[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[l] * 3 + t[(l + 1) % 133];
}
