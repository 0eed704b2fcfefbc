//! global 32
//! local 16
//! in d f32 96 real -5 5
//! out o f32 96; ulp 2 abs 1e-5
typedef struct { float pos[3]; int tag; short s; char c; } item;
kernel void k_priv_struct(global const float *d, global float *o)
{
    int i = get_global_id(0);
    item it[4];
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 3; j++) it[k].pos[j] = d[(i * 3 + j + k) % 96];
        it[k].tag = (i + k * 3) & 3; it[k].s = k * 100; it[k].c = i;
    }
    int w = i & 3;
    for (int k = 0; k < 6; k++) { w = it[w].tag; it[w].pos[k % 3] += it[(w + 1) & 3].s * 0.5f + it[w].c; }
    for (int j = 0; j < 3; j++) o[i * 3 + j] = it[w].pos[j] + it[i & 3].pos[2 - j];
}
