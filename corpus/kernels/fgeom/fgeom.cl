//! global 32
//! local 16
//! in a f32 128 real -4 4
//! in b f32 128 real -4 4
//! out o f32 288; ulp 16 abs 1e-5
kernel void k_fgeom(global const float4 *pa, global const float4 *pb, global float *o)
{
    size_t i = get_global_id(0);
    float4 a = pa[i], b = pb[i];
    o += i * 9;
    o[0] = dot(a, b);
    o[1] = length(a);
    o[2] = distance(a.xyz, b.xyz);
    float3 c = cross(a.xyz, b.xyz);
    o[3] = c.x; o[4] = c.y; o[5] = c.z;
    float4 n = normalize(a);
    o[6] = n.x + n.w;
    o[7] = fast_length(b.xy);
    float2 q = fast_normalize(b.xy);
    o[8] = q.x * q.y;
}
