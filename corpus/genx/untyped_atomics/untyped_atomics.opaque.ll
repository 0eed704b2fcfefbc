target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1))

declare <8 x i32> @llvm.genx.untyped.atomic.add.v8i32.v8i1(<8 x i1>, i32, i32, <8 x i32>, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.untyped.atomic.inc.v8i32.v8i1(<8 x i1>, i32, i32, <8 x i32>, <8 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @untyped_atomics(ptr addrspace(1) %c) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %counts = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %c)
  %more = add i32 %group, 1
  %one = insertelement <8 x i32> undef, i32 %more, i32 0
  %all = shufflevector <8 x i32> %one, <8 x i32> undef, <8 x i32> zeroinitializer
  %r0 = call <8 x i32> @llvm.genx.untyped.atomic.add.v8i32.v8i1(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %counts, i32 4, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> %all, <8 x i32> undef)
  %r1 = call <8 x i32> @llvm.genx.untyped.atomic.inc.v8i32.v8i1(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %counts, i32 4, <8 x i32> <i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8>, <8 x i32> undef)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
