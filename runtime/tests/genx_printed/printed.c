/* The calls of printed.ll, as C has them: cc printed.c && ./a.out > printed.txt. Vectors are their elements with commas, and a null
   text is what the driver prints for it. */
#include <stdint.h>
#include <stdio.h>

static void report(float x, uint32_t n) { printf("called with %g, %u\n", x, n); }

int main(void) {
    int n = 7;
    long l = 0x123456789ab;
    float f = 3.140625f;
    printf("100%% of %% is no %%d.\n");
    printf("%d %5u %-6x|%#o %c %hhd\n", -n, n, n, n, n + 58, -n);
    printf("%ld %llu %#lX %20i\n", -l, (unsigned long long)-l, l, n);
    printf("%f %e %G %a %+.3f %010.2f\n", f, 1.0e-10, f, f, f, -2.5e3);
    printf("[%s] [%10s] [%s]\n", "odd", "dd", "(null)");
    printf("%p %p\n", (void *)l, (void *)0);
    printf("%d,%d,%d,%d %.2f,%.2f %hd,%hd,%hd %#lx,%#lx\n", 1, -n, 3, 4, f, 0.25f, 1, 2, -n, 10L, l);
    for (int i = 0; i < n; i++)
        printf("round %d: %s\n", i, i % 2 ? "odd" : "even");
    report(f, n);
    return 0;
}
