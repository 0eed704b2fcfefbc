; Regions written at constant places, with strides, in rows, and under a mask.
;! global 2
;! local 1
;! in a i16 128 bits 16
;! in b u32 64 bits 32
;! out o i16 128
;! out p u32 64
;= def expect(args):
;=     o, p = [], []
;=     for g in range(2):
;=         x, y = args[0][64 * g:64 * g + 64], args[1][32 * g:32 * g + 32]
;=         new = list(x)
;=         for i in range(16):
;=             new[5 + 3 * i] = x[i] + x[16 + i]
;=         for r in range(3):
;=             for c in range(5):
;=                 new[2 + 20 * r + 2 * c] = x[40 + 5 * r + c]
;=         o += new
;=         under = list(y)
;=         for i in range(8):
;=             if y[i] > y[8 + i]:
;=                 under[9 + 2 * i] = y[16 + i]
;=         p += under
;=     return {2: o, 3: p}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <64 x i16> @llvm.genx.svm.block.ld.unaligned.v64i16.i64(i64)
declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)
declare <16 x i16> @llvm.genx.rdregioni.v16i16.v64i16.i16(<64 x i16>, i32, i32, i32, i16, i32)
declare <64 x i16> @llvm.genx.wrregioni.v64i16.v16i16.i16.i1(<64 x i16>, <16 x i16>, i32, i32, i32, i16, i32, i1)
declare <15 x i16> @llvm.genx.rdregioni.v15i16.v64i16.i16(<64 x i16>, i32, i32, i32, i16, i32)
declare <64 x i16> @llvm.genx.wrregioni.v64i16.v15i16.i16.i1(<64 x i16>, <15 x i16>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v64i16(i64, <64 x i16>)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.v8i1(<32 x i32>, <8 x i32>, i32, i32, i32, i16, i32, <8 x i1>)
declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

define spir_kernel void @region_write(i16 addrspace(1)* %a, i32 addrspace(1)* %b, i16 addrspace(1)* %o, i32 addrspace(1)* %p) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i16 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint i16 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %p.at.base = ptrtoint i32 addrspace(1)* %p to i64
  %p.at = add i64 %p.at.base, %offset
  %x = call <64 x i16> @llvm.genx.svm.block.ld.unaligned.v64i16.i64(i64 %a.at)
  %y = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %b.at)
  %x0 = call <16 x i16> @llvm.genx.rdregioni.v16i16.v64i16.i16(<64 x i16> %x, i32 0, i32 16, i32 1, i16 0, i32 undef)
  %x1 = call <16 x i16> @llvm.genx.rdregioni.v16i16.v64i16.i16(<64 x i16> %x, i32 0, i32 16, i32 1, i16 32, i32 undef)
  %sum = add <16 x i16> %x0, %x1
  %one = call <64 x i16> @llvm.genx.wrregioni.v64i16.v16i16.i16.i1(<64 x i16> %x, <16 x i16> %sum, i32 0, i32 16, i32 3, i16 10, i32 undef, i1 true)
  %part = call <15 x i16> @llvm.genx.rdregioni.v15i16.v64i16.i16(<64 x i16> %x, i32 0, i32 15, i32 1, i16 80, i32 undef)
  %two = call <64 x i16> @llvm.genx.wrregioni.v64i16.v15i16.i16.i1(<64 x i16> %one, <15 x i16> %part, i32 20, i32 5, i32 2, i16 4, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v64i16(i64 %o.at, <64 x i16> %two)
  %y0 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %y, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %y1 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %y, i32 0, i32 8, i32 1, i16 32, i32 undef)
  %y2 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %y, i32 0, i32 8, i32 1, i16 64, i32 undef)
  %above = icmp ugt <8 x i32> %y0, %y1
  %under = call <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.v8i1(<32 x i32> %y, <8 x i32> %y2, i32 0, i32 8, i32 2, i16 36, i32 undef, <8 x i1> %above)
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %p.at, <32 x i32> %under)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
