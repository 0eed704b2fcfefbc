target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.sqrt.v16f32(<16 x float>) #0

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

declare <16 x float> @llvm.genx.ieee.div.v16f32(<16 x float>, <16 x float>)

declare <16 x float> @llvm.genx.ieee.sqrt.v16f32(<16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @exact_roots(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #1 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint ptr addrspace(1) %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %root = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %root)
  %q = fdiv <16 x float> %a, %b
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %q)
  %iq = call <16 x float> @llvm.genx.ieee.div.v16f32(<16 x float> %b, <16 x float> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %iq)
  %ir = call <16 x float> @llvm.genx.ieee.sqrt.v16f32(<16 x float> %b)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %ir)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
