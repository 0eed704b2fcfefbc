//! devices pvc bmg ptl
//! global 256
//! local 128
//! options -cl-std=CL2.0
//! note two halves of a group, each with a barrier of its own, and the barrier of all
//! in a u32 256 bits 32
//! out o u32 256
/*py
def expect(args):
    a=args[0]; o=[0]*256
    for g in range(2):
        v=[x for x in a[g*128:g*128+128]]
        for r in range(6):
            n=v[:]
            for i in range(64): n[i]=(v[(i*7+r)%64]*3+r) & 0xffffffff
            for i in range(64): n[64+i]=(v[64+(i*5+r)%64]^(r*77)) & 0xffffffff
            v=n
        o[g*128:g*128+128]=[(v[i]+v[127-i]) & 0xffffffff for i in range(128)]
    return {1:o}
*/
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_named_barriers(global const uint *a, global uint *o)
{
  local uint s[2][128];
  int l = get_local_id(0), i = get_global_id(0);
  local NamedBarrier_t *p = named_barrier_init(4);
  local NamedBarrier_t *q = named_barrier_init(4);
  s[0][l] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_sub_group_id() < 4) {
    for (int r = 0; r < 6; r++) {
      s[(r+1)&1][l] = s[r&1][(l*7+r)%64]*3+r;
      work_group_named_barrier(p, CLK_LOCAL_MEM_FENCE);
    }
  } else {
    int m = l - 64;
    for (int r = 0; r < 6; r++) {
      s[(r+1)&1][l] = s[r&1][64+(m*5+r)%64]^(r*77);
      work_group_named_barrier(q, CLK_LOCAL_MEM_FENCE);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  o[i] = s[0][l] + s[0][127-l];
}