//! global 80
//! local 40
//! in d u32 80 bits 12
//! out o u32 400
// Loops that exit at different iterations with many values live out.
kernel void k_cf_liveout(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), x = d[i] | 1, a = 1, b = 2, c = 3, n = 0, last = 0;
    while (x != 1) {
        last = x;
        a = a * 3 + b; b ^= c + n; c = rotate(c, 5u) + a;
        x = x & 1 ? 3 * x + 1 : x >> 1;
        if (++n > 60) { c = ~c; break; }
        if (x % 13 == 5) { b += 77; if (n > 20) break; }
    }
    o += 5 * i;
    o[0] = a; o[1] = b; o[2] = c; o[3] = n; o[4] = last ^ x;
}
