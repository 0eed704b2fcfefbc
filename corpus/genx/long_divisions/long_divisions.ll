; Quotients and remainders of integers of 64 bits, with and without a sign, of edges and of numbers of all lengths.
;! global 8
;! local 1
;! double
;! in a u64 64 edges 0
;! in b u64 64 edges 3
;! out o u64 256
;= def expect(args):
;=     s = lambda v: v - 2**64 if v >= 2**63 else v
;=     out = []
;=     for g in range(8):
;=         x, y = args[0][8 * g:8 * g + 8], [v | 1 for v in args[1][8 * g:8 * g + 8]]
;=         q = [abs(s(u)) // abs(s(v)) * (1 if (s(u) < 0) == (s(v) < 0) else -1) for u, v in zip(x, y)]
;=         out += [u // v for u, v in zip(x, y)] + [u % v for u, v in zip(x, y)]
;=         out += q + [s(u) - w * s(v) for u, v, w in zip(x, y, q)]
;=     return {2: [v % 2**64 for v in out]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8i64(i64, <8 x i64>)

define spir_kernel void @long_divisions(i64 addrspace(1)* %a, i64 addrspace(1)* %b, i64 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint i64 addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint i64 addrspace(1)* %b to i64
  %b.at = add i64 %b.base, %offset
  %four = shl i64 %offset, 2
  %o.base = ptrtoint i64 addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %four
  %x = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %a.at)
  %y0 = call <8 x i64> @llvm.genx.svm.block.ld.unaligned.v8i64.i64(i64 %b.at)
  %y = or <8 x i64> %y0, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  %uq = udiv <8 x i64> %x, %y
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o.at, <8 x i64> %uq)
  %ur = urem <8 x i64> %x, %y
  %o1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o1, <8 x i64> %ur)
  %sq = sdiv <8 x i64> %x, %y
  %o2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o2, <8 x i64> %sq)
  %sr = srem <8 x i64> %x, %y
  %o3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v8i64(i64 %o3, <8 x i64> %sr)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
