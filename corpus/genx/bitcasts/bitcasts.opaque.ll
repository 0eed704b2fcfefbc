target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v32i8(i64, <32 x i8>)

; Function Attrs: noinline nounwind
define spir_kernel void @bitcasts(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, 0
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64 %a.at)
  %dwords = bitcast <32 x i8> %x to <8 x i32>
  %scaled = mul <8 x i32> %dwords, <i32 257, i32 257, i32 257, i32 257, i32 257, i32 257, i32 257, i32 257>
  %quads = bitcast <8 x i32> %scaled to <4 x i64>
  %mixed = xor <4 x i64> %quads, <i64 81985529216486895, i64 81985529216486895, i64 81985529216486895, i64 81985529216486895>
  %words = bitcast <4 x i64> %mixed to <16 x i16>
  %more = add <16 x i16> %words, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  %back = bitcast <16 x i16> %more to <32 x i8>
  call void @llvm.genx.svm.block.st.i64.v32i8(i64 %o.at, <32 x i8> %back)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
