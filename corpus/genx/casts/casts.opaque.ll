target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.fabs.v16f32(<16 x float>) #0

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @casts(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #1 {
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, 0
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, 0
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %x8 = trunc <16 x i32> %x to <16 x i8>
  %o0 = sext <16 x i8> %x8 to <16 x i32>
  %x16 = trunc <16 x i32> %x to <16 x i16>
  %o1 = zext <16 x i16> %x16 to <16 x i32>
  %signed = sitofp <16 x i32> %x to <16 x float>
  %o2 = bitcast <16 x float> %signed to <16 x i32>
  %unsigned = uitofp <16 x i16> %x16 to <16 x float>
  %o3 = bitcast <16 x float> %unsigned to <16 x i32>
  %o4 = fptosi <16 x float> %y to <16 x i32>
  %positive = call <16 x float> @llvm.fabs.v16f32(<16 x float> %y)
  %o5 = fptoui <16 x float> %positive to <16 x i32>
  %h = fptrunc <16 x float> %y to <16 x half>
  %words = bitcast <16 x half> %h to <16 x i16>
  %o6 = zext <16 x i16> %words to <16 x i32>
  %f = fpext <16 x half> %h to <16 x float>
  %o7 = bitcast <16 x float> %f to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %o3)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %o4)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %o5)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %o6)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %o7)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
