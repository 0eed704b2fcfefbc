target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)

declare <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @predicate_concat(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %a.at)
  %low = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %x, i32 0, i32 16, i32 1, i16 0, i32 undef)
  %high = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %x, i32 0, i32 16, i32 1, i16 64, i32 undef)
  %odd = trunc <16 x i32> %low to <16 x i1>
  %big = icmp ugt <16 x i32> %high, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %joined = shufflevector <16 x i1> %odd, <16 x i1> %big, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %ones = zext <32 x i1> %joined to <32 x i32>
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %ones)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
