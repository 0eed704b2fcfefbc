target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_func <16 x i32> @combine(<16 x i32> %x, <16 x i32> %y, i32 %n) #0 {
  %triple = mul <16 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %sum = add <16 x i32> %triple, %y
  %one = insertelement <16 x i32> undef, i32 %n, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %r = add <16 x i32> %sum, %all
  ret <16 x i32> %r
}

; Function Attrs: noinline nounwind
define spir_kernel void @stack_call(ptr addrspace(1) %a, ptr addrspace(1) %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = xor <16 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %r = call spir_func <16 x i32> @combine(<16 x i32> %x, <16 x i32> %y, i32 9)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" "VCStackCall" }
attributes #1 = { noinline nounwind "VCFunction" }
