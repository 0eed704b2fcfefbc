//! global 32 24
//! local 8 8
//! out o u32 768
//! note fixed point of 20 bits: exact
kernel void juliaset(global uint *o)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    long a = ((long)(x - 16) << 20) / 11, b = ((long)(y - 12) << 20) / 9;
    for (; n < 60; n++) {
        long p = a * a >> 20, q = b * b >> 20;
        if (p + q > 4L << 20) break;
        b = (a * b >> 19) + 163577;
        a = p - q - 838860;
    }
    o[y * 32 + x] = n;
}
