//! global 32
//! local 32
//! in d u8 640 bits 8
//! out o u32 32
kernel void crc32(global const uchar *d, global uint *o)
{
    local uint t[256];
    uint i = get_global_id(0);
    for (uint k = i; k < 256; k += 32) { uint c = k; for (int b = 0; b < 8; b++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1; t[k] = c; }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint c = ~0u;
    for (int k = 0; k < 20; k++) c = t[(c ^ d[i * 20 + k]) & 255] ^ c >> 8;
    o[i] = ~c;
}
