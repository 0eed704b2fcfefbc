//! devices dg2 pvc bmg ptl
//! global 256
//! local 32
//! options -cl-std=CL3.0
//! note conversions to and from bf16, rounded to nearest even
//! in a f32 256 fedges
//! in b u16 256 edges
//! out o u16 256
//! out f u32 256
/*py
def expect(args):
    a, b, o, f = args[0], args[1], [0] * 256, [0] * 256
    for i in range(256):
        v = struct.unpack("<I", struct.pack("<f", a[i]))[0]
        if v & 0x7fffffff > 0x7f800000:
            o[i] = 0x7fc0
        else:
            o[i] = (v + 0x7fff + (v >> 16 & 1)) >> 16
        # Denormals are zeros, what is not a number is quiet.
        w = b[i] << 16
        f[i] = w
    return {2: o, 3: f}
*/
kernel void xe_convert(global const float *a, global const ushort *b, global ushort *o, global uint *f)
{
    int i = get_global_id(0);
    ushort r = intel_convert_bfloat16_as_ushort(a[i]);
    o[i] = (r & 0x7fff) > 0x7f80 ? 0x7fc0 : r;
    f[i] = as_uint(intel_convert_as_bfloat16_float(b[i]));
}
