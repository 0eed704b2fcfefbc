//! global 24 20
//! local 8 4
//! image im image2d rgba8unorm 24x20 bits 8
//! in w f32 25 real -0.2 0.3
//! outimage out image2d rgba32float 24x20; abs 4e-6
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void img_convolve(read_only image2d_t im, constant float *w, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
            sum += w[(y + 2) * 5 + x + 2] * read_imagef(im, s, at + (int2)(x, y));
    write_imagef(out, at, sum);
}
