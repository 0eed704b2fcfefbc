//! global 40
//! local 20
//! in rows u32 41 list 0 3 3 8 9 14 20 21 27 30 34 35 35 40 46 47 50 55 60 61 66 70 71 75 80 83 88 90 95 99 100 104 105 110 114 115 120 121 125 126 127 128
//! in cols u32 128 range 0 39
//! in vals f32 128 real -2 2
//! in x f32 40 real -1 1
//! out y f32 40; ulp 4 abs 2e-6
kernel void spmv(global const uint *rows, global const uint *cols, global const float *vals, global const float *x, global float *y)
{
    uint i = get_global_id(0);
    float s = 0.0f;
    for (uint k = rows[i]; k < rows[i + 1]; k++) s += vals[k] * x[cols[k]];
    y[i] = s;
}
