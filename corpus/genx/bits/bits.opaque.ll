target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare <16 x i32> @llvm.genx.cbit.v16i32.v16i32(<16 x i32>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.fbl.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.ufbh.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.sfbh.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32>)

declare <16 x i32> @llvm.genx.ubfe.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.sbfe.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.bfi.v16i32(<16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @bits(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint ptr addrspace(1) %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %cbit = call <16 x i32> @llvm.genx.cbit.v16i32.v16i32(<16 x i32> %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %cbit)
  %lzd = call <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %lzd)
  %fbl = call <16 x i32> @llvm.genx.fbl.v16i32(<16 x i32> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %fbl)
  %ufbh = call <16 x i32> @llvm.genx.ufbh.v16i32(<16 x i32> %a)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %ufbh)
  %sfbh = call <16 x i32> @llvm.genx.sfbh.v16i32(<16 x i32> %a)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %sfbh)
  %bfrev = call <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32> %a)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %bfrev)
  %width = and <16 x i32> %b, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %from.b = lshr <16 x i32> %b, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %from = and <16 x i32> %from.b, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %ubfe = call <16 x i32> @llvm.genx.ubfe.v16i32(<16 x i32> %width, <16 x i32> %from, <16 x i32> %a)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %ubfe)
  %sbfe = call <16 x i32> @llvm.genx.sbfe.v16i32(<16 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <16 x i32> %from, <16 x i32> %a)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %sbfe)
  %bfi = call <16 x i32> @llvm.genx.bfi.v16i32(<16 x i32> %width, <16 x i32> %from, <16 x i32> %b, <16 x i32> %a)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %bfi)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
