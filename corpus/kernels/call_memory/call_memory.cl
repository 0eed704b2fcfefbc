//! global 64
//! local 32
//! stack
//! in a i32 64 range -1000 1000
//! in table u8 256 range 0 255
//! out o i32 64
//! inout count u32 4 range 0 3
// Functions that use memory of all kinds, barriers, atomics, and constants of the program.
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__attribute__((noinline)) int hash(global const uchar *table, int n)
{
    uint h = 17;
    for (int i = 0; i < 4; i++) h = h * 31 + table[(n >> (i * 8)) & 255];
    return h ^ primes[n & 7];
}
__attribute__((noinline)) int exchange(local int *shared, int value)
{
    uint i = get_local_id(0);
    shared[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[(i + 5) % 32];
    barrier(CLK_LOCAL_MEM_FENCE);
    return other - shared[31 - i];
}
__attribute__((noinline)) void tally(global uint *count, int value)
{
    if (value & 1)
        atomic_add(count + (value >> 1 & 1), 1);
    else
        atomic_max(count + 2, (uint)value & 0xffff);
}
kernel void call_memory(global const int *a, global const uchar *table, global int *o, global uint *count)
{
    local int shared[32];
    uint i = get_global_id(0);
    int h = hash(table, a[i]);
    int x = exchange(shared, h);
    tally(count, h);
    if (x > 0) x = hash(table, x);
    o[i] = x + exchange(shared, x);
}
