//! global 16
//! local 16
//! inout d i32 640 range -500 500
kernel void quicksort(global int *d)
{
    int lo[16], hi[16], n = 1;
    global int *a = d + get_global_id(0) * 40;
    lo[0] = 0; hi[0] = 39;
    while (n) {
        int l = lo[--n], h = hi[n];
        while (l < h) {
            int p = a[(l + h) >> 1], i = l, j = h;
            while (i <= j) {
                while (a[i] < p) i++;
                while (a[j] > p) j--;
                if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
            }
            if (j - l < h - i) { if (i < h) { lo[n] = i; hi[n++] = h; } h = j; }
            else { if (l < j) { lo[n] = l; hi[n++] = j; } l = i; }
        }
    }
}
