// The Mandelbrot set as RGBA8 pixels: a thread draws sixteen pixels of a row, and ends its loop when all have left the circle.
typedef float f16 __attribute__((ext_vector_type(16)));
typedef int i16 __attribute__((ext_vector_type(16)));
typedef unsigned u16 __attribute__((ext_vector_type(16)));
typedef _Bool mask16 __attribute__((ext_vector_type(16)));
typedef __attribute__((address_space(1))) unsigned *pointer;

// An intrinsic is a function with its name as a label.
unsigned group_x(void) __asm__("llvm.genx.group.id.x");
unsigned group_y(void) __asm__("llvm.genx.group.id.y");
_Bool any(mask16) __asm__("llvm.genx.any.v16i1");
void store(unsigned long, u16) __asm__("llvm.genx.svm.block.st.i64.v16i32");
f16 fused(f16, f16, f16) __asm__("llvm.fma.v16f32");

// log2 of floats >= 1 in 1/256ths, straight from their bits.
static i16 log2_256(f16 v) { return ((i16)v - 0x3f800000) >> 15; }

// A bump of height 255 that repeats every 1024 steps: smoothstep up and down.
static u16 wave(i16 t) {
    i16 d = (t & 1023) - 512;
    d = d < 0 ? -d : d;
    i16 w = (d * d * (1536 - 2 * d)) >> 19;
    return (u16)(w < 255 ? w : 255);
}

void genx_mandelbrot(pointer pixels, float x0, float y0, float step, unsigned max_iter, unsigned width) {
    const i16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    unsigned row = group_y(), first = group_x() * 16;
    f16 cx = fused((f16)step, __builtin_convertvector((int)first + lane, f16), (f16)x0);
    f16 cy = fused((f16)step, (f16)(float)row, (f16)y0);
    f16 x = 0, y = 0, r2 = 0;
    i16 n = 0, on = -1;
    for (unsigned i = 0; i < max_iter; i++) {
        f16 t = fused(x, x, cx) - y * y;
        f16 v = fused(x + x, y, cy);
        x = on ? t : x;
        y = on ? v : y;
        f16 r = fused(x, x, y * y);
        r2 = on ? r : r2;
        n = on ? n + 1 : n;
        on = on & ~(r2 > 256.0f);
        if (!any(__builtin_convertvector(on, mask16)))
            break;
    }
    i16 over = log2_256(__builtin_convertvector(log2_256(r2), f16)) - (i16)2816;
    i16 t = n * 256 - over;
    i16 hue = (log2_256(__builtin_convertvector(t > 1 ? t : 1, f16)) - 1930) * 5 / 4;
    u16 colour = wave(hue + 700) | wave(hue + 590) << 8 | wave(hue + 430) << 16;
    u16 rgba = 0xff000000 | (r2 > 256.0f ? colour : (u16)0);
    store((unsigned long)(pixels + row * width + first), rgba);
}
