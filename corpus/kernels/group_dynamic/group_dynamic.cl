//! global 12 4 2
//! local 4 2 2
//! options -cl-opt-disable
//! in a u32 96 range 0 2
//! out o u32 96
// Functions that the compiler leaves as they are look for the group's number by the dimension, in r0.
kernel void group_dynamic(global const uint *a, global uint *o)
{
    uint i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    uint h = i;
    for (int k = 0; k < 3; k++) h = h * 10 + get_group_id(k) * 3 + get_local_id(k);
    o[i] = h * 4 + get_group_id(a[i]);
}
