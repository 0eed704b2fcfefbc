target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare <16 x i32> @llvm.genx.ssadd.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare <16 x i32> @llvm.genx.suadd.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.usadd.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.uuadd.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.ssmul.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.uumul.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i16> @llvm.genx.sstrunc.sat.v16i16.v16i32(<16 x i32>)

declare <16 x i16> @llvm.genx.uutrunc.sat.v16i16.v16i32(<16 x i32>)

declare <16 x i16> @llvm.genx.ustrunc.sat.v16i16.v16i32(<16 x i32>)

declare <16 x i16> @llvm.genx.sutrunc.sat.v16i16.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.ssshl.sat.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.ssmad.sat.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @saturation(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint ptr addrspace(1) %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %ssadd_sat = call <16 x i32> @llvm.genx.ssadd.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %ssadd_sat)
  %suadd_sat = call <16 x i32> @llvm.genx.suadd.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %suadd_sat)
  %usadd_sat = call <16 x i32> @llvm.genx.usadd.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %usadd_sat)
  %uuadd_sat = call <16 x i32> @llvm.genx.uuadd.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %uuadd_sat)
  %ssmul_sat = call <16 x i32> @llvm.genx.ssmul.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %ssmul_sat)
  %uumul_sat = call <16 x i32> @llvm.genx.uumul.sat.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %uumul_sat)
  %sstrunc.w = call <16 x i16> @llvm.genx.sstrunc.sat.v16i16.v16i32(<16 x i32> %a)
  %sstrunc = sext <16 x i16> %sstrunc.w to <16 x i32>
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %sstrunc)
  %uutrunc.w = call <16 x i16> @llvm.genx.uutrunc.sat.v16i16.v16i32(<16 x i32> %a)
  %uutrunc = zext <16 x i16> %uutrunc.w to <16 x i32>
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %uutrunc)
  %ustrunc.w = call <16 x i16> @llvm.genx.ustrunc.sat.v16i16.v16i32(<16 x i32> %a)
  %ustrunc = zext <16 x i16> %ustrunc.w to <16 x i32>
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %ustrunc)
  %sutrunc.w = call <16 x i16> @llvm.genx.sutrunc.sat.v16i16.v16i32(<16 x i32> %a)
  %sutrunc = sext <16 x i16> %sutrunc.w to <16 x i32>
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t9, <16 x i32> %sutrunc)
  %shift = and <16 x i32> %b, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %small = ashr <16 x i32> %a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %ssshl_sat = call <16 x i32> @llvm.genx.ssshl.sat.v16i32.v16i32(<16 x i32> %small, <16 x i32> %shift)
  %t10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t10, <16 x i32> %ssshl_sat)
  %aw = trunc <16 x i32> %a to <16 x i16>
  %bw = trunc <16 x i32> %b to <16 x i16>
  %mad = call <16 x i32> @llvm.genx.ssmad.sat.v16i32.v16i16(<16 x i16> %aw, <16 x i16> %bw, <16 x i32> %a)
  %t11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t11, <16 x i32> %mad)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
