target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <128 x i16> @llvm.genx.svm.block.ld.unaligned.v128i16.i64(i64)

declare <72 x i16> @llvm.genx.rdregioni.v72i16.v128i16.i16(<128 x i16>, i32, i32, i32, i16, i32)

declare <18 x i16> @llvm.genx.rdregioni.v18i16.v72i16.i16(<72 x i16>, i32, i32, i32, i16, i32)

declare <16 x i32> @llvm.genx.rdregioni.v16i32.v18i32.i16(<18 x i32>, i32, i32, i32, i16, i32)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @region_nested(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %quarter = lshr i64 %offset, 2
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %quarter
  %x = call <128 x i16> @llvm.genx.svm.block.ld.unaligned.v128i16.i64(i64 %a.at)
  %outer = call <72 x i16> @llvm.genx.rdregioni.v72i16.v128i16.i16(<128 x i16> %x, i32 16, i32 12, i32 1, i16 16, i32 undef)
  %inner = call <18 x i16> @llvm.genx.rdregioni.v18i16.v72i16.i16(<72 x i16> %outer, i32 24, i32 6, i32 2, i16 2, i32 undef)
  %wide = zext <18 x i16> %inner to <18 x i32>
  %last = call <16 x i32> @llvm.genx.rdregioni.v16i32.v18i32.i16(<18 x i32> %wide, i32 0, i32 16, i32 1, i16 0, i32 undef)
  %back = shufflevector <16 x i32> %last, <16 x i32> undef, <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  %double = shl <16 x i32> %back, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %r = sub <16 x i32> %last, %double
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
