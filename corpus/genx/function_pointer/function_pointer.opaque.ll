target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func <16 x i32> @five(<16 x i32> %x) #0 {
  %r = mul <16 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  ret <16 x i32> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <16 x i32> @flip(<16 x i32> %x) #0 {
  %r = xor <16 x i32> %x, <i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51>
  ret <16 x i32> %r
}

; Function Attrs: noinline nounwind
define spir_kernel void @function_pointer(ptr addrspace(1) %a, ptr addrspace(1) %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %bit = and i32 %group, 1
  %odd = icmp ne i32 %bit, 0
  %f = select i1 %odd, ptr @five, ptr @flip
  %r = call spir_func <16 x i32> %f(<16 x i32> %x)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" "VCStackCall" }
attributes #1 = { noinline nounwind "VCFunction" }
