__attribute__((noinline)) int steps(int n)
{
    int count = 0;
    while (n != 1 && count < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        count++;
    }
    return count;
}
__attribute__((noinline)) int twice(int n)
{
    return steps(n) + steps(n + 1);
}
kernel void first(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    o[i] = steps(a[i] & 63 | 1);
}
kernel void second(global const int *a, global int *o)
{
    uint i = get_global_id(0);
    o[i] = a[i] & 1 ? twice(a[i] & 31 | 1) : steps(a[i] & 15 | 1);
}
