//! global 40 13
//! local 8 13
//! image im image2d rgba8unorm 17x9 bits 8
//! sampler normalized,edge,linear
//! outimage out image2d rgba32float 40x13; abs 4e-6
kernel void img_resize(read_only image2d_t im, sampler_t s, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = convert_float2(get_image_dim(im)) * 0.0f + (float2)(40, 13);
    write_imagef(out, at, read_imagef(im, s, (convert_float2(at) + 0.5f) / size));
}
