// Counts of the 256 byte values: each work-group counts in local memory with
// local atomics, then adds its counts to the result with global atomics.
kernel void histogram(global const uchar *data, global uint *counts, uint n)
{
    local uint bins[256];
    uint id = get_local_id(0), size = get_local_size(0);

    for (uint i = id; i < 256; i += size)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = id; i < 256; i += size)
        if (bins[i] != 0)
            atomic_add(&counts[i], bins[i]);
}
