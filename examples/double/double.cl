// Double precision: arithmetic, division, square root, fma, rounding, compares
// and conversions, all of which OpenCL wants correctly rounded.
#pragma OPENCL FP_CONTRACT OFF

kernel void double_(global const double *a, global const double *b, global const long *c,
                    global double *out, global long *whole, global float *single)
{
    uint i = get_global_id(0), n = get_global_size(0);
    double x = a[i], y = b[i];

    global double *o = out + i;         // one row of n values a result
    *o = x + y;                         o += n;
    *o = x - y;                         o += n;
    *o = x * y;                         o += n;
    *o = x / y;                         o += n;
    *o = sqrt(fabs(x));                 o += n;
    *o = fma(x, y, -(x * y));           o += n;
    *o = 1.0 / y;                       o += n;
    *o = fmin(x, y) - fmax(x, y);       o += n;
    *o = floor(x) + 0.5 * ceil(y);      o += n;
    *o = trunc(x) - rint(y);            o += n;
    *o = (double)c[i];                  o += n;
    *o = (double)as_ulong(c[i]);        o += n;
    *o = (double)(int)c[i] - (uint)c[i];  o += n;
    *o = (double)((float)y * 3.0f);     o += n;
    *o = x < y ? copysign(x, y) : -x;

    global long *w = whole + i;
    *w = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | isnan(x / y - x / y) << 4;  w += n;
    *w = (int)x;                        w += n;
    *w = (uint)fabs(y);                 w += n;
    *w = (long)(x * 65536.0);           w += n;
    *w = (ulong)fabs(y * 1048576.0);    w += n;
    *w = convert_int_rte(x);            w += n;
    *w = convert_int_rtn(y);

    single[i] = (float)x;
    single[n + i] = (float)(x / 3.0);
}
