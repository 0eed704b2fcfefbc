//! devices dg2 pvc bmg ptl
//! global 64
//! local 32
//! options -ze-opt-large-register-file
//! note more values at once than 128 registers have room for
//! in a u32 64 bits 32
//! out o u32 64
/*py
def expect(args):
    a, o = args[0], []
    for i in range(64):
        v = [(a[(i + k) % 64] * (2 * k + 1)) % 2**32 for k in range(96)]
        for r in range(3):
            v = [(v[k] ^ v[(k * 7 + 5) % 96]) * 3 + v[(k * 5 + r) % 96] & 0xffffffff for k in range(96)]
        t = 0
        for k in range(96): t = (t * 31 + v[k]) % 2**32
        o.append(t)
    return {1: o}
*/
__attribute__((intel_reqd_sub_group_size(16)))
kernel void xe_large_grf(global const uint *a, global uint *o)
{
    int i = get_global_id(0);
    uint v[96], n[96], t = 0;
    #pragma unroll
    for (int k = 0; k < 96; k++) v[k] = a[(i + k) % 64] * (2 * k + 1);
    #pragma unroll
    for (int r = 0; r < 3; r++) {
        #pragma unroll
        for (int k = 0; k < 96; k++) n[k] = (v[k] ^ v[(k * 7 + 5) % 96]) * 3 + v[(k * 5 + r) % 96];
        #pragma unroll
        for (int k = 0; k < 96; k++) v[k] = n[k];
    }
    #pragma unroll
    for (int k = 0; k < 96; k++) t = t * 31 + v[k];
    o[i] = t;
}
