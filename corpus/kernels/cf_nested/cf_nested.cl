//! global 96
//! local 32
//! in d i32 96 range 0 1000
//! out o i32 192
// Deeply nested divergent branches and loops with break and continue.
kernel void k_cf_nested(global const int *d, global int *o)
{
    int i = get_global_id(0), x = d[i], acc = 0, steps = 0;
    for (int a = 0; a < (x & 7) + 1; a++) {
        if ((x >> a) & 1) {
            for (int b = a; ; b++) {
                steps++;
                if (b > 6) break;
                if (b == 3) continue;
                if ((x ^ b) % 5 == 0) {
                    int c = b;
                    while (c < 12) {
                        c += 1 + (x & 1);
                        if (c == 9) goto done;
                        if (c & 2) { acc += c; continue; }
                        acc ^= c << 2;
                    }
                } else if (b & 1) {
                    acc += 3;
                } else
                    acc -= a;
            }
        } else {
            if (x % 3 == 0) { if (x % 7 == 1) { if (x & 64) acc += 1000; else acc += 17; } else acc--; }
            else do { acc += a; steps += 2; } while (acc < 10 && steps < 30);
        }
    }
done:
    o[2 * i] = acc;
    o[2 * i + 1] = steps;
}
