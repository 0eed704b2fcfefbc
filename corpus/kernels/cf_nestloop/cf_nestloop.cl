//! global 65
//! local 13
//! in d u32 65 range 0 9
//! out o u32 65
// Four divergent loops inside each other.
kernel void k_cf_nestloop(global const uint *d, global uint *o)
{
    uint i = get_global_id(0), x = d[i], r = 1;
    for (uint a = 0; a <= x; a++)
        for (uint b = a; b < x; b += 1 + (a & 1))
            for (uint c = x; c > b; c--) {
                uint e = c;
                do { r = r * 5 + e; if (r % 11 == 3) break; } while (--e > a + 1);
                if (r % 17 == 4) c = c > 2 ? c - 2 : 1;
            }
    o[i] = r;
}
