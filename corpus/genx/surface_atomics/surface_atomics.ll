; Atomic operations on surfaces: sums, counters, minima, exchanges.
;! global 4
;! local 1
;! in a u32 32 range 0 7
;! inout c u32 16 list 1000
;! out o u32 32
;= def expect(args):
;=     a, c = args[0], list(args[1])
;=     for n, v in enumerate(a):
;=         c[v] += n % 8 + 1
;=         c[8] += 1
;=         c[9] = min(c[9], n + 5) if v & 1 else c[9]
;=         c[10] |= 1 << n
;=     return {1: c, 2: [x * 2 for x in a]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)*)
declare <8 x i32> @llvm.genx.oword.ld.v8i32(i32, i32, i32)
declare <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.dword.atomic.inc.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.dword.atomic.min.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.dword.atomic.or.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare void @llvm.genx.oword.st.v8i32(i32, i32, <8 x i32>)

%intel.buffer_rw_t = type opaque

define spir_kernel void @surface_atomics(%intel.buffer_rw_t addrspace(1)* %a, %intel.buffer_rw_t addrspace(1)* %c, %intel.buffer_rw_t addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 1
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %a)
  %counts = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %c)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %o)
  %x = call <8 x i32> @llvm.genx.oword.ld.v8i32(i32 0, i32 %in, i32 %owords)
  %at = shl <8 x i32> %x, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %first = shl i32 %group, 3
  %first.one = insertelement <8 x i32> undef, i32 %first, i32 0
  %first.all = shufflevector <8 x i32> %first.one, <8 x i32> undef, <8 x i32> zeroinitializer
  %number = add <8 x i32> %first.all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %bit = shl <8 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>, %number
  %five = add <8 x i32> %number, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %odd = trunc <8 x i32> %x to <8 x i1>
  %r0 = call <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %counts, <8 x i32> %at, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>, <8 x i32> undef)
  %r1 = call <8 x i32> @llvm.genx.dword.atomic.inc.v8i32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %counts, <8 x i32> <i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32>, <8 x i32> undef)
  %r2 = call <8 x i32> @llvm.genx.dword.atomic.min.v8i32.v8i1.v8i32(<8 x i1> %odd, i32 %counts, <8 x i32> <i32 36, i32 36, i32 36, i32 36, i32 36, i32 36, i32 36, i32 36>, <8 x i32> %five, <8 x i32> undef)
  %r3 = call <8 x i32> @llvm.genx.dword.atomic.or.v8i32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %counts, <8 x i32> <i32 40, i32 40, i32 40, i32 40, i32 40, i32 40, i32 40, i32 40>, <8 x i32> %bit, <8 x i32> undef)
  %double = shl <8 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  call void @llvm.genx.oword.st.v8i32(i32 %out, i32 %owords, <8 x i32> %double)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
