//! global 32
//! local 32
//! note native sin and cos aside, sums of 64 values below 1 with six roundings each
//! inout d f32 128 real -1 1; abs 2e-5
kernel void fft(global float2 *d)
{
    local float2 t[64];
    uint l = get_local_id(0);
    for (uint k = l; k < 64; k += 32) {
        uint r = (k & 1) << 5 | (k & 2) << 3 | (k & 4) << 1 | (k & 8) >> 1 | (k & 16) >> 3 | k >> 5;
        t[r] = d[k];
    }
    for (uint h = 1; h < 64; h <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint p = l & (h - 1), a = 2 * l - p, b = a + h;
        float w = -3.14159265f * (float)p / (float)h, c = cos(w), s = sin(w);
        float2 x = t[a], y = t[b], z = (float2)(y.x * c - y.y * s, y.x * s + y.y * c);
        t[a] = x + z; t[b] = x - z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    d[l] = t[l]; d[l + 32] = t[l + 32];
}
