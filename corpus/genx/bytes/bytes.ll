; Vectors of bytes: arithmetic, comparisons, shifts, a region of every third one.
;! global 2
;! local 1
;! in a u8 64 bits 8
;! in b u8 64 bits 8
;! out o u8 128
;= def sgn(v):
;=     return v - 256 if v > 127 else v
;= def expect(args):
;=     o = []
;=     for g in range(2):
;=         x, y = args[0][32 * g:32 * g + 32], args[1][32 * g:32 * g + 32]
;=         o += [(u * v + (u >> 2) + (sgn(v) >> 3)) % 256 for u, v in zip(x, y)]
;=         o += [u if sgn(u) < sgn(v) else v ^ 0xff for u, v in zip(x, y)][:22]
;=         o += [x[1 + 3 * i] for i in range(10)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64)
declare <10 x i8> @llvm.genx.rdregioni.v10i8.v32i8.i16(<32 x i8>, i32, i32, i32, i16, i32)
declare <32 x i8> @llvm.genx.wrregioni.v32i8.v10i8.i16.i1(<32 x i8>, <10 x i8>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v32i8(i64, <32 x i8>)

define spir_kernel void @bytes(i8 addrspace(1)* %a, i8 addrspace(1)* %b, i8 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i8 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint i8 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %double = shl i64 %offset, 1
  %o.at.base = ptrtoint i8 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %double
  %x = call <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64 %a.at)
  %y = call <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64 %b.at)
  %product = mul <32 x i8> %x, %y
  %quarter = lshr <32 x i8> %x, <i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2>
  %eighth = ashr <32 x i8> %y, <i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3>
  %some = add <32 x i8> %product, %quarter
  %all = add <32 x i8> %some, %eighth
  %less = icmp slt <32 x i8> %x, %y
  %not = xor <32 x i8> %y, <i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1, i8 -1>
  %chosen = select <32 x i1> %less, <32 x i8> %x, <32 x i8> %not
  %third = call <10 x i8> @llvm.genx.rdregioni.v10i8.v32i8.i16(<32 x i8> %x, i32 0, i32 10, i32 3, i16 1, i32 undef)
  %both = call <32 x i8> @llvm.genx.wrregioni.v32i8.v10i8.i16.i1(<32 x i8> %chosen, <10 x i8> %third, i32 0, i32 10, i32 1, i16 22, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v32i8(i64 %o.at, <32 x i8> %all)
  %next = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v32i8(i64 %next, <32 x i8> %both)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
