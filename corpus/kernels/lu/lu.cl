//! global 12
//! local 12
//! note twelve steps of elimination without pivoting on a matrix with a large diagonal
//! inout a f32 144 real -1 1; ulp 64 abs 1e-4
kernel void lu(global float *a)
{
    uint r = get_local_id(0);
    a[r * 12 + r] += 14.0f;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint k = 0; k < 11; k++) {
        if (r > k) {
            float f = a[r * 12 + k] / a[k * 12 + k];
            a[r * 12 + k] = f;
            for (uint c = k + 1; c < 12; c++) a[r * 12 + c] -= f * a[k * 12 + c];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
