target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.exp.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.exp2.v16f32(<16 x float>) #0

declare <16 x float> @llvm.exp10.v16f32(<16 x float>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.log.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.log2.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.log10.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.pow.v16f32(<16 x float>, <16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.sin.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.cos.v16f32(<16 x float>) #0

declare <16 x float> @llvm.tan.v16f32(<16 x float>)

declare <16 x float> @llvm.asin.v16f32(<16 x float>)

declare <16 x float> @llvm.acos.v16f32(<16 x float>)

declare <16 x float> @llvm.atan.v16f32(<16 x float>)

declare <16 x float> @llvm.atan2.v16f32(<16 x float>, <16 x float>)

declare <16 x float> @llvm.sinh.v16f32(<16 x float>)

declare <16 x float> @llvm.cosh.v16f32(<16 x float>)

declare <16 x float> @llvm.tanh.v16f32(<16 x float>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.round.v16f32(<16 x float>) #0

declare <16 x float> @_Z17__spirv_ocl_expm1Dv16_f(<16 x float>)

declare <16 x float> @_Z17__spirv_ocl_log1pDv16_f(<16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @functions_of_floats(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %c.p, ptr addrspace(1) %d.p, ptr addrspace(1) %f.p, ptr addrspace(1) %g.p, ptr addrspace(1) %o) #1 {
  %a.at = ptrtoint ptr addrspace(1) %a.p to i64
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at = ptrtoint ptr addrspace(1) %b.p to i64
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %c.at = ptrtoint ptr addrspace(1) %c.p to i64
  %c = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %c.at)
  %d.at = ptrtoint ptr addrspace(1) %d.p to i64
  %d = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %d.at)
  %f.at = ptrtoint ptr addrspace(1) %f.p to i64
  %f = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %f.at)
  %g.at = ptrtoint ptr addrspace(1) %g.p to i64
  %g = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %g.at)
  %o.at = ptrtoint ptr addrspace(1) %o to i64
  %r0 = call <16 x float> @llvm.exp.v16f32(<16 x float> %b)
  %o0 = add i64 %o.at, 0
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o0, <16 x float> %r0)
  %r1 = call <16 x float> @llvm.exp2.v16f32(<16 x float> %b)
  %o1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o1, <16 x float> %r1)
  %r2 = call <16 x float> @llvm.exp10.v16f32(<16 x float> %b)
  %o2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o2, <16 x float> %r2)
  %r3 = call <16 x float> @llvm.log.v16f32(<16 x float> %a)
  %o3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o3, <16 x float> %r3)
  %r4 = call <16 x float> @llvm.log2.v16f32(<16 x float> %a)
  %o4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o4, <16 x float> %r4)
  %r5 = call <16 x float> @llvm.log10.v16f32(<16 x float> %a)
  %o5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o5, <16 x float> %r5)
  %r6 = call <16 x float> @llvm.pow.v16f32(<16 x float> %a, <16 x float> %c)
  %o6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o6, <16 x float> %r6)
  %r7 = call <16 x float> @llvm.sin.v16f32(<16 x float> %c)
  %o7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o7, <16 x float> %r7)
  %r8 = call <16 x float> @llvm.cos.v16f32(<16 x float> %c)
  %o8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o8, <16 x float> %r8)
  %r9 = call <16 x float> @llvm.tan.v16f32(<16 x float> %c)
  %o9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o9, <16 x float> %r9)
  %r10 = call <16 x float> @llvm.sin.v16f32(<16 x float> %d)
  %o10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o10, <16 x float> %r10)
  %r11 = call <16 x float> @llvm.cos.v16f32(<16 x float> %d)
  %o11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o11, <16 x float> %r11)
  %r12 = call <16 x float> @llvm.tan.v16f32(<16 x float> %d)
  %o12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o12, <16 x float> %r12)
  %r13 = call <16 x float> @llvm.asin.v16f32(<16 x float> %f)
  %o13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o13, <16 x float> %r13)
  %r14 = call <16 x float> @llvm.acos.v16f32(<16 x float> %f)
  %o14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o14, <16 x float> %r14)
  %r15 = call <16 x float> @llvm.atan.v16f32(<16 x float> %c)
  %o15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o15, <16 x float> %r15)
  %r16 = call <16 x float> @llvm.atan2.v16f32(<16 x float> %c, <16 x float> %b)
  %o16 = add i64 %o.at, 1024
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o16, <16 x float> %r16)
  %r17 = call <16 x float> @llvm.sinh.v16f32(<16 x float> %c)
  %o17 = add i64 %o.at, 1088
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o17, <16 x float> %r17)
  %r18 = call <16 x float> @llvm.cosh.v16f32(<16 x float> %c)
  %o18 = add i64 %o.at, 1152
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o18, <16 x float> %r18)
  %r19 = call <16 x float> @llvm.tanh.v16f32(<16 x float> %f)
  %o19 = add i64 %o.at, 1216
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o19, <16 x float> %r19)
  %r20 = call <16 x float> @llvm.round.v16f32(<16 x float> %c)
  %o20 = add i64 %o.at, 1280
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o20, <16 x float> %r20)
  %r21 = call <16 x float> @_Z17__spirv_ocl_expm1Dv16_f(<16 x float> %f)
  %o21 = add i64 %o.at, 1344
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o21, <16 x float> %r21)
  %r22 = call <16 x float> @_Z17__spirv_ocl_log1pDv16_f(<16 x float> %a)
  %o22 = add i64 %o.at, 1408
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o22, <16 x float> %r22)
  %r23 = call <16 x float> @llvm.pow.v16f32(<16 x float> %c, <16 x float> %g)
  %o23 = add i64 %o.at, 1472
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o23, <16 x float> %r23)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
