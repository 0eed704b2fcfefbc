//! global 64 4
//! local 16 2
//! in d i32 64 range -50 50
//! val i32 7
//! out o i32 256
// Uniform branches and loops around divergent ones and the other way round.
kernel void k_cf_uniform(global const int *d, int n, global int *o)
{
    int x = get_global_id(0), y = get_global_id(1), v = d[x], r = 0;
    for (int k = 0; k < n; k++) {
        if (get_group_id(1) & 1) {
            if (v > k) { r += k; if (n > 5) r += 2; else r -= 100; }
        } else {
            for (int j = 0; j < (v & 3); j++) { r += n * j; if (k == 3) break; }
        }
        if (n == k + 1) r ^= get_group_id(0);
        if (v < 0) { for (int q = 0; q < n; q++) { if (q == 4) continue; r += q ^ y; } }
    }
    o[y * 64 + x] = r;
}
