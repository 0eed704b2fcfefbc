// A 3x3 filter over a picture in a buffer; pixels past the border repeat the
// nearest one. Groups of 10x3 items leave the last thread partly empty.
kernel void convolution(global const float *in, global float *out, constant float *weights,
                        int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
            sum += in[sy * width + sx] * weights[(dy + 1) * 3 + dx + 1];
        }
    out[y * width + x] = sum;
}
