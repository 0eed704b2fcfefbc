//! global 128
//! local 32
//! in d i32 128 range -3 20
//! out o i32 128
// Switch with fallthrough, nested switch, default in the middle, in a loop.
kernel void k_cf_switch(global const int *d, global int *o)
{
    int i = get_global_id(0), x = d[i], r = 0;
    for (int n = 0; n < 5; n++) {
        switch (x + n) {
        case -1: r += 1;
        case 0: r += 10; break;
        case 3: case 4: case 5: r ^= 0x55; continue;
        default: r += 1000;
        case 7: switch (r & 3) { case 0: r += 2; break; case 1: r *= 3; default: r--; } break;
        case 9: goto out;
        case 11: r <<= 1; break;
        case 15: r += n; if (n & 1) break; r += 5; break;
        case 100: r = -1;
        }
        r += n;
    }
out:
    o[i] = r;
}
