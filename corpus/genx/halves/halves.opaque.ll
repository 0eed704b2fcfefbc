target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16f16(i64, <16 x half>)

; Function Attrs: noinline nounwind
define spir_kernel void @halves(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, 0
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, 0
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %a.at)
  %y = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %b.at)
  %sum = fadd <16 x half> %x, %y
  %o0 = fmul <16 x half> %sum, %x
  %above = fcmp ogt <16 x half> %x, %y
  %minus = fneg <16 x half> %y
  %o1 = select <16 x i1> %above, <16 x half> %x, <16 x half> %minus
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %o.at, <16 x half> %o0)
  %t1 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %t1, <16 x half> %o1)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
