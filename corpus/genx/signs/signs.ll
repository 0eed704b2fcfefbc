; Signs of singles taken from others. LLVM 15 makes of it a call of a function that is not there.
;! unlike
;! global 1
;! local 1
;! in a f32 16 real -8 8
;! in b f32 16 fedges
;! out o f32 16
;= import math
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [math.copysign(u, v) for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <16 x float> @llvm.copysign.v16f32(<16 x float>, <16 x float>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

define spir_kernel void @signs(float addrspace(1)* %a.p, float addrspace(1)* %b.p, float addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint float addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint float addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %r = call <16 x float> @llvm.copysign.v16f32(<16 x float> %a, <16 x float> %b)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
