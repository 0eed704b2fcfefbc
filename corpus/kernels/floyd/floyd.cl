//! global 20 20
//! local 20 20
//! inout d u32 400 range 1 500
kernel void floyd(global uint *d)
{
    uint x = get_local_id(0), y = get_local_id(1);
    if (x == y) d[y * 20 + x] = 0;
    for (uint k = 0; k < 20; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        uint v = d[y * 20 + k] + d[k * 20 + x];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (v < d[y * 20 + x]) d[y * 20 + x] = v;
    }
}
