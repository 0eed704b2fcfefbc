//! global 16
//! local 16
//! out o u32 128
// MT19937 with its state of 624 words in private memory.
kernel void mersenne(global uint *o)
{
    uint i = get_global_id(0), mt[624];
    mt[0] = 5489 + i;
    for (uint k = 1; k < 624; k++) mt[k] = 1812433253u * (mt[k - 1] ^ mt[k - 1] >> 30) + k;
    for (uint k = 0; k < 624; k++) {
        uint y = (mt[k] & 0x80000000u) | (mt[(k + 1) % 624] & 0x7fffffffu);
        mt[k] = mt[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    for (uint k = 0; k < 8; k++) {
        uint y = mt[k * 70];
        y ^= y >> 11; y ^= y << 7 & 0x9d2c5680u; y ^= y << 15 & 0xefc60000u; y ^= y >> 18;
        o[i * 8 + k] = y;
    }
}
