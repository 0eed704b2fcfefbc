//! global 128
//! local 64
//! out o u32 256
kernel void collatz(global uint *o)
{
    uint i = get_global_id(0), n = 0;
    ulong x = i * 7 + 27, top = x;
    while (x != 1 && n < 500) { x = x & 1 ? 3 * x + 1 : x >> 1; top = max(top, x); n++; }
    o[2 * i] = n; o[2 * i + 1] = (uint)top;
}
