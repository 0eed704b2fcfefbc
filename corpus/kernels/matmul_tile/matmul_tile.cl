//! global 24 24
//! local 8 8
//! in a f32 576 real -1 1
//! in b f32 576 real -1 1
//! out c f32 576; ulp 4 abs 1e-5
kernel void matmul_tile(global const float *a, global const float *b, global float *c)
{
    local float ta[8][8], tb[8][8];
    int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
    float s = 0;
    for (int t = 0; t < 3; t++) {
        ta[y][x] = a[gy * 24 + t * 8 + x];
        tb[y][x] = b[(t * 8 + y) * 24 + gx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) s += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[gy * 24 + gx] = s;
}
