//! global 16 4
//! local 16 1
//! options -cl-std=CL2.0
//! note one image read and written
//! inoutimage im image2d rgba16float 16x4 real -2 2
/*py
def expect(args):
    return {0: [2.0 * v for v in args[0]]}
*/
kernel void img_readwrite(read_write image2d_t im)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(im, at, read_imagef(im, at) * 2.0f);
}
