//! global 64
//! local 32
//! out o u32 128
kernel void montecarlo(global uint *o)
{
    uint i = get_global_id(0), hits = 0;
    ulong s = (i + 1) * 0x9E3779B97F4A7C15UL;
    for (int n = 0; n < 200; n++) {
        s ^= s >> 12; s ^= s << 25; s ^= s >> 27;
        ulong r = s * 0x2545F4914F6CDD1DUL;
        uint x = (uint)(r >> 48), y = (uint)(r >> 32) & 0xffff;
        if ((ulong)x * x + (ulong)y * y < 1UL << 32) hits++;
    }
    o[2 * i] = hits; o[2 * i + 1] = (uint)(s ^ s >> 32);
}
