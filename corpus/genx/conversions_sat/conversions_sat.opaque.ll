target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare <16 x i32> @llvm.genx.fptosi.sat.v16i32.v16f32(<16 x float>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare <16 x i32> @llvm.genx.fptoui.sat.v16i32.v16f32(<16 x float>)

declare <16 x i16> @llvm.genx.fptosi.sat.v16i16.v16f32(<16 x float>)

declare <16 x i8> @llvm.genx.fptoui.sat.v16i8.v16f32(<16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @conversions_sat(ptr addrspace(1) %a.p, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %fptosi32 = call <16 x i32> @llvm.genx.fptosi.sat.v16i32.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %fptosi32)
  %fptoui32 = call <16 x i32> @llvm.genx.fptoui.sat.v16i32.v16f32(<16 x float> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %fptoui32)
  %fptosi16 = call <16 x i16> @llvm.genx.fptosi.sat.v16i16.v16f32(<16 x float> %a)
  %fptosi16.w = sext <16 x i16> %fptosi16 to <16 x i32>
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %fptosi16.w)
  %fptoui8 = call <16 x i8> @llvm.genx.fptoui.sat.v16i8.v16f32(<16 x float> %a)
  %fptoui8.w = zext <16 x i8> %fptoui8 to <16 x i32>
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %fptoui8.w)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
