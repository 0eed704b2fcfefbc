; A region of a region of a region, with conversions in between: one region each is enough.
;! global 2
;! local 1
;! in a u16 256 bits 16
;! out o i32 32
;= def expect(args):
;=     o = []
;=     for g in range(2):
;=         x = args[0][128 * g:128 * g + 128]
;=         outer = [x[8 + 16 * r + c] for r in range(6) for c in range(12)]
;=         inner = [outer[1 + 24 * r + 2 * c] for r in range(3) for c in range(6)][:18]
;=         last = [inner[i] for i in range(0, 16)]
;=         o += [v - 2 * last[15 - n] for n, v in enumerate(last)]
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <128 x i16> @llvm.genx.svm.block.ld.unaligned.v128i16.i64(i64)
declare <72 x i16> @llvm.genx.rdregioni.v72i16.v128i16.i16(<128 x i16>, i32, i32, i32, i16, i32)
declare <18 x i16> @llvm.genx.rdregioni.v18i16.v72i16.i16(<72 x i16>, i32, i32, i32, i16, i32)
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v18i32.i16(<18 x i32>, i32, i32, i32, i16, i32)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @region_nested(i16 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i16 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %quarter = lshr i64 %offset, 2
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
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
