; Arithmetic of halves.
;! global 1
;! local 1
;! in a f16 16 real -10 10
;! in b f16 16 real 1 4
;! out o f16 32
;= def expect(args):
;=     f16 = lambda v: struct.unpack("e", struct.pack("e", v))[0]
;=     x, y = args[:2]
;=     return {2: [f16(f16(u + v) * u) for u, v in zip(x, y)] + [u if u > v else -v for u, v in zip(x, y)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16f16(i64, <16 x half>)

define spir_kernel void @halves(half addrspace(1)* %a, half addrspace(1)* %b, half addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint half addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, 0
  %b.at.base = ptrtoint half addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, 0
  %o.at.base = ptrtoint half addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %a.at)
  %y = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %b.at)
  %sum = fadd <16 x half> %x, %y
  %o0 = fmul <16 x half> %sum, %x
  %above = fcmp ogt <16 x half> %x, %y
  %minus = fneg <16 x half> %y
  %o1 = select <16 x i1> %above, <16 x half> %x, <16 x half> %minus
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %o.at, <16 x half> %o0)
  %t1 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %t1, <16 x half> %o1)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
