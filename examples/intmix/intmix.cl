// Integer arithmetic of 8, 16 and 32 bits: division, shifts, rotation,
// saturation, high halves of products, and counting bits.
kernel void intmix(global const uint *a, global const uint *b,
                   global uint *out32, global ushort *out16, global uchar *out8)
{
    uint i = get_global_id(0), n = get_global_size(0);
    uint x = a[i], y = b[i], d = y | 1;
    int sx = as_int(x), sy = as_int(y), sd = (sy >> 8) | 1;
    if (sd == -1)
        sd = -3;                        // INT_MIN / -1 has no result

    global uint *o = out32 + i;         // one row of n words a result
    *o = x / d;                         o += n;
    *o = x % d;                         o += n;
    *o = sx / sd;                       o += n;
    *o = sx % sd;                       o += n;
    *o = x / 10;                        o += n;
    *o = sx % 1000;                     o += n;
    *o = x << (y & 31);                 o += n;
    *o = x >> (y & 31);                 o += n;
    *o = sx >> (y & 31);                o += n;
    *o = rotate(x, y);                  o += n;
    *o = mul_hi(x, y);                  o += n;
    *o = mul_hi(sx, sy);                o += n;
    *o = mad24(x & 0xfff, y & 0xfff, x);  o += n;
    *o = add_sat(x, y);                 o += n;
    *o = sub_sat(x, y);                 o += n;
    *o = add_sat(sx, sy);               o += n;
    *o = sub_sat(sx, sy);               o += n;
    *o = popcount(x);                   o += n;
    *o = clz(x);                        o += n;
    *o = abs_diff(sx, sy);              o += n;
    *o = hadd(x, y);                    o += n;
    *o = rhadd(sx, sy);                 o += n;
    *o = clamp(sx, -1000, 1000);        o += n;
    *o = (x & y) ^ ~(x | sy);           o += n;
    *o = x > y ? x * y : x - y;         o += n;
    *o = as_uint(convert_uchar4_sat(as_char4(x)) + as_uchar4(y));  o += n;
    *o = convert_short_sat(sx) * convert_ushort_sat(sy);

    ushort ux = x, uy = y;
    short hx = x, hy = y;
    out16[i] = add_sat(ux, uy);
    out16[n + i] = sub_sat(hx, hy);
    out16[2 * n + i] = mul_hi(hx, hy);
    out16[3 * n + i] = rotate(ux, uy);
    out16[4 * n + i] = ux / (ushort)(uy | 1);
    out16[5 * n + i] = popcount(ux) + (clz(uy) << 8);

    uchar cx = x, cy = y;
    char bx = x, by = y;
    out8[i] = add_sat(bx, by);
    out8[n + i] = sub_sat(cx, cy);
    out8[2 * n + i] = bx % (char)(by & 0x7e | 1);
    out8[3 * n + i] = bx >> (cy & 7);
    out8[4 * n + i] = mul_hi(cx, cy);
    out8[5 * n + i] = max(bx, by) - min(cx, cy);
}
