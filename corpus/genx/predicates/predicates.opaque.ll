target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)

declare i1 @llvm.genx.any.v32i1(<32 x i1>)

declare i1 @llvm.genx.all.v8i1(<8 x i1>)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @predicates(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %a.at)
  %odd = trunc <32 x i32> %x to <32 x i1>
  %big = icmp ugt <32 x i32> %x, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %both = and <32 x i1> %odd, %big
  %number = bitcast <32 x i1> %both to i32
  %odd.part = shufflevector <32 x i1> %odd, <32 x i1> undef, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %big.part = shufflevector <32 x i1> %big, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %differ = xor <16 x i1> %odd.part, %big.part
  %some = xor <16 x i1> %differ, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %sum.n = add <32 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %joined = icmp eq <32 x i32> %sum.n, <i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8>
  %five = mul i32 %number, 5
  %bits = bitcast i32 %five to <32 x i1>
  %ones = zext <32 x i1> %joined to <32 x i32>
  %twos = select <32 x i1> %bits, <32 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>, <32 x i32> zeroinitializer
  %sum = add <32 x i32> %ones, %twos
  %twelve = shufflevector <32 x i1> %odd, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 32, i32 32, i32 32, i32 32>
  %masked = and <16 x i1> %twelve, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>
  %low.short = bitcast <16 x i1> %masked to i16
  %low = zext i16 %low.short to i32
  %any = call i1 @llvm.genx.any.v32i1(<32 x i1> %both)
  %eight = shufflevector <32 x i1> %big, <32 x i1> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %all = call i1 @llvm.genx.all.v8i1(<8 x i1> %eight)
  %any.n = zext i1 %any to i32
  %all.n = select i1 %all, i32 2, i32 0
  %anyall = or i32 %any.n, %all.n
  %fourth = extractelement <32 x i1> %odd, i32 3
  %minus = sext i1 %fourth to i32
  %r0 = insertelement <32 x i32> %sum, i32 %number, i32 28
  %r1 = insertelement <32 x i32> %r0, i32 %low, i32 29
  %r2 = insertelement <32 x i32> %r1, i32 %anyall, i32 30
  %r3 = insertelement <32 x i32> %r2, i32 %minus, i32 31
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %r3)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
