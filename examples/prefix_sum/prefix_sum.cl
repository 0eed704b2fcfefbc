// Inclusive prefix sums within each work-group (Hillis-Steele in local memory,
// two barriers a step), and each group's total.
kernel void prefix_sum(global const uint *in, global uint *out, global uint *totals,
                       local uint *sums, uint n)
{
    uint i = get_global_id(0), id = get_local_id(0), size = get_local_size(0);

    sums[id] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < size; step *= 2) {
        uint left = id >= step ? sums[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[id] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = sums[id];
    if (id == size - 1)
        totals[get_group_id(0)] = sums[id];
}
