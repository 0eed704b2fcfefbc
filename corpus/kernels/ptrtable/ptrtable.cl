//! global 32
//! local 16
//! in a i32 32 bits 10
//! in b i32 32 bits 10
//! in c i32 32 bits 10
//! out o i32 32
// Pointers chosen by data, and pointer arithmetic with negative steps.
kernel void ptrtable(global const int *a, global const int *b, global const int *c, global int *o)
{
    int i = get_global_id(0);
    global const int *p = a[i] & 1 ? b + 31 - i : a[i] & 2 ? c + i : a;
    int s = 0;
    for (int k = 0; k < 5; k++) { s = s * 3 + *p; p = s & 1 ? a + (s & 31) : s & 2 ? b + (s >> 3 & 31) : c + k; }
    o[i] = s;
}
