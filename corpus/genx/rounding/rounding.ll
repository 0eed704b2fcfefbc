; Singles rounded in four ways, fractions, absolute values, signs, extrema, saturation, sums of products.
;! global 1
;! local 1
;! in a f32 16 real -8 8
;! in b f32 16 real -1 2
;! out o f32 256
;= import math
;= from fractions import Fraction
;= f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;= def exact(u, v, w):
;=     """The product and the sum with one rounding; the sum is a multiple of 2^-60, so that it is decided by integers."""
;=     n = int((Fraction(u) * Fraction(v) + Fraction(w)) * 2**60)
;=     drop = max(abs(n).bit_length() - 24, 0)
;=     low, n = abs(n) % 2**drop, abs(n) >> drop if n >= 0 else -(abs(n) >> drop)
;=     up = 2 * low > 2**drop or 2 * low == 2**drop and n % 2
;=     return float(n + (up if n >= 0 else -up)) * 2.0**(drop - 60)
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [float(math.floor(u)) for u, v in zip(a, b)]
;=     o += [float(math.ceil(u)) for u, v in zip(a, b)]
;=     o += [float(math.trunc(u)) for u, v in zip(a, b)]
;=     o += [float(round(u)) for u, v in zip(a, b)]
;=     o += [f32(u - math.floor(u)) for u, v in zip(a, b)]
;=     o += [abs(u) for u, v in zip(a, b)]
;=     o += [min(max(v, 0.0), 1.0) for v in b]
;=     o += [max(u, v) for u, v in zip(a, b)]
;=     o += [min(u, v) for u, v in zip(a, b)]
;=     o += [max(u, v) for u, v in zip(a, b)]
;=     o += [min(u, v) for u, v in zip(a, b)]
;=     o += [abs(u) for u in a]
;=     o += [float(math.floor(u)) for u in a]
;=     o += [float(math.ceil(u)) for u in a]
;=     o += [float(math.trunc(u)) for u in a]
;=     o += [exact(u, v, u) for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <16 x float> @llvm.genx.rndd.v16f32(<16 x float>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare <16 x float> @llvm.genx.rndu.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.rndz.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.rnde.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.frc.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.absf.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.sat.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.fmax.v16f32.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.genx.fmin.v16f32.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.maxnum.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.minnum.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.fabs.v16f32(<16 x float>)
declare <16 x float> @llvm.floor.v16f32(<16 x float>)
declare <16 x float> @llvm.ceil.v16f32(<16 x float>)
declare <16 x float> @llvm.trunc.v16f32(<16 x float>)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

define spir_kernel void @rounding(float addrspace(1)* %a.p, float addrspace(1)* %b.p, float addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint float addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at.base = ptrtoint float addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %rndd = call <16 x float> @llvm.genx.rndd.v16f32(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %rndd)
  %rndu = call <16 x float> @llvm.genx.rndu.v16f32(<16 x float> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %rndu)
  %rndz = call <16 x float> @llvm.genx.rndz.v16f32(<16 x float> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %rndz)
  %rnde = call <16 x float> @llvm.genx.rnde.v16f32(<16 x float> %a)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %rnde)
  %frc = call <16 x float> @llvm.genx.frc.v16f32(<16 x float> %a)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t4, <16 x float> %frc)
  %absf = call <16 x float> @llvm.genx.absf.v16f32(<16 x float> %a)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t5, <16 x float> %absf)
  %sat = call <16 x float> @llvm.genx.sat.v16f32(<16 x float> %b)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t6, <16 x float> %sat)
  %fmax = call <16 x float> @llvm.genx.fmax.v16f32.v16f32(<16 x float> %a, <16 x float> %b)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t7, <16 x float> %fmax)
  %fmin = call <16 x float> @llvm.genx.fmin.v16f32.v16f32(<16 x float> %a, <16 x float> %b)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t8, <16 x float> %fmin)
  %lmaxnum = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %a, <16 x float> %b)
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t9, <16 x float> %lmaxnum)
  %lminnum = call <16 x float> @llvm.minnum.v16f32(<16 x float> %a, <16 x float> %b)
  %t10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t10, <16 x float> %lminnum)
  %lfabs = call <16 x float> @llvm.fabs.v16f32(<16 x float> %a)
  %t11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t11, <16 x float> %lfabs)
  %lfloor = call <16 x float> @llvm.floor.v16f32(<16 x float> %a)
  %t12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t12, <16 x float> %lfloor)
  %lceil = call <16 x float> @llvm.ceil.v16f32(<16 x float> %a)
  %t13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t13, <16 x float> %lceil)
  %ltrunc = call <16 x float> @llvm.trunc.v16f32(<16 x float> %a)
  %t14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t14, <16 x float> %ltrunc)
  %fma = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %b, <16 x float> %a)
  %t15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t15, <16 x float> %fma)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
