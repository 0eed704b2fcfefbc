//! global 48 32
//! local 16 8
//! in a f32 1400 real -9 9
//! out o f32 1400
//! val u32 40
//! val u32 30
kernel void transpose(global const float *a, global float *o, uint w, uint h)
{
    local float t[16][9];
    uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < w && y < h) t[lx][ly] = a[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint l = ly * 16 + lx, tx = l % 8, ty = l / 8;
    x = get_group_id(1) * 8 + tx; y = get_group_id(0) * 16 + ty;
    if (x < h && y < w) o[y * h + x] = t[ty][tx];
}
