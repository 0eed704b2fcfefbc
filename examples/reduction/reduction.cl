// The sum of an array, one partial sum a work-group: each item strides over
// the input, then a tree in local memory halves the sums at each barrier.
kernel void reduction(global const float *in, global float *sums, local float *scratch, uint n)
{
    uint id = get_local_id(0);

    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    scratch[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (id < width)
            scratch[id] += scratch[id + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = scratch[0];
}
