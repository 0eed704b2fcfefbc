; Functions of doubles, within five units in the last place: of small angles and of those of hundreds of millions, of bases that are negative, and
; of results from the least number to the greatest.
;! global 1
;! local 1
;! double
;! in a f64 8 list 1.0 0.75 1.25 1e-320 1e308 0.9999999999 1.4142135623730951 2.5e-308
;! in b f64 8 list 0.0 1.0 -1.0 709.5 -740.0 1e-12 -0.001 37.875
;! in c f64 8 list 0.5 -0.75 1.5707963267948966 3.141592653589793 -6.25 355.0 -700.125 1e-9
;! in d f64 8 list 1e5 -70000.5 123456789.0 1e9 3.0e8 -999999.75 22.0 16777216.5
;! in f f64 8 list 0.0 0.5 -0.5 0.9999 -0.999 1.0 -1.0 1e-7
;! in g f64 8 list 2.5 300.25 -300.5 -10.0 0.5 1.0 307.75 -0.125
;! out o f64 192 ; ulp 5 abs 1e-320
;= import math
;= def ex(f):
;=     try:
;=         v = f()
;=     except (OverflowError, ZeroDivisionError):
;=         return math.inf
;=     return math.nan if isinstance(v, complex) else v
;= def expect(args):
;=     a, b, c, d, f, g = args[:6]
;=     o = []
;=     o += [ex(lambda: math.exp(v)) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: 2.0**v) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: float("1e" + str(int(q))) if q == int(q) else 10.0**q) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log2(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log10(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: u**t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.sin(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.cos(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.tan(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.sin(s) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.cos(s) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.asin(r) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.acos(r) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.atan(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.atan2(t, v) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.copysign(ex(lambda: math.sinh(abs(t))), t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: math.cosh(t)) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.tanh(r) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.copysign(math.floor(abs(t) + 0.5), t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.expm1(r) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log1p(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [max(r, t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [min(r, t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     return {6: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8f64(i64, <8 x double>)
declare <8 x double> @llvm.exp.v8f64(<8 x double>)
declare <8 x double> @llvm.exp2.v8f64(<8 x double>)
declare <8 x double> @llvm.exp10.v8f64(<8 x double>)
declare <8 x double> @llvm.log.v8f64(<8 x double>)
declare <8 x double> @llvm.log2.v8f64(<8 x double>)
declare <8 x double> @llvm.log10.v8f64(<8 x double>)
declare <8 x double> @llvm.pow.v8f64(<8 x double>, <8 x double>)
declare <8 x double> @llvm.sin.v8f64(<8 x double>)
declare <8 x double> @llvm.cos.v8f64(<8 x double>)
declare <8 x double> @llvm.tan.v8f64(<8 x double>)
declare <8 x double> @llvm.asin.v8f64(<8 x double>)
declare <8 x double> @llvm.acos.v8f64(<8 x double>)
declare <8 x double> @llvm.atan.v8f64(<8 x double>)
declare <8 x double> @llvm.atan2.v8f64(<8 x double>, <8 x double>)
declare <8 x double> @llvm.sinh.v8f64(<8 x double>)
declare <8 x double> @llvm.cosh.v8f64(<8 x double>)
declare <8 x double> @llvm.tanh.v8f64(<8 x double>)
declare <8 x double> @llvm.round.v8f64(<8 x double>)
declare <8 x double> @_Z17__spirv_ocl_expm1Dv8_d(<8 x double>)
declare <8 x double> @_Z17__spirv_ocl_log1pDv8_d(<8 x double>)
declare <8 x double> @llvm.maximum.v8f64(<8 x double>, <8 x double>)
declare <8 x double> @llvm.minimumnum.v8f64(<8 x double>, <8 x double>)

define spir_kernel void @functions_of_doubles(double addrspace(1)* %a.p, double addrspace(1)* %b.p, double addrspace(1)* %c.p, double addrspace(1)* %d.p, double addrspace(1)* %f.p, double addrspace(1)* %g.p, double addrspace(1)* %o) "VCFunction" {
  %a.at = ptrtoint double addrspace(1)* %a.p to i64
  %a = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %a.at)
  %b.at = ptrtoint double addrspace(1)* %b.p to i64
  %b = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %b.at)
  %c.at = ptrtoint double addrspace(1)* %c.p to i64
  %c = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %c.at)
  %d.at = ptrtoint double addrspace(1)* %d.p to i64
  %d = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %d.at)
  %f.at = ptrtoint double addrspace(1)* %f.p to i64
  %f = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %f.at)
  %g.at = ptrtoint double addrspace(1)* %g.p to i64
  %g = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %g.at)
  %o.at = ptrtoint double addrspace(1)* %o to i64
  %r0 = call <8 x double> @llvm.exp.v8f64(<8 x double> %b)
  %o0 = add i64 %o.at, 0
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o0, <8 x double> %r0)
  %r1 = call <8 x double> @llvm.exp2.v8f64(<8 x double> %b)
  %o1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o1, <8 x double> %r1)
  %r2 = call <8 x double> @llvm.exp10.v8f64(<8 x double> %g)
  %o2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o2, <8 x double> %r2)
  %r3 = call <8 x double> @llvm.log.v8f64(<8 x double> %a)
  %o3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o3, <8 x double> %r3)
  %r4 = call <8 x double> @llvm.log2.v8f64(<8 x double> %a)
  %o4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o4, <8 x double> %r4)
  %r5 = call <8 x double> @llvm.log10.v8f64(<8 x double> %a)
  %o5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o5, <8 x double> %r5)
  %r6 = call <8 x double> @llvm.pow.v8f64(<8 x double> %a, <8 x double> %c)
  %o6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o6, <8 x double> %r6)
  %r7 = call <8 x double> @llvm.sin.v8f64(<8 x double> %c)
  %o7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o7, <8 x double> %r7)
  %r8 = call <8 x double> @llvm.cos.v8f64(<8 x double> %c)
  %o8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o8, <8 x double> %r8)
  %r9 = call <8 x double> @llvm.tan.v8f64(<8 x double> %c)
  %o9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o9, <8 x double> %r9)
  %r10 = call <8 x double> @llvm.sin.v8f64(<8 x double> %d)
  %o10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o10, <8 x double> %r10)
  %r11 = call <8 x double> @llvm.cos.v8f64(<8 x double> %d)
  %o11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o11, <8 x double> %r11)
  %r12 = call <8 x double> @llvm.asin.v8f64(<8 x double> %f)
  %o12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o12, <8 x double> %r12)
  %r13 = call <8 x double> @llvm.acos.v8f64(<8 x double> %f)
  %o13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o13, <8 x double> %r13)
  %r14 = call <8 x double> @llvm.atan.v8f64(<8 x double> %c)
  %o14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o14, <8 x double> %r14)
  %r15 = call <8 x double> @llvm.atan2.v8f64(<8 x double> %c, <8 x double> %b)
  %o15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o15, <8 x double> %r15)
  %r16 = call <8 x double> @llvm.sinh.v8f64(<8 x double> %c)
  %o16 = add i64 %o.at, 1024
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o16, <8 x double> %r16)
  %r17 = call <8 x double> @llvm.cosh.v8f64(<8 x double> %c)
  %o17 = add i64 %o.at, 1088
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o17, <8 x double> %r17)
  %r18 = call <8 x double> @llvm.tanh.v8f64(<8 x double> %f)
  %o18 = add i64 %o.at, 1152
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o18, <8 x double> %r18)
  %r19 = call <8 x double> @llvm.round.v8f64(<8 x double> %c)
  %o19 = add i64 %o.at, 1216
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o19, <8 x double> %r19)
  %r20 = call <8 x double> @_Z17__spirv_ocl_expm1Dv8_d(<8 x double> %f)
  %o20 = add i64 %o.at, 1280
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o20, <8 x double> %r20)
  %r21 = call <8 x double> @_Z17__spirv_ocl_log1pDv8_d(<8 x double> %a)
  %o21 = add i64 %o.at, 1344
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o21, <8 x double> %r21)
  %r22 = call <8 x double> @llvm.maximum.v8f64(<8 x double> %f, <8 x double> %c)
  %o22 = add i64 %o.at, 1408
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o22, <8 x double> %r22)
  %r23 = call <8 x double> @llvm.minimumnum.v8f64(<8 x double> %f, <8 x double> %c)
  %o23 = add i64 %o.at, 1472
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o23, <8 x double> %r23)
  ret void
}
