target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)

declare <23 x i32> @llvm.genx.rdregioni.v23i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)

declare <32 x i32> @llvm.genx.wrregioni.v32i32.v23i32.i16.i1(<32 x i32>, <23 x i32>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @odd_width(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %a.at)
  %part = call <23 x i32> @llvm.genx.rdregioni.v23i32.v32i32.i16(<32 x i32> %x, i32 0, i32 23, i32 1, i16 12, i32 undef)
  %five = mul <23 x i32> %part, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %more = add <23 x i32> %five, <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>
  %new = call <32 x i32> @llvm.genx.wrregioni.v32i32.v23i32.i16.i1(<32 x i32> %x, <23 x i32> %more, i32 0, i32 23, i32 1, i16 20, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %new)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
