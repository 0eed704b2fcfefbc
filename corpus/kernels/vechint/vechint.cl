//! global 32
//! local 16
//! in a f32 128 real -9 9
//! out o f32 128; ulp 2 abs 1e-6
__attribute__((vec_type_hint(float4))) __attribute__((reqd_work_group_size(16, 1, 1)))
kernel void vechint(global const float4 *a, global float4 *o)
{
    uint i = get_global_id(0);
    float4 v = a[i];
    o[i] = v * v.yzwx + (float4)(1, 2, 3, 4) / (fabs(v) + 1.0f);
}
