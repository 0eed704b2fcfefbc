target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64)

declare <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.i16(<64 x i32>, i32, i32, i32, i16, i32)

declare <9 x i32> @llvm.genx.rdregioni.v9i32.v64i32.i16(<64 x i32>, i32, i32, i32, i16, i32)

declare <7 x i32> @llvm.genx.rdregioni.v7i32.v64i32.i16(<64 x i32>, i32, i32, i32, i16, i32)

declare <16 x i32> @llvm.genx.wrregioni.v16i32.v9i32.i16.i1(<16 x i32>, <9 x i32>, i32, i32, i32, i16, i32, i1)

declare <16 x i32> @llvm.genx.wrregioni.v16i32.v7i32.i16.i1(<16 x i32>, <7 x i32>, i32, i32, i32, i16, i32, i1)

declare <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32>, <16 x i32>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @region_read(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %half = lshr i64 %offset, 1
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %half
  %x = call <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64 %a.at)
  %rows = call <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.i16(<64 x i32> %x, i32 8, i32 4, i32 1, i16 12, i32 undef)
  %columns = call <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.i16(<64 x i32> %x, i32 0, i32 16, i32 3, i16 4, i32 undef)
  %odd = call <9 x i32> @llvm.genx.rdregioni.v9i32.v64i32.i16(<64 x i32> %x, i32 7, i32 3, i32 3, i16 32, i32 undef)
  %again = call <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.i16(<64 x i32> %x, i32 0, i32 4, i32 1, i16 20, i32 undef)
  %pairs = call <7 x i32> @llvm.genx.rdregioni.v7i32.v64i32.i16(<64 x i32> %x, i32 2, i32 1, i32 1, i16 0, i32 undef)
  %sum = add <16 x i32> %rows, %columns
  %first = call <16 x i32> @llvm.genx.wrregioni.v16i32.v9i32.i16.i1(<16 x i32> undef, <9 x i32> %odd, i32 0, i32 9, i32 1, i16 0, i32 undef, i1 true)
  %both = call <16 x i32> @llvm.genx.wrregioni.v16i32.v7i32.i16.i1(<16 x i32> %first, <7 x i32> %pairs, i32 0, i32 7, i32 1, i16 36, i32 undef, i1 true)
  %mixed = xor <16 x i32> %again, %both
  %low = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> undef, <16 x i32> %sum, i32 0, i32 16, i32 1, i16 0, i32 undef, i1 true)
  %all = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> %low, <16 x i32> %mixed, i32 0, i32 16, i32 1, i16 64, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %all)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
