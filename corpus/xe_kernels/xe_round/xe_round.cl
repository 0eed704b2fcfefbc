//! devices pvc bmg ptl
//! global 128
//! local 32
//! options -cl-std=CL3.0
//! note conversions to tf32, to a half with random bits added, and to bf8 both ways
//! in a f32 128 fedges 3
//! in r u16 128 bits 16
//! out t u32 128
//! out h u16 128
//! out b u8 128
//! in q u16 128 bits 16
//! out d u16 128
/*py
import math
def expect(args):
    a, r, t = args[0], args[1], [0] * 128
    for i in range(128):
        v = struct.unpack("<I", struct.pack("<f", a[i]))[0]
        t[i] = v & 0xffffe000 if v & 0x7f800000 == 0x7f800000 else (v + 0xfff + (v >> 13 & 1)) & 0xffffe000
        if v & 0x7fffffff > 0x7f800000: t[i] = 0x7fc00000
    h, b = [0] * 128, [0] * 128
    # The numbers that a format has below some magnitude, rounded toward zero.
    def cut(v, bits, lowest):
        if v == 0: return 0.0
        e = max(math.frexp(abs(v))[1] - bits, lowest)
        return math.copysign(math.ldexp(math.floor(math.ldexp(abs(v), -e)), e), v)
    def half(v):
        sign = 0x8000 if math.copysign(1, v) < 0 else 0
        if v != v: return 0x7e00
        if abs(v) >= 65536: return sign | 0x7c00
        return struct.unpack("<H", struct.pack("<e", cut(v, 11, -24)))[0]
    def single(v): return struct.unpack("<f", struct.pack("<I", v))[0]
    for i in range(128):
        v = struct.unpack("<I", struct.pack("<f", a[i]))[0]
        finite = v & 0x7f800000 != 0x7f800000
        h[i] = half(single(v + (r[i] & 0x1fff)) if finite else a[i])
        w = args[5][i]
        finite = w & 0x7c00 != 0x7c00
        b[i] = 0x7e if w & 0x7fff > 0x7c00 else (w + (r[i] & 0xff if finite else 0)) >> 8
    d = [v << 8 & 0xff00 for v in r]
    return {2: t, 3: h, 4: b, 6: [0x7e00 if v & 0x7fff > 0x7c00 else v for v in d]}
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half __attribute__((overloadable)) intel_convert_half_srnd(float v, ushort random);
half __attribute__((overloadable)) intel_convert_bf8_to_f16(char v);
uchar __attribute__((overloadable)) intel_convert_bfloat8_as_uchar_srnd(half v, uchar random);
kernel void xe_round(global const float *a, global const ushort *r, global uint *t, global ushort *h, global uchar *b, global const ushort *q, global ushort *d)
{
    int i = get_global_id(0);
    uint v = as_uint(intel_convert_tfloat32_as_float(a[i]));
    t[i] = (v & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : v;
    ushort w = as_ushort(intel_convert_half_srnd(a[i], r[i]));
    h[i] = (w & 0x7fff) > 0x7c00 ? 0x7e00 : w;
    half x = as_half(q[i]);
    uchar n = intel_convert_bfloat8_as_uchar_srnd(x, (uchar)r[i]);
    b[i] = (n & 0x7f) > 0x7c ? 0x7e : n;
    ushort y = as_ushort(intel_convert_bf8_to_f16(as_char((uchar)r[i])));
    d[i] = (y & 0x7fff) > 0x7c00 ? 0x7e00 : y;
}
