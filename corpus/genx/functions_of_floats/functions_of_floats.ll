; Functions of floats that the hardware does not have, or only approximates, within four units in the last place: of small and of large
; angles, of bases that are negative, and of results from the least normal to the greatest float.
;! global 1
;! local 1
;! in a f32 16 list 1.0 0.75 1.25 2.0 10.0 1e-38 3e38 1e-40 0.9999999 1.0000001 0.70710677 1.4142135 100.0 7.0 1e10 3.5e-5
;! in b f32 16 list 0.0 1.0 -1.0 0.5 88.5 -87.0 10.25 -0.001 1e-10 -30.5 37.9 3.75 -3.0 20.0 -12.125 0.3
;! in c f32 16 list 0.5 -0.75 1.5707964 3.1415927 -6.25 10.0 100.5 -1000.25 12345.678 -54321.0 1e-6 3.0 -2.5 85.5 0.25 -44.75
;! in d f32 16 list 65536.0 -70000.5 1e6 123456789.0 -1e10 3e15 1e20 -7.7e25 1e30 3.4e38 16777216.0 99999.75 8.5e12 -2.2e37 5e5 1234567.0
;! in f f32 16 list 0.0 0.5 -0.5 0.999 -0.999 1.0 -1.0 0.25 0.51 -0.75 1e-5 0.6249 -0.6251 0.49 0.9 -0.01
;! in g f32 16 list 2.0 3.0 -2.0 -3.0 5.0 7.0 -1.0 4.0 0.0 1.0 6.0 9.0 -5.0 8.0 -7.0 11.0
;! out o f32 384 ; ulp 4 abs 1e-37
;= import math
;= import struct
;= def f32(v):
;=     return struct.unpack("f", struct.pack("f", v))[0]
;= def ex(f):
;=     try:
;=         v = f()
;=     except (OverflowError, ZeroDivisionError):
;=         return math.inf
;=     return math.nan if isinstance(v, complex) else math.copysign(math.inf, v) if abs(v) > 3.4028235e38 else v
;= def expect(args):
;=     a, b, c, d, f, g = ([f32(x) for x in arg] for arg in args[:6])
;=     o = []
;=     o += [ex(lambda: math.exp(v)) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: 2.0**v) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: 10.0**v) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log2(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.log10(u) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [ex(lambda: u**t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.sin(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.cos(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.tan(t) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.sin(s) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.cos(s) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     o += [math.tan(s) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
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
;=     o += [ex(lambda: t**q) for u, v, t, s, r, q in zip(a, b, c, d, f, g)]
;=     return {6: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare <16 x float> @llvm.exp.v16f32(<16 x float>)
declare <16 x float> @llvm.exp2.v16f32(<16 x float>)
declare <16 x float> @llvm.exp10.v16f32(<16 x float>)
declare <16 x float> @llvm.log.v16f32(<16 x float>)
declare <16 x float> @llvm.log2.v16f32(<16 x float>)
declare <16 x float> @llvm.log10.v16f32(<16 x float>)
declare <16 x float> @llvm.pow.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.sin.v16f32(<16 x float>)
declare <16 x float> @llvm.cos.v16f32(<16 x float>)
declare <16 x float> @llvm.tan.v16f32(<16 x float>)
declare <16 x float> @llvm.asin.v16f32(<16 x float>)
declare <16 x float> @llvm.acos.v16f32(<16 x float>)
declare <16 x float> @llvm.atan.v16f32(<16 x float>)
declare <16 x float> @llvm.atan2.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.sinh.v16f32(<16 x float>)
declare <16 x float> @llvm.cosh.v16f32(<16 x float>)
declare <16 x float> @llvm.tanh.v16f32(<16 x float>)
declare <16 x float> @llvm.round.v16f32(<16 x float>)
declare <16 x float> @_Z17__spirv_ocl_expm1Dv16_f(<16 x float>)
declare <16 x float> @_Z17__spirv_ocl_log1pDv16_f(<16 x float>)

define spir_kernel void @functions_of_floats(float addrspace(1)* %a.p, float addrspace(1)* %b.p, float addrspace(1)* %c.p, float addrspace(1)* %d.p, float addrspace(1)* %f.p, float addrspace(1)* %g.p, float addrspace(1)* %o) #0 {
  %a.at = ptrtoint float addrspace(1)* %a.p to i64
  %a = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %b.at = ptrtoint float addrspace(1)* %b.p to i64
  %b = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %c.at = ptrtoint float addrspace(1)* %c.p to i64
  %c = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %c.at)
  %d.at = ptrtoint float addrspace(1)* %d.p to i64
  %d = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %d.at)
  %f.at = ptrtoint float addrspace(1)* %f.p to i64
  %f = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %f.at)
  %g.at = ptrtoint float addrspace(1)* %g.p to i64
  %g = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %g.at)
  %o.at = ptrtoint float addrspace(1)* %o to i64
  %r0 = call <16 x float> @llvm.exp.v16f32(<16 x float> %b)
  %o0 = add i64 %o.at, 0
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o0, <16 x float> %r0)
  %r1 = call <16 x float> @llvm.exp2.v16f32(<16 x float> %b)
  %o1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o1, <16 x float> %r1)
  %r2 = call <16 x float> @llvm.exp10.v16f32(<16 x float> %b)
  %o2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o2, <16 x float> %r2)
  %r3 = call <16 x float> @llvm.log.v16f32(<16 x float> %a)
  %o3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o3, <16 x float> %r3)
  %r4 = call <16 x float> @llvm.log2.v16f32(<16 x float> %a)
  %o4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o4, <16 x float> %r4)
  %r5 = call <16 x float> @llvm.log10.v16f32(<16 x float> %a)
  %o5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o5, <16 x float> %r5)
  %r6 = call <16 x float> @llvm.pow.v16f32(<16 x float> %a, <16 x float> %c)
  %o6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o6, <16 x float> %r6)
  %r7 = call <16 x float> @llvm.sin.v16f32(<16 x float> %c)
  %o7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o7, <16 x float> %r7)
  %r8 = call <16 x float> @llvm.cos.v16f32(<16 x float> %c)
  %o8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o8, <16 x float> %r8)
  %r9 = call <16 x float> @llvm.tan.v16f32(<16 x float> %c)
  %o9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o9, <16 x float> %r9)
  %r10 = call <16 x float> @llvm.sin.v16f32(<16 x float> %d)
  %o10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o10, <16 x float> %r10)
  %r11 = call <16 x float> @llvm.cos.v16f32(<16 x float> %d)
  %o11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o11, <16 x float> %r11)
  %r12 = call <16 x float> @llvm.tan.v16f32(<16 x float> %d)
  %o12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o12, <16 x float> %r12)
  %r13 = call <16 x float> @llvm.asin.v16f32(<16 x float> %f)
  %o13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o13, <16 x float> %r13)
  %r14 = call <16 x float> @llvm.acos.v16f32(<16 x float> %f)
  %o14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o14, <16 x float> %r14)
  %r15 = call <16 x float> @llvm.atan.v16f32(<16 x float> %c)
  %o15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o15, <16 x float> %r15)
  %r16 = call <16 x float> @llvm.atan2.v16f32(<16 x float> %c, <16 x float> %b)
  %o16 = add i64 %o.at, 1024
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o16, <16 x float> %r16)
  %r17 = call <16 x float> @llvm.sinh.v16f32(<16 x float> %c)
  %o17 = add i64 %o.at, 1088
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o17, <16 x float> %r17)
  %r18 = call <16 x float> @llvm.cosh.v16f32(<16 x float> %c)
  %o18 = add i64 %o.at, 1152
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o18, <16 x float> %r18)
  %r19 = call <16 x float> @llvm.tanh.v16f32(<16 x float> %f)
  %o19 = add i64 %o.at, 1216
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o19, <16 x float> %r19)
  %r20 = call <16 x float> @llvm.round.v16f32(<16 x float> %c)
  %o20 = add i64 %o.at, 1280
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o20, <16 x float> %r20)
  %r21 = call <16 x float> @_Z17__spirv_ocl_expm1Dv16_f(<16 x float> %f)
  %o21 = add i64 %o.at, 1344
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o21, <16 x float> %r21)
  %r22 = call <16 x float> @_Z17__spirv_ocl_log1pDv16_f(<16 x float> %a)
  %o22 = add i64 %o.at, 1408
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o22, <16 x float> %r22)
  %r23 = call <16 x float> @llvm.pow.v16f32(<16 x float> %c, <16 x float> %g)
  %o23 = add i64 %o.at, 1472
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o23, <16 x float> %r23)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
