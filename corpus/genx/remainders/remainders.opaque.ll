target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @remainders(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %r = frem <16 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
