target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i64(i64, <8 x i64>)

; Function Attrs: noinline nounwind
define spir_kernel void @quadwords(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, %offset
  %seven = mul i64 %offset, 7
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %seven
  %x = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %a.at)
  %y = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %b.at)
  %amount = and <8 x i64> %y, <i64 63, i64 63, i64 63, i64 63, i64 63, i64 63, i64 63, i64 63>
  %o0 = add <8 x i64> %x, %y
  %o1 = sub <8 x i64> %x, %y
  %o2 = mul <8 x i64> %x, %y
  %o3 = shl <8 x i64> %x, %amount
  %o4 = lshr <8 x i64> %x, %amount
  %o5 = ashr <8 x i64> %x, %amount
  %less = icmp slt <8 x i64> %x, %y
  %low = trunc <8 x i64> %y to <8 x i32>
  %wide = zext <8 x i32> %low to <8 x i64>
  %o6 = select <8 x i1> %less, <8 x i64> %x, <8 x i64> %wide
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o.at, <8 x i64> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t1, <8 x i64> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t2, <8 x i64> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t3, <8 x i64> %o3)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t4, <8 x i64> %o4)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t5, <8 x i64> %o5)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %t6, <8 x i64> %o6)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
