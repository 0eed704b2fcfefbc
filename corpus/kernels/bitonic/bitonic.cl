//! global 64
//! local 64
//! inout d u32 128 bits 32
//! local_arg 512
kernel void bitonic(global uint *d, local uint *t)
{
    uint l = get_local_id(0);
    t[l] = d[l]; t[l + 64] = d[l + 64];
    for (uint k = 2; k <= 128; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint a = 2 * l - (l & (j - 1)), b = a + j;
            uint x = t[a], y = t[b];
            if ((x > y) == ((a & k) == 0)) { t[a] = y; t[b] = x; }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    d[l] = t[l]; d[l + 64] = t[l + 64];
}
