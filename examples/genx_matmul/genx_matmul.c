// A product of matrices of floats, 64 by 64: a thread computes eight rows of sixteen columns in registers.
typedef float f8 __attribute__((ext_vector_type(8)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef __attribute__((address_space(1))) const float *input;
typedef __attribute__((address_space(1))) float *output;
enum { SIZE = 64, ROWS = 8, COLUMNS = 16, DEPTH = 8 };

// An intrinsic is a function with its name as a label.
unsigned group_x(void) __asm__("llvm.genx.group.id.x");
unsigned group_y(void) __asm__("llvm.genx.group.id.y");
f8 load8(unsigned long) __asm__("llvm.genx.svm.block.ld.unaligned.v8f32.i64");
f16 load16(unsigned long) __asm__("llvm.genx.svm.block.ld.unaligned.v16f32.i64");
void store16(unsigned long, f16) __asm__("llvm.genx.svm.block.st.i64.v16f32");
f16 fused(f16, f16, f16) __asm__("llvm.fma.v16f32");

void genx_matmul(input a, input b, output c) {
    unsigned row = group_y() * ROWS, column = group_x() * COLUMNS;
    f16 sum[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        sum[i] = 0;
    for (unsigned k = 0; k < SIZE; k += DEPTH) {
        f8 left[ROWS];
        f16 right[DEPTH];
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            left[i] = load8((unsigned long)(a + (row + i) * SIZE + k));
#pragma unroll
        for (int j = 0; j < DEPTH; j++)
            right[j] = load16((unsigned long)(b + (k + j) * SIZE + column));
#pragma unroll
        for (int j = 0; j < DEPTH; j++)
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                sum[i] = fused((f16)left[i][j], right[j], sum[i]);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        store16((unsigned long)(c + (row + i) * SIZE + column), sum[i]);
}
