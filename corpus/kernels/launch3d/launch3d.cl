//! global 15 6 4
//! local 5 3 2
//! out o u32 1080
kernel void k_launch3d(global uint *o)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint i = ((z * get_global_size(1)) + y) * get_global_size(0) + x;
    o[3 * i] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    o[3 * i + 1] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16 | get_work_dim() << 24;
    o[3 * i + 2] = get_num_groups(0) + get_num_groups(1) * 16 + get_num_groups(2) * 256 + get_local_size(0) * 4096
        + get_local_size(1) * 65536 + get_global_offset(0) + (i << 24);
}
