//! devices dg2 pvc bmg ptl
//! global 64
//! local 16
//! in a f16 64 real -400 400
//! in b i32 64 range -70000 70000
//! out c i8 256
//! out u u8 256
//! out s i16 256
//! out h f16 256
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k_xe_saturate(global const half *a, global const int *b, global char *c, global uchar *u, global short *s, global half *h)
{
    size_t i = get_global_id(0);
    half x = a[i];
    c[4*i] = convert_char_sat(x); c[4*i+1] = convert_char_sat_rte(x); c[4*i+2] = convert_char_sat_rtp(x); c[4*i+3] = convert_char_sat_rtn(x * 0.25h);
    u[4*i] = convert_uchar_sat(x); u[4*i+1] = convert_uchar_sat_rte(x * 0.5h); u[4*i+2] = convert_uchar_sat_rtp(-x); u[4*i+3] = convert_uchar_sat_rtn(x);
    s[4*i] = convert_short_sat(x * 100.0h); s[4*i+1] = convert_short_sat_rte(x * 200.0h); s[4*i+2] = convert_short_sat(b[i]); s[4*i+3] = convert_short_sat_rtz(x);
    h[4*i] = convert_half_rte(b[i] / 3); h[4*i+1] = convert_half_rtz(b[i] / 3); h[4*i+2] = convert_half_rtp(b[i] / 5); h[4*i+3] = convert_half_rtn(b[i] / 5);
}
/*py
from fractions import Fraction
def h(x): return struct.unpack('<e', struct.pack('<e', x))[0]
def half(v, way):
    best = None
    near = h(float(v))
    bits = struct.unpack('<H', struct.pack('<e', near))[0]
    around = [struct.unpack('<e', struct.pack('<H', bits + k))[0] for k in (-1, 0, 1) if 0 <= bits + k <= 0xfbff and (bits + k) & 0x7fff < 0x7c00]
    if way == 'e' or near == v: return near
    if way == 'z': way = 'n' if v > 0 else 'p'
    return max(x for x in around if x <= v) if way == 'n' else min(x for x in around if x >= v)
def expect(args):
    import math
    clamp = lambda v, low, high: max(low, min(high, v))
    c, u, s, o = [], [], [], []
    div = lambda b, n: abs(b) // n * (1 if b > 0 else -1)
    for x, b in zip(args[0], args[1]):
        i8 = lambda v: clamp(v, -128, 127)
        u8 = lambda v: clamp(v, 0, 255)
        i16 = lambda v: clamp(v, -32768, 32767)
        c += [i8(int(x)), i8(round(x)), i8(math.ceil(x)), i8(math.floor(h(x * 0.25)))]
        u += [u8(int(x)), u8(round(h(x * 0.5))), u8(math.ceil(-x)), u8(math.floor(x))]
        big = lambda v: 65536.0 * (1 if v > 0 else -1) if abs(v) >= 65520 else h(v)
        s += [i16(int(big(x * 100))), i16(round(big(x * 200))), i16(b), i16(int(x))]
        o += [half(div(b, 3), 'e'), half(div(b, 3), 'z'), half(div(b, 5), 'p'), half(div(b, 5), 'n')]
    return {2: c, 3: u, 4: s, 5: o}
*/
