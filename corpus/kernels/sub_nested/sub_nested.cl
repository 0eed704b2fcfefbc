//! global 64
//! local 16
//! subroutines
//! in a u32 64 bits 32
//! in b u32 64 bits 32
//! out o u32 64
// Subroutines that call others, some under divergent branches, with much alive across the calls.
__attribute__((noinline)) uint mix(uint x, uint y)
{
    x ^= y >> 3;
    x *= 0x9e3779b1u;
    if (x & 4) x = rotate(x, 7u) + y;
    return x ^ x >> 15;
}
__attribute__((noinline)) uint round_(uint x, uint y, uint n)
{
    uint s = 0;
    for (uint i = 0; i <= (n & 3); i++) {
        s += mix(x + i, y);
        if (s & 1) y ^= mix(s, x);
    }
    return s + y;
}
__attribute__((noinline)) uint outer(uint x, uint y)
{
    uint r = round_(x, y, x);
    if (r & 2)
        r = round_(r, x, y) - mix(y, r);
    else if (r & 4)
        return mix(r, r);
    return r + round_(y, r, 2);
}
kernel void sub_nested(global const uint *a, global const uint *b, global uint *o)
{
    uint i = get_global_id(0);
    uint v[24];
    for (uint k = 0; k < 24; k++) v[k] = a[(i + k) & 63] ^ b[(i * 3 + k) & 63];
    uint x = a[i], y = b[i];
    for (uint k = 0; k < 4; k++) {
        if ((x >> k) & 1) x = outer(x, y);
        else y += mix(x, y);
        if (y & 16) y = outer(y, x ^ k);
    }
    uint r = x ^ y;
    for (uint k = 0; k < 24; k++) r = r * 31 + v[k];
    o[i] = r + round_(x, y, r);
}
