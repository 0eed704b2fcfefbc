//! global 1
//! local 1
//! note what a kernel can ask of its images and samplers
//! image a image2d bgra8unorm 7x5 bits 8
//! image b image3d rgba16float 3x4x5 real -1 1
//! image c image1d r32sint 11 bits 32
//! image d image2d_array rgba8uint 6x5x3 bits 8
//! out o i32 16
kernel void img_dims(read_only image2d_t a, read_only image3d_t b, read_only image1d_t c, read_only image2d_array_t d,
    global int *o)
{
    o[0] = get_image_width(a); o[1] = get_image_height(a);
    o[2] = get_image_channel_order(a); o[3] = get_image_channel_data_type(a);
    o[4] = get_image_width(b); o[5] = get_image_height(b); o[6] = get_image_depth(b);
    o[7] = get_image_channel_order(b); o[8] = get_image_channel_data_type(b);
    o[9] = get_image_width(c); o[10] = get_image_channel_data_type(c);
    o[11] = get_image_width(d); o[12] = get_image_height(d); o[13] = (int)get_image_array_size(d);
    o[14] = get_image_dim(a).y; o[15] = get_image_dim(b).z;
}
