//! global 64
//! local 32
//! stack
//! host
//! note Arrays whose elements are found by address, in a kernel and in a function that calls itself in divergent code.
//! in in u32 64 bits 32
//! out out u32 64
__attribute__((noinline)) uint walk(uint n, uint x) {
    uint a[24], b[16];
    #pragma unroll 1
    for (uint k = 0; k < 24; k++)
        a[k] = x * k + n;
    #pragma unroll 1
    for (uint k = 0; k < 16; k++)
        b[k] = x ^ k << 4;
    #pragma unroll 1
    for (uint k = 0; k < 5; k++) {
        a[x >> k & 15] += b[x * k & 15];
        b[a[k] & 15] ^= a[b[k] % 24];
    }
    if (n > 0 && x % 5 != n) {
        a[x & 15] += walk(n - 1, x >> 1);
        b[x >> 4 & 15] -= walk(n / 2, a[3]);
    }
    uint sum = 0;
    #pragma unroll 1
    for (uint k = 0; k < 16; k++)
        sum = sum * 3 + a[b[k] % 24] - b[(x + k) & 15];
    return sum;
}
__attribute__((intel_reqd_sub_group_size(16)))
kernel void call_arrays(global const uint *in, global uint *out) {
    uint i = get_global_id(0);
    uint c[24], d[16];
    uint x = in[i];
    #pragma unroll 1
    for (uint k = 0; k < 24; k++)
        c[k] = x + k * k;
    #pragma unroll 1
    for (uint k = 0; k < 16; k++)
        d[k] = x >> k;
    if (x & 1)
        c[x >> 2 & 15] += walk(x & 3, x ^ d[x >> 8 & 15]);
    uint sum = 0;
    #pragma unroll 1
    for (uint k = 0; k < 16; k++)
        sum = sum * 5 + (c[d[k] % 24] ^ d[(c[k] >> 3) & 15]);
    out[i] = sum;
}
