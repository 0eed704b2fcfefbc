target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)

declare <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64)

declare <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)

declare <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32>, <8 x i32>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @region_variable(ptr addrspace(1) %a, ptr addrspace(1) %n, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %small = lshr i64 %offset, 3
  %n.at.base = ptrtoint ptr addrspace(1) %n to i64
  %n.at = add i64 %n.at.base, %small
  %x = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %a.at)
  %places = call <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64 %n.at)
  %n0 = extractelement <4 x i32> %places, i32 0
  %n1 = extractelement <4 x i32> %places, i32 1
  %n2 = extractelement <4 x i32> %places, i32 2
  %n3 = extractelement <4 x i32> %places, i32 3
  %n0.short = trunc i32 %n0 to i16
  %from = shl i16 %n0.short, 2
  %n1.bytes = shl i32 %n1, 2
  %to = trunc i32 %n1.bytes to i16
  %part = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %x, i32 0, i32 8, i32 1, i16 %from, i32 undef)
  %more = add <8 x i32> %part, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %new = call <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32> %x, <8 x i32> %more, i32 0, i32 8, i32 1, i16 %to, i32 undef, i1 true)
  %value = extractelement <32 x i32> %new, i32 %n2
  %other = xor i32 %value, 255
  %place = add i32 %n3, 16
  %all = insertelement <32 x i32> %new, i32 %other, i32 %place
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %all)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
