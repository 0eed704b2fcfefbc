/* Conversions with random flags, widths and precisions, and the texts that glibc gives them: cc printf.c -lm && ./a.out | sort -u >
   printf.txt. A line has the conversion, the kind of its value (i, f, p or s), the value, and the text. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ONE_OF(array) (array)[below(COUNT(array))]

static const char *FLAGS[] = {"", "-", "+", " ", "#", "0", "-0", "+0", "# ", "#0", "-#", "+#0"};
static const char *WIDTHS[] = {"", "1", "7", "24"};
static const char *PRECISIONS[] = {"", ".", ".0", ".1", ".3", ".9", ".17"};
static const char *SHORT[] = {"", "hh", "h"};
static const int INTS[] = {0, 1, -1, 42, -128, 255, 32768, INT32_MAX, INT32_MIN};
static const long LONGS[] = {0, -1, 5000000000, INT64_MIN};
static const double FLOATS[] = {0.0,    -0.0,     1.0,  -1.5, 0.1,  2.5,      3.5,     1e-5,   9.9999e-5,
                                123456, 999999.5, 1e6,  1e22, 0.5,  5e-324,   1e-4,    100.0,  1.7976931348623157e308,
                                1.96875, 1.03125, 1234567.891, INFINITY, -INFINITY, NAN, 2.2250738585072014e-308};

static unsigned below(unsigned limit) {
    static unsigned state = 1;
    state = state * 1103515245u + 12345u;
    return (state >> 16) % limit;
}

int main(void) {
    char format[64], text[4096];
    for (int i = 0; i < 120; i++) {
        int value = ONE_OF(INTS);
        snprintf(format, sizeof format, "%%%s%s%s%s%c", ONE_OF(FLAGS), ONE_OF(WIDTHS), ONE_OF(PRECISIONS), ONE_OF(SHORT), "diouxX"[below(6)]);
        snprintf(text, sizeof text, format, value);
        printf("%s|i|%d|%s\n", format, value, text);
    }
    for (int i = 0; i < 120; i++) {
        long value = ONE_OF(LONGS);
        snprintf(format, sizeof format, "%%%s%s%s%s%c", ONE_OF(FLAGS), ONE_OF(WIDTHS), ONE_OF(PRECISIONS), i % 2 ? "l" : "ll", "diouxX"[below(6)]);
        snprintf(text, sizeof text, format, value);
        printf("%s|i|%ld|%s\n", format, value, text);
    }
    for (int i = 0; i < 600; i++) {
        double value = ONE_OF(FLOATS);
        char kind = "fFeEgGaA"[below(8)];
        snprintf(format, sizeof format, "%%%s%s%s%c", ONE_OF(FLAGS), ONE_OF(WIDTHS), ONE_OF(PRECISIONS), kind);
        if (fabs(value) > 1e100 && isfinite(value) && (kind == 'f' || kind == 'F'))
            continue;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        snprintf(text, sizeof text, format, value);
        printf("%s|f|%lx|%s\n", format, bits, text);
    }
    for (int i = 0; i < 20; i++) {
        const char *left = i % 2 ? "-" : "", *width = ONE_OF(WIDTHS);
        snprintf(format, sizeof format, "%%%s%s%ss", left, width, ONE_OF(PRECISIONS));
        snprintf(text, sizeof text, format, "words");
        printf("%s|s|words|%s\n", format, text);
        snprintf(format, sizeof format, "%%%s%sc", left, width);
        snprintf(text, sizeof text, format, 'A');
        printf("%s|i|65|%s\n", format, text);
        uint64_t address = i % 3 ? 0xabc0123456789 : 0;
        snprintf(format, sizeof format, "%%%s%sp", left, width);
        snprintf(text, sizeof text, format, (void *)address);
        printf("%s|p|%lx|%s\n", format, address, text);
    }
    return 0;
}
