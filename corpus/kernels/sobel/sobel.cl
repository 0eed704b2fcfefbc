//! global 40 30
//! local 8 5
//! in a u8 1200 bits 8
//! out o u8 1200
kernel void sobel(global const uchar *a, global uchar *o)
{
    int x = get_global_id(0), y = get_global_id(1), gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < 39 && y < 29) {
        for (int d = -1; d <= 1; d++) {
            int w = 2 - abs(d);
            gx += w * (a[(y + d) * 40 + x + 1] - a[(y + d) * 40 + x - 1]);
            gy += w * (a[(y + 1) * 40 + x + d] - a[(y - 1) * 40 + x + d]);
        }
    }
    o[y * 40 + x] = convert_uchar_sat(abs(gx) + abs(gy));
}
