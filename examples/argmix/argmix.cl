// An argument of every kind: each scalar type, vectors by value, local memory,
// buffers; and a private array with an index that is only known at run time.
kernel void argmix(char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul,
                   float f, double d, float4 f4, int3 i3, local int *shared,
                   global const int *in, global int *ints, global long *longs,
                   global float *floats, global double *doubles)
{
    uint id = get_global_id(0), n = get_global_size(0), lid = get_local_id(0);

    shared[lid] = in[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    int neighbour = shared[(lid + 1) % get_local_size(0)];

    int table[8] = {c, uc, s, us, i, as_int(u), i3.x, i3.y};
    table[in[id] & 7] = neighbour;
    table[neighbour & 7] += i3.z;
    ints[id] = table[id & 7];
    ints[n + id] = table[(id + in[id]) & 7] ^ i3.z;

    longs[id] = l + in[id];
    longs[n + id] = as_long(ul) ^ (long)u * neighbour;

    floats[id] = f4.x + f;
    floats[n + id] = f4.y * (float)in[id];
    floats[2 * n + id] = id & 1 ? f4.z : f4.w;

    doubles[id] = d * in[id];
}
