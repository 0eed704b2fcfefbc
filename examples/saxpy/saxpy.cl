// y = a * x + y on n elements. The global size is rounded up, so the last
// thread runs with some of its lanes switched off.
kernel void saxpy(global const float *x, global float *y, float a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
