//! global 16 2
//! local 16 1
//! note reads and writes of halves
//! image im image2d rgba8unorm 16x2 list 0 51 102 255 153 204
//! sampler edge,nearest
//! outimage out image2d rgba16float 16x2
/*py
def expect(args):
    half = lambda v: struct.unpack("<e", struct.pack("<e", v))[0]
    single = lambda v: struct.unpack("<f", struct.pack("<f", v))[0]
    return {2: [half(single(v / 255)) for v in args[0]]}
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half4 __attribute__((overloadable)) read_imageh(read_only image2d_t, sampler_t, float2);
kernel void img_half(read_only image2d_t im, sampler_t s, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    half4 v = read_imageh(im, s, convert_float2(at) + 0.5f);
    write_imagef(out, at, convert_float4(v));
}
