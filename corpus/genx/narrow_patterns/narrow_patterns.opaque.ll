target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <64 x i8> @llvm.genx.svm.block.ld.unaligned.v64i8.i64(i64)

declare <32 x i8> @llvm.genx.rdregioni.v32i8.v64i8.i16(<64 x i8>, i32, i32, i32, i16, i32)

declare <16 x i8> @llvm.genx.rdregioni.v16i8.v64i8.i16(<64 x i8>, i32, i32, i32, i16, i32)

declare <64 x i8> @llvm.genx.wrregioni.v64i8.v32i8.i16.i1(<64 x i8>, <32 x i8>, i32, i32, i32, i16, i32, i1)

declare <64 x i8> @llvm.genx.wrregioni.v64i8.v16i8.i16.i1(<64 x i8>, <16 x i8>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.svm.block.st.i64.v64i8(i64, <64 x i8>)

; Function Attrs: noinline nounwind
define spir_kernel void @narrow_patterns(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, %offset
  %five = mul i64 %offset, 5
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.0 = add i64 %o.at.base, %five
  %x = call <64 x i8> @llvm.genx.svm.block.ld.unaligned.v64i8.i64(i64 %a.at)
  %y = call <64 x i8> @llvm.genx.svm.block.ld.unaligned.v64i8.i64(i64 %b.at)
  %low = and <64 x i8> %x, <i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127, i8 127>
  %some = or <64 x i8> %y, <i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17, i8 17>
  %first = xor <64 x i8> %low, %some
  call void @llvm.genx.svm.block.st.i64.v64i8(i64 %o.0, <64 x i8> %first)
  %half = call <32 x i8> @llvm.genx.rdregioni.v32i8.v64i8.i16(<64 x i8> %x, i32 0, i32 32, i32 1, i16 0, i32 undef)
  %mixed = call <64 x i8> @llvm.genx.wrregioni.v64i8.v32i8.i16.i1(<64 x i8> <i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0, i8 -128, i8 0>, <32 x i8> %half, i32 0, i32 32, i32 2, i16 1, i32 undef, i1 true)
  %words = bitcast <64 x i8> %mixed to <32 x i16>
  %right = lshr <32 x i16> %words, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  %second = bitcast <32 x i16> %right to <64 x i8>
  %o.1 = add i64 %o.0, 64
  call void @llvm.genx.svm.block.st.i64.v64i8(i64 %o.1, <64 x i8> %second)
  %not = xor <64 x i8> %x, <i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1>
  %t.4 = call <16 x i8> @llvm.genx.rdregioni.v16i8.v64i8.i16(<64 x i8> %not, i32 0, i32 16, i32 1, i16 4, i32 undef)
  %y.8 = call <16 x i8> @llvm.genx.rdregioni.v16i8.v64i8.i16(<64 x i8> %y, i32 0, i32 16, i32 1, i16 8, i32 undef)
  %x.2 = call <16 x i8> @llvm.genx.rdregioni.v16i8.v64i8.i16(<64 x i8> %x, i32 0, i32 16, i32 1, i16 2, i32 undef)
  %y.3 = call <16 x i8> @llvm.genx.rdregioni.v16i8.v64i8.i16(<64 x i8> %y, i32 0, i32 16, i32 1, i16 3, i32 undef)
  %part = and <16 x i8> %t.4, %y.8
  %odd = or <16 x i8> %x.2, %y.3
  %with.part = call <64 x i8> @llvm.genx.wrregioni.v64i8.v16i8.i16.i1(<64 x i8> %not, <16 x i8> %part, i32 0, i32 16, i32 1, i16 12, i32 undef, i1 true)
  %third = call <64 x i8> @llvm.genx.wrregioni.v64i8.v16i8.i16.i1(<64 x i8> %with.part, <16 x i8> %odd, i32 0, i32 16, i32 1, i16 29, i32 undef, i1 true)
  %o.2 = add i64 %o.0, 128
  call void @llvm.genx.svm.block.st.i64.v64i8(i64 %o.2, <64 x i8> %third)
  %w = bitcast <64 x i8> %x to <32 x i16>
  %left = shl <32 x i16> %w, <i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15>
  %signed = ashr <32 x i16> %w, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  %plain = lshr <32 x i16> %w, <i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9, i16 9>
  %two = add <32 x i16> %left, %signed
  %three = add <32 x i16> %two, %plain
  %fourth = bitcast <32 x i16> %three to <64 x i8>
  %o.3 = add i64 %o.0, 192
  call void @llvm.genx.svm.block.st.i64.v64i8(i64 %o.3, <64 x i8> %fourth)
  %fifth = add <64 x i8> %y, <i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 1, i8 2, i8 3, i8 4, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11>
  %o.4 = add i64 %o.0, 256
  call void @llvm.genx.svm.block.st.i64.v64i8(i64 %o.4, <64 x i8> %fifth)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
