//! global 64
//! local 16
//! in a f16 64 real -8 8
//! in b f16 64 real -4 4
//! out o f16 768; ulp 1
//! out c i32 512
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k_half_arith(global const half *pa, global const half *pb, global half *o, global int *c)
{
    size_t i = get_global_id(0);
    half a = pa[i], b = pb[i];
    o += 12 * i;
    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = -a; o[4] = fabs(b); o[5] = fmin(a, b); o[6] = fmax(a, b);
    o[7] = a < b ? a : b; o[8] = floor(a); o[9] = a * b + a; o[10] = (half)(float)i; o[11] = a / (b + (half)8.0h);
    c += 8 * i;
    c[0] = a < b; c[1] = a == b; c[2] = (int)a; c[3] = (short)b; c[4] = as_short(a); c[5] = isnan(a); c[6] = (uint)fabs(a); c[7] = convert_int_rte(b);
}
/*py
def h(x): return struct.unpack('<e', struct.pack('<e', x))[0]
def expect(args):
    import math
    o, c = [], []
    for i, (a, b) in enumerate(zip(args[0], args[1])):
        o += [h(a + b), h(a - b), h(a * b), -a, abs(b), min(a, b), max(a, b), a if a < b else b, float(math.floor(a)),
              h(h(a * b) + a), float(i), h(a / h(b + 8.0))]
        c += [a < b, a == b, int(a), int(b), struct.unpack('<h', struct.pack('<e', a))[0], 0, int(abs(a)), round(b)]
    return {2: o, 3: c}
*/
