; Roots and quotients of LLVM, which are correctly rounded.
; On later platforms the reference compiler rounds the quotient of LLVM less exactly.
;! global 1
;! local 1
;! unlike bmg lnl ptl
;! in a f32 16 real 0.1 9
;! in b f32 16 real 1 3
;! out o f32 64
;= import math
;= f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [f32(math.sqrt(u)) for u in a]
;=     o += [f32(u / v) for u, v in zip(a, b)]
;=     o += [f32(v / u) for u, v in zip(a, b)]
;=     o += [f32(math.sqrt(v)) for v in b]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <16 x float> @llvm.sqrt.v16f32(<16 x float>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare <16 x float> @llvm.genx.ieee.div.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.genx.ieee.sqrt.v16f32(<16 x float>)

define spir_kernel void @exact_roots(float addrspace(1)* %a.p, float addrspace(1)* %b.p, float addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint float addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint float addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %root = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %root)
  %q = fdiv <16 x float> %a, %b
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %q)
  %iq = call <16 x float> @llvm.genx.ieee.div.v16f32(<16 x float> %b, <16 x float> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %iq)
  %ir = call <16 x float> @llvm.genx.ieee.sqrt.v16f32(<16 x float> %b)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %ir)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
