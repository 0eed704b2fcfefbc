; Functions of singles, as exact as the hardware is: roots, powers, logarithms, angles.
;! global 1
;! local 1
;! in a f32 16 real 0.1 8
;! in b f32 16 real -3 3
;! out o f32 128 ; ulp 8 abs 1e-6
;= import math
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [math.sqrt(u) for u, v in zip(a, b)]
;=     o += [1 / math.sqrt(u) for u, v in zip(a, b)]
;=     o += [1 / u for u, v in zip(a, b)]
;=     o += [math.log2(u) for u, v in zip(a, b)]
;=     o += [2**v for u, v in zip(a, b)]
;=     o += [math.sin(v) for u, v in zip(a, b)]
;=     o += [math.cos(v) for u, v in zip(a, b)]
;=     o += [u**v for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <16 x float> @llvm.genx.sqrt.v16f32(<16 x float>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare <16 x float> @llvm.genx.rsqrt.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.inv.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.log.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.exp.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.sin.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.cos.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.pow.v16f32(<16 x float>, <16 x float>)

define spir_kernel void @math(float addrspace(1)* %a.p, float addrspace(1)* %b.p, float addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint float addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint float addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %sqrt = call <16 x float> @llvm.genx.sqrt.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %sqrt)
  %rsqrt = call <16 x float> @llvm.genx.rsqrt.v16f32(<16 x float> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %rsqrt)
  %inv = call <16 x float> @llvm.genx.inv.v16f32(<16 x float> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %inv)
  %log = call <16 x float> @llvm.genx.log.v16f32(<16 x float> %a)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %log)
  %exp = call <16 x float> @llvm.genx.exp.v16f32(<16 x float> %b)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t4, <16 x float> %exp)
  %sin = call <16 x float> @llvm.genx.sin.v16f32(<16 x float> %b)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t5, <16 x float> %sin)
  %cos = call <16 x float> @llvm.genx.cos.v16f32(<16 x float> %b)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t6, <16 x float> %cos)
  %pow = call <16 x float> @llvm.genx.pow.v16f32(<16 x float> %a, <16 x float> %b)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t7, <16 x float> %pow)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
