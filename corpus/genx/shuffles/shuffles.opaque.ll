target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @shuffles(ptr addrspace(1) %a, ptr addrspace(1) %n, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %half = lshr i64 %offset, 1
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %half
  %small = lshr i64 %offset, 3
  %n.at.base = ptrtoint ptr addrspace(1) %n to i64
  %n.at = add i64 %n.at.base, %small
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %places = call <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64 %n.at)
  %low = shufflevector <16 x i32> %x, <16 x i32> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <16 x i32> %x, <16 x i32> undef, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %mixed = shufflevector <8 x i32> %low, <8 x i32> %high, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 15, i32 7, i32 14, i32 6, i32 13, i32 5, i32 12, i32 4>
  %three = shufflevector <8 x i32> %low, <8 x i32> %high, <3 x i32> <i32 5, i32 5, i32 10>
  %wide = shufflevector <3 x i32> %three, <3 x i32> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef>
  %joined = shufflevector <16 x i32> %wide, <16 x i32> %mixed, <16 x i32> <i32 0, i32 1, i32 2, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28>
  %n0 = extractelement <4 x i32> %places, i32 0
  %n1 = extractelement <4 x i32> %places, i32 1
  %n2 = extractelement <4 x i32> %places, i32 2
  %one = extractelement <16 x i32> %joined, i32 %n1
  %more = add i32 %one, 1
  %put = insertelement <16 x i32> %joined, i32 %more, i32 %n0
  %above = icmp ugt <16 x i32> %mixed, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>
  %bit = extractelement <16 x i1> %above, i32 %n2
  %number = zext i1 %bit to i32
  %fourth = extractelement <16 x i32> %put, i32 3
  %changed = xor i32 %fourth, %number
  %last = insertelement <16 x i32> %put, i32 %changed, i32 3
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %mixed)
  %o.next = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.next, <16 x i32> %last)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
