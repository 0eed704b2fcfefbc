target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64)

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare <16 x i32> @llvm.genx.sumul.v16i32.v16i16(<16 x i16>, <16 x i16>)

declare <16 x i32> @llvm.genx.usmul.v16i32.v16i16(<16 x i16>, <16 x i16>)

declare <16 x i32> @llvm.genx.sumad.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i32>)

declare <16 x i32> @llvm.genx.usmad.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @mixed_products(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %twice = shl i64 %offset, 1
  %eight = shl i64 %offset, 3
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %c.base = ptrtoint ptr addrspace(1) %c to i64
  %c.at = add i64 %c.base, %twice
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %eight
  %x = call <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64 %a.at)
  %y = call <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64 %b.at)
  %z = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %c.at)
  %su = call <16 x i32> @llvm.genx.sumul.v16i32.v16i16(<16 x i16> %x, <16 x i16> %y)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %su)
  %sum = call <16 x i32> @llvm.genx.sumad.v16i32.v16i16(<16 x i16> %x, <16 x i16> %y, <16 x i32> %z)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %sum)
  %us = call <16 x i32> @llvm.genx.usmul.v16i32.v16i16(<16 x i16> %x, <16 x i16> %y)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %us)
  %usm = call <16 x i32> @llvm.genx.usmad.v16i32.v16i16(<16 x i16> %x, <16 x i16> %y, <16 x i32> %z)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %usm)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
