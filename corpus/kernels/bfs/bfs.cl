//! global 64
//! local 64
//! in start i32 65 list 0 2 5 6 9 11 14 14 17 19
//! in edges u32 64 range 0 9
//! out level i32 64
// Breadth-first levels of a graph of nine nodes (repeated rows), in one group.
kernel void bfs(global const int *start, global const uint *edges, global int *level)
{
    uint i = get_local_id(0);
    local int lv[64], again;
    lv[i] = i ? 1 << 30 : 0;
    for (int d = 0; d < 64; d++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == 0) again = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < 9 && lv[i] == d)
            for (int e = start[i]; e < start[i + 1]; e++)
                if (lv[edges[e]] > d + 1) { atomic_min(lv + edges[e], d + 1); atomic_or(&again, 1); }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!again) break;
    }
    level[i] = lv[i];
}
