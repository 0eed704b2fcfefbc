target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare <16 x float> @llvm.genx.sqrt.v16f32(<16 x float>)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

declare <16 x float> @llvm.genx.rsqrt.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.inv.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.log.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.exp.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.sin.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.cos.v16f32(<16 x float>)

declare <16 x float> @llvm.genx.pow.v16f32(<16 x float>, <16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @math(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint ptr addrspace(1) %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %sqrt = call <16 x float> @llvm.genx.sqrt.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %sqrt)
  %rsqrt = call <16 x float> @llvm.genx.rsqrt.v16f32(<16 x float> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %rsqrt)
  %inv = call <16 x float> @llvm.genx.inv.v16f32(<16 x float> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %inv)
  %log = call <16 x float> @llvm.genx.log.v16f32(<16 x float> %a)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %log)
  %exp = call <16 x float> @llvm.genx.exp.v16f32(<16 x float> %b)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t4, <16 x float> %exp)
  %sin = call <16 x float> @llvm.genx.sin.v16f32(<16 x float> %b)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t5, <16 x float> %sin)
  %cos = call <16 x float> @llvm.genx.cos.v16f32(<16 x float> %b)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t6, <16 x float> %cos)
  %pow = call <16 x float> @llvm.genx.pow.v16f32(<16 x float> %a, <16 x float> %b)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t7, <16 x float> %pow)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
