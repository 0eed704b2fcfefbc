target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i64(i64, <8 x i64>)

; Function Attrs: noinline nounwind
define spir_kernel void @long_divisions(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %four = shl i64 %offset, 2
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %four
  %x = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %a.at)
  %y0 = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %b.at)
  %y = or <8 x i64> %y0, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %uq = udiv <8 x i64> %x, %y
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o.at, <8 x i64> %uq)
  %ur = urem <8 x i64> %x, %y
  %o1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o1, <8 x i64> %ur)
  %sq = sdiv <8 x i64> %x, %y
  %o2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o2, <8 x i64> %sq)
  %sr = srem <8 x i64> %x, %y
  %o3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o3, <8 x i64> %sr)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
