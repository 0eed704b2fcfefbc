// Lines matter here: the tests count them.
inline float scaled(__global const float *x, int i, float a) {
  return x[i] * a;
}

__kernel void sum(__global float *y, __global const float *x, float a, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float v = scaled(x, i, a);
    if (v > 1.0f)
      v += x[i + n];
    y[i] = v;
  }
}
