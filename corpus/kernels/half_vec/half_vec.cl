//! global 32
//! local 8
//! in a f16 128 real -8 8
//! in b f16 128 real -4 4
//! out o f16 384; ulp 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k_half_vec(global const half4 *pa, global const half4 *pb, global half4 *o)
{
    size_t i = get_global_id(0);
    half4 a = pa[i], b = pb[i];
    o[3 * i] = a + b.wzyx;
    o[3 * i + 1] = (half4)(a.x, b.y, a.z * b.w, (half)1.5h);
    float4 f = convert_float4(a) * 2.0f;
    o[3 * i + 2] = convert_half4(f);
}
/*py
def h(x): return struct.unpack('<e', struct.pack('<e', x))[0]
def expect(args):
    o = []
    for i in range(32):
        a, b = args[0][4*i:4*i+4], args[1][4*i:4*i+4]
        o += [h(x + y) for x, y in zip(a, b[::-1])] + [a[0], b[1], h(a[2]*b[3]), 1.5] + [2*x for x in a]
    return {2: o}
*/
