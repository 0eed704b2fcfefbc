//! global 16
//! local 16
//! in a f64 16 real -100 100
//! out o f64 16
// Round to nearest: uses mad with a scalar and unaligned-looking regions of double.
kernel void rint_double(global const double *a, global double *o)
{
    size_t i = get_global_id(0);
    o[i] = rint(a[i]);
}
