//! global 96
//! local 32
//! in p f32 192 real -8 8
//! in c f32 10 list -4 -4 4 4 0 0 -3 5 6 -2
//! out label i32 96
//! out count u32 5
//! out sum i32 10
kernel void kmeans(global const float2 *p, constant float2 *c, global int *label, global uint *count, global int *sum)
{
    local uint n[5]; local int s[10];
    uint i = get_global_id(0), l = get_local_id(0);
    if (l < 5) { n[l] = 0; s[2 * l] = s[2 * l + 1] = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 q = p[i];
    int best = 0;
    float d = INFINITY;
    for (int k = 0; k < 5; k++) { float2 v = q - c[k]; float e = v.x * v.x + v.y * v.y; if (e < d) { d = e; best = k; } }
    label[i] = best;
    atomic_inc(n + best);
    atomic_add(s + 2 * best, (int)(q.x * 1024.0f));
    atomic_add(s + 2 * best + 1, (int)(q.y * 1024.0f));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 5) atomic_add(count + l, n[l]);
    if (l < 10) atomic_add(sum + l, s[l]);
}
