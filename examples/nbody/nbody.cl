// One time step of gravity between n bodies (x, y, z, mass), a tile of bodies
// at a time through local memory; drag divides the speed.
kernel void nbody(global const float4 *pos, global float4 *vel, global float4 *next,
                  local float4 *tile, float dt, float drag, uint n)
{
    uint i = get_global_id(0), id = get_local_id(0), size = get_local_size(0);
    float3 here = pos[i].xyz, acc = 0.0f;

    for (uint base = 0; base < n; base += size) {
        tile[id] = pos[base + id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < size; j++) {
            float3 d = tile[j].xyz - here;
            float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            acc += d * (tile[j].w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 v = vel[i].xyz + acc * dt;
    float speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    v /= 1.0f + drag * speed;
    vel[i] = (float4)(v, speed);
    next[i] = (float4)(here + v * dt, pos[i].w);
}
