//! global 96
//! local 32
//! in d i32 96 range -9 9
//! inout hits i32 96 list 0
//! out o i32 96
// Short circuits with side effects; the comma and the conditional operator.
int touch(global int *h, int v) { *h += v; return v; }
kernel void k_cf_short(global const int *d, global int *hits, global int *o)
{
    int i = get_global_id(0), v = d[i], r = 0;
    global int *h = hits + i;
    if (v > 0 && touch(h, v) > 3 || v < -4 && touch(h, 1 - v) > 7) r |= 1;
    if ((v & 1 || touch(h, 100)) && !(v == 3 || (touch(h, 1000), v > 5))) r |= 2;
    r += v > 2 ? v > 4 ? touch(h, 5) : touch(h, 6) : v < -2 ? 70 : touch(h, 8);
    o[i] = r;
}
