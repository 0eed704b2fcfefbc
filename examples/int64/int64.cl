// 64-bit integer arithmetic: the carries, products, shifts and divisions that
// 32-bit lanes have to put together.
kernel void int64(global const ulong *a, global const ulong *b, global ulong *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    ulong x = a[i], y = b[i], d = y | 1;
    long sx = as_long(x), sy = as_long(y), sd = (sy >> 24) | 1;
    if (sd == -1)
        sd = -3;                        // LONG_MIN / -1 has no result

    global ulong *o = out + i;          // one row of n words a result
    *o = x + y;                         o += n;
    *o = x - y;                         o += n;
    *o = x * y;                         o += n;
    *o = (ulong)(uint)x * (uint)y;      o += n;
    *o = (long)(int)x * (int)y;         o += n;
    *o = x << (y & 63);                 o += n;
    *o = x >> (y & 63);                 o += n;
    *o = sx >> (y & 63);                o += n;
    *o = rotate(x, y);                  o += n;
    *o = (x & y) ^ ~(x | (y << 7));     o += n;
    *o = x / d;                         o += n;
    *o = x % d;                         o += n;
    *o = sx / sd;                       o += n;
    *o = sx % sd;                       o += n;
    *o = (x < y) | (sx < sy) << 1 | (x == y) << 2 | (sx >= 0) << 3;  o += n;
    *o = max(x, y) - min(sx, sy);       o += n;
    *o = x > y ? -x : ~y;               o += n;
    *o = mul_hi(x, y);                  o += n;
    *o = add_sat(sx, sy);               o += n;
    *o = popcount(x) + (clz(y) << 8);   o += n;
    *o = (long)(char)x + (ushort)y + (int)(x >> 32);
}
