// The Mandelbrot set as RGBA8 pixels. Lanes leave the loop at different times;
// the smooth palette is integer arithmetic only, so every device draws the same.
#pragma OPENCL FP_CONTRACT OFF

// log2 of a float >= 1 in 1/256ths, straight from its bits.
static int log2_256(float v)
{
    return (as_int(v) - 0x3f800000) >> 15;
}

// A bump of height 255 that repeats every 1024 steps: smoothstep up and down.
static uint wave(int t)
{
    int d = abs((t & 1023) - 512);
    return min((d * d * (1536 - 2 * d)) >> 19, 255);
}

kernel void mandelbrot(global uint *pixels, float x0, float y0, float step, uint max_iter)
{
    uint px = get_global_id(0), py = get_global_id(1);
    float cx = fma(step, (float)px, x0);
    float cy = fma(step, (float)py, y0);

    float x = 0.0f, y = 0.0f, r2 = 0.0f;
    uint n = 0;
    while (n < max_iter) {
        float t = fma(x, x, cx) - y * y;
        y = fma(x + x, y, cy);
        x = t;
        r2 = fma(x, x, y * y);
        n++;
        if (r2 > 256.0f)
            break;
    }

    uint rgba = 0xff000000;
    if (r2 > 256.0f) {
        // Steps taken in 1/256ths, less how far past the circle the last one went.
        int over = log2_256((float)log2_256(r2)) - log2_256(8.0f * 256.0f);
        int t = (int)n * 256 - over;
        // Colours turn with the logarithm of the steps: calm outside, busy at the rim.
        int hue = (log2_256((float)max(t, 1)) - 1930) * 5 / 4;
        rgba |= wave(hue + 700) | wave(hue + 590) << 8 | wave(hue + 430) << 16;
    }
    pixels[py * get_global_size(0) + px] = rgba;
}
