//! global 32
//! local 8
//! in a u32 256 bits 32
//! in b u32 256 bits 32
//! out o u32 512
kernel void bigmul(global const uint *a, global const uint *b, global uint *o)
{
    uint i = get_global_id(0), r[16];
    for (int k = 0; k < 16; k++) r[k] = 0;
    for (int j = 0; j < 8; j++) {
        ulong c = 0;
        for (int k = 0; k < 8; k++) { c += (ulong)a[i * 8 + j] * b[i * 8 + k] + r[j + k]; r[j + k] = (uint)c; c >>= 32; }
        r[j + 8] = (uint)c;
    }
    for (int k = 0; k < 16; k++) o[i * 16 + k] = r[k];
}
