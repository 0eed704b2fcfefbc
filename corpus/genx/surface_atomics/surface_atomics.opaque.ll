target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1))

declare <8 x i32> @llvm.genx.oword.ld.v8i32(i32, i32, i32)

declare <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.dword.atomic.inc.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.dword.atomic.min.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.dword.atomic.or.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)

declare void @llvm.genx.oword.st.v8i32(i32, i32, <8 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @surface_atomics(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 1
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %a)
  %counts = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %c)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %o)
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
