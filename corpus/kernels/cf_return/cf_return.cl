//! global 96
//! local 24
//! in d i32 96 range 0 1000
//! inout o i32 96 iota
// Early returns out of nested divergent loops.
kernel void k_cf_return(global const int *d, global int *o)
{
    int i = get_global_id(0), x = d[i];
    if (x < 100) return;
    for (int a = 0; a < 20; a++) {
        if (a * 50 > x) { o[i] = a; return; }
        for (int b = 0; b < a; b++)
            if (((x + b) & 31) == a) { o[i] = -b - 1; return; }
    }
    o[i] += 7000;
}
