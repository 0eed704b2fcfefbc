; Regions with an offset for each row, and for each element: tables looked up in registers.
;! global 2
;! local 1
;! in a u32 128 bits 32
;! in n u32 32 range 0 63
;! out o u32 64
;= def expect(args):
;=     o = []
;=     for g in range(2):
;=         x, n = args[0][64 * g:64 * g + 64], args[1][16 * g:16 * g + 16]
;=         each = [x[i] for i in n]
;=         rows = [x[(n[r] & 31) + c] for r in range(4) for c in range(4)]
;=         o += each + rows
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64)
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.v16i16(<64 x i32>, i32, i32, i32, <16 x i16>, i32)
declare <4 x i16> @llvm.genx.rdregioni.v4i16.v16i16.i16(<16 x i16>, i32, i32, i32, i16, i32)
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.v4i16(<64 x i32>, i32, i32, i32, <4 x i16>, i32)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32>, <16 x i32>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

define spir_kernel void @region_gather(i32 addrspace(1)* %a, i32 addrspace(1)* %n, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %half = lshr i64 %offset, 1
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %half
  %small = lshr i64 %offset, 2
  %n.at.base = ptrtoint i32 addrspace(1)* %n to i64
  %n.at = add i64 %n.at.base, %small
  %x = call <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64 %a.at)
  %places = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %n.at)
  %short = trunc <16 x i32> %places to <16 x i16>
  %at = shl <16 x i16> %short, <i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2>
  %each = call <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.v16i16(<64 x i32> %x, i32 0, i32 1, i32 0, <16 x i16> %at, i32 undef)
  %four = call <4 x i16> @llvm.genx.rdregioni.v4i16.v16i16.i16(<16 x i16> %short, i32 0, i32 4, i32 1, i16 0, i32 undef)
  %below = and <4 x i16> %four, <i16 31, i16 31, i16 31, i16 31>
  %row.at = shl <4 x i16> %below, <i16 2, i16 2, i16 2, i16 2>
  %rows = call <16 x i32> @llvm.genx.rdregioni.v16i32.v64i32.v4i16(<64 x i32> %x, i32 0, i32 4, i32 1, <4 x i16> %row.at, i32 undef)
  %low = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> undef, <16 x i32> %each, i32 0, i32 16, i32 1, i16 0, i32 undef, i1 true)
  %all = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> %low, <16 x i32> %rows, i32 0, i32 16, i32 1, i16 64, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %all)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
