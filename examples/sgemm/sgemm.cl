// C = alpha * A * B + beta * C (row-major, m x k times k x n), one 16x16 tile
// of C a work-group, with tiles of A and B staged through local memory.
#define TILE 16

kernel void sgemm(global const float *a, global const float *b, global float *c,
                  uint m, uint n, uint k, float alpha, float beta)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    uint col = get_global_id(0), row = get_global_id(1);
    uint lx = get_local_id(0), ly = get_local_id(1);

    float sum = 0.0f;
    for (uint t = 0; t < k; t += TILE) {
        ta[ly][lx] = row < m && t + lx < k ? a[row * k + t + lx] : 0.0f;
        tb[ly][lx] = col < n && t + ly < k ? b[(t + ly) * n + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum += ta[ly][i] * tb[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n)
        c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
