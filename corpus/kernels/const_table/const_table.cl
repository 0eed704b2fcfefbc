//! global 64
//! local 32
//! in d u32 64 bits 32
//! out o u32 64
constant uint crc[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
constant uchar text[] = "The quick brown fox jumps over the lazy dog";
constant float fs[4] = {1.5f, -2.25f, 1000.0f, 0.125f};
kernel void k_const_table(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), x = d[i], c = ~0u;
    for (int k = 0; k < 8; k++) c = crc[(c ^ x >> (4 * k)) & 15] ^ c >> 4;
    c += text[x % 43] + (int)(fs[x & 3] * 8.0f);
    o[i] = c;
}
