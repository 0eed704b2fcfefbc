//! global 32 16
//! local 8 8
//! in a u8 512 bits 1
//! out b u8 512
kernel void life(global const uchar *a, global uchar *b)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += a[((y + dy) & 15) * 32 + ((x + dx) & 31)];
    b[y * 32 + x] = n == 3 || (n == 2 && a[y * 32 + x]);
}
