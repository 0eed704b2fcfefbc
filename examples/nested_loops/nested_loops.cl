// Loops in loops that lanes leave at different times and in every way there
// is: break, continue, and return from the inside. Launched in three dimensions.
kernel void nested_loops(global uint *out, uint limit)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint at = (z * get_global_size(1) + y) * get_global_size(0) + x;
    uint hash = at * 2654435761u + 1;

    for (uint i = 0; i < limit + x; i++) {
        if (i % (y + 2) == z)
            continue;
        uint j = 0;
        do {
            hash = hash * 1664525u + 1013904223u;
            if ((hash >> 28) == x)
                continue;
            if ((hash >> 20 & 63) == y + z) {
                out[at] = hash | 1;
                return;
            }
            while (hash & 1 << (8 + j % 8)) {
                hash = (hash >> 1) + i;
                if ((hash & 15) == z)
                    break;
            }
        } while (++j < (hash >> 24) % 7);
        if (hash % 11 == 5)
            break;
        hash ^= i << j;
    }
    out[at] = hash & ~1u;
}
