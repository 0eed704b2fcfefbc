; Atomics of the load-store units: with and without sources, an exchange if equal, some channels, 64 bits, floats.
;! global 1
;! local 1
;! inout c u32 64 range 0 99
;! inout q u64 16 range 0 99
;! inout f f32 16 list 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
;! out o u32 64
;= def expect(args):
;=     c, q, f = list(args[0]), list(args[1]), list(args[2])
;=     o = [0] * 64
;=     for i in range(16):
;=         o[i], c[i] = c[i], c[i] + 1
;=         o[16 + i], c[16 + i] = c[16 + i], c[16 + i] + 100 + i
;=         o[32 + i] = c[32 + i] if i & 1 else 7
;=         if i & 1:
;=             c[32 + i] = max(c[32 + i], 50)
;=         o[48 + i] = c[48 + i]
;=         if c[48 + i] == i:
;=             c[48 + i] = 1000
;=         q[i] += i << 33
;=         f[i] += 0.5
;=     return {0: c, 1: q, 2: f, 3: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"
declare <16 x i32> @llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x i32>, <16 x i32>, i32, <16 x i32>)
declare <16 x i64> @llvm.genx.lsc.xatomic.stateless.v16i64.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x i64>, <16 x i64>, i32, <16 x i64>)
declare <16 x float> @llvm.genx.lsc.xatomic.stateless.v16f32.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x float>, <16 x float>, i32, <16 x float>)
declare void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x i32>, i32)

define spir_kernel void @lsc_atomics(i32 addrspace(1)* %c, i64 addrspace(1)* %q, float addrspace(1)* %f, i32 addrspace(1)* %o) #0 {
  %c.base = ptrtoint i32 addrspace(1)* %c to i64
  %q.base = ptrtoint i64 addrspace(1)* %q to i64
  %f.base = ptrtoint float addrspace(1)* %f to i64
  %o.base = ptrtoint i32 addrspace(1)* %o to i64
  %c4.one = insertelement <16 x i64> undef, i64 %c.base, i32 0
  %c4.all = shufflevector <16 x i64> %c4.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %c4 = add <16 x i64> %c4.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  %q8.one = insertelement <16 x i64> undef, i64 %q.base, i32 0
  %q8.all = shufflevector <16 x i64> %q8.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %q8 = add <16 x i64> %q8.all, <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56, i64 64, i64 72, i64 80, i64 88, i64 96, i64 104, i64 112, i64 120>
  %f4.one = insertelement <16 x i64> undef, i64 %f.base, i32 0
  %f4.all = shufflevector <16 x i64> %f4.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %f4 = add <16 x i64> %f4.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  %o4.one = insertelement <16 x i64> undef, i64 %o.base, i32 0
  %o4.all = shufflevector <16 x i64> %o4.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %o4 = add <16 x i64> %o4.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  %r0 = call <16 x i32> @llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 8, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %c4, <16 x i32> undef, <16 x i32> undef, i32 0, <16 x i32> undef)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %r0, i32 0)
  %r1 = call <16 x i32> @llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 12, i8 0, i8 0, i16 1, i32 64, i8 3, i8 1, i8 1, i8 0, <16 x i64> %c4, <16 x i32> <i32 100, i32 101, i32 102, i32 103, i32 104, i32 105, i32 106, i32 107, i32 108, i32 109, i32 110, i32 111, i32 112, i32 113, i32 114, i32 115>, <16 x i32> undef, i32 0, <16 x i32> undef)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 64, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %r1, i32 0)
  %r2 = call <16 x i32> @llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true>, i8 17, i8 0, i8 0, i16 1, i32 128, i8 3, i8 1, i8 1, i8 0, <16 x i64> %c4, <16 x i32> <i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50, i32 50>, <16 x i32> undef, i32 0, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 128, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %r2, i32 0)
  %r3 = call <16 x i32> @llvm.genx.lsc.xatomic.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 18, i8 0, i8 0, i16 1, i32 192, i8 3, i8 1, i8 1, i8 0, <16 x i64> %c4, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, <16 x i32> <i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000>, i32 0, <16 x i32> undef)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 192, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %r3, i32 0)
  %r4 = call <16 x i64> @llvm.genx.lsc.xatomic.stateless.v16i64.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 12, i8 0, i8 0, i16 1, i32 0, i8 4, i8 1, i8 1, i8 0, <16 x i64> %q8, <16 x i64> <i64 0, i64 8589934592, i64 17179869184, i64 25769803776, i64 34359738368, i64 42949672960, i64 51539607552, i64 60129542144, i64 68719476736, i64 77309411328, i64 85899345920, i64 94489280512, i64 103079215104, i64 111669149696, i64 120259084288, i64 128849018880>, <16 x i64> undef, i32 0, <16 x i64> undef)
  %r5 = call <16 x float> @llvm.genx.lsc.xatomic.stateless.v16f32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 19, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %f4, <16 x float> <float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01>, <16 x float> undef, i32 0, <16 x float> undef)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
