; Functions of LLVM with integers beside floats or with two results, classes of floats, and vectors in other orders.
;! unlike
;! global 1
;! local 1
;! in a f32 16 list 0.5 -0.25 1.5 -1.75 3.125 100.5 -7.0 1e-40 2.75 -0.0 12345.5 0.75 -1e10 inf -65.25 3e38
;! in b f32 16 list 2.5 -4.5 0.25 -1.75 -1.5 33.0 2.0 1.0 -0.5 0.1 17.0 1e-3 3e5 4.0 -16.0 1e8
;! in c f32 16 list inf -inf nan 0.0 -0.0 1e-40 -1e-40 1.0 -1.0 3e38 -3e38 1.1754944e-38 -1.1754944e-38 1e-45 -1e-45 5.0
;! in k i32 16 list 3 7 -3 10 -149 -120 127 -1 0 5 -300 1 100 20 -20 -253
;! in i u32 16 edges
;! in j u32 16 edges 6
;! out o f32 160 ; ulp 4 abs 1e-45
;! out q u32 320
;= import math
;= import struct
;= def f32(v):
;=     return v if v != v or math.isinf(v) else math.copysign(math.inf, v) if abs(v) >= 3.40282357e38 else struct.unpack("f", struct.pack("f", v))[0]
;= def power(v, n):
;=     p, base, m = 1.0, v, abs(n)
;=     while m:
;=         p, base, m = f32(p * base) if m & 1 else p, f32(base * base), m >> 1
;=     return p if n >= 0 else math.copysign(math.inf, p) if p == 0 else f32(1 / p)
;= def classes(v):
;=     if v != v:
;=         return 1
;=     sign, a = math.copysign(1, v) < 0, abs(v)
;=     kind = 3 if a == math.inf else 0 if a == 0 else 1 if a < 2**-126 else 2
;=     return 5 - kind if sign else 6 + kind
;= def expect(args):
;=     a, b, c = ([f32(x) for x in arg] for arg in args[:3])
;=     k, i, j = args[3:6]

;=     o = [power(v, k[1]) for v in a] + [power(v, -5) for v in a]
;=     o += [f32(math.ldexp(v, n)) if abs(v) != math.inf and abs(n) < 999 else v for v, n in zip(a, k)]
;=     o += [math.frexp(v)[0] for v in a]
;=     o += [math.modf(v)[0] for v in a] + [math.modf(v)[1] for v in a]
;=     o += [math.sin(v) for v in b] + [math.cos(v) for v in b]
;=     o += b[:3] + [max(b)] + b[4:] + b
;=     q = [math.frexp(v)[1] if abs(v) != math.inf else 0 for v in a]
;=     q += [-5, round(b[1])] + i[2:]
;=     q += [classes(v) == n for n in range(10) for v in c] + [0x264 >> classes(v) & 1 for v in c]
;=     q += i[5:] + j[:5] + i[13:] + j[:13] + i[14:] + j[:14] + list(range(16))
;=     q += [k[1] + n < 14 for n in range(16)]
;=     q += [w for u, v in zip(i[:4], j[:4]) for w in (u, v, u, v)]
;=     turned = [i[n + 2 - 2 * (n % 3)] for n in range(12)]
;=     q += turned + turned[:4]
;=     return {6: o, 7: [n % 2**32 for n in q]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <12 x i32> @llvm.vector.interleave3.v12i32(<4 x i32>, <4 x i32>, <4 x i32>)
declare <16 x float> @llvm.canonicalize.v16f32(<16 x float>)
declare <16 x float> @llvm.ldexp.v16f32.v16i32(<16 x float>, <16 x i32>)
declare <16 x float> @llvm.powi.v16f32.i32(<16 x float>, i32)
declare <16 x i1> @llvm.get.active.lane.mask.v16i1.i32(i32, i32)
declare <16 x i1> @llvm.is.fpclass.v16f32(<16 x float>, i32)
declare <16 x i32> @llvm.experimental.vector.splice.v16i32(<16 x i32>, <16 x i32>, i32)
declare <16 x i32> @llvm.stepvector.v16i32()
declare <16 x i32> @llvm.vector.interleave4.v16i32(<4 x i32>, <4 x i32>, <4 x i32>, <4 x i32>)
declare <16 x i32> @llvm.vector.splice.right.v16i32(<16 x i32>, <16 x i32>, i32)
declare <16 x i32> @llvm.vector.splice.v16i32(<16 x i32>, <16 x i32>, i32)
declare float @llvm.vector.reduce.fmaximum.v16f32(<16 x float>)
declare i32 @llvm.lrint.i32.f32(float)
declare i32 @llvm.lround.i32.f32(float)
declare { <16 x float>, <16 x float> } @llvm.modf.v16f32(<16 x float>)
declare { <16 x float>, <16 x float> } @llvm.sincos.v16f32(<16 x float>)
declare { <16 x float>, <16 x i32> } @llvm.frexp.v16f32.v16i32(<16 x float>)
declare { <4 x i32>, <4 x i32>, <4 x i32> } @llvm.vector.deinterleave3.v12i32(<12 x i32>)

define spir_kernel void @newest_llvm(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %c.p, i32 addrspace(1)* %k.p, i32 addrspace(1)* %i.p, i32 addrspace(1)* %j.p, i32 addrspace(1)* %o.p, i32 addrspace(1)* %q.p) #0 {
  %a.at = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %a = bitcast <16 x i32> %a.w to <16 x float>
  %b.at = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %b = bitcast <16 x i32> %b.w to <16 x float>
  %c.at = ptrtoint i32 addrspace(1)* %c.p to i64
  %c.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %c.at)
  %c = bitcast <16 x i32> %c.w to <16 x float>
  %k.at = ptrtoint i32 addrspace(1)* %k.p to i64
  %k.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %k.at)
  %k = bitcast <16 x i32> %k.w to <16 x float>
  %i.at = ptrtoint i32 addrspace(1)* %i.p to i64
  %i.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %i.at)
  %i = bitcast <16 x i32> %i.w to <16 x float>
  %j.at = ptrtoint i32 addrspace(1)* %j.p to i64
  %j.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %j.at)
  %j = bitcast <16 x i32> %j.w to <16 x float>
  %o.at = ptrtoint i32 addrspace(1)* %o.p to i64
  %q.at = ptrtoint i32 addrspace(1)* %q.p to i64
  %n = extractelement <16 x i32> %k.w, i32 1
  %powi = call <16 x float> @llvm.powi.v16f32.i32(<16 x float> %a, i32 %n)
  %powi.o0.b = bitcast <16 x float> %powi to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %powi.o0.b)
  %powi5 = call <16 x float> @llvm.powi.v16f32.i32(<16 x float> %a, i32 -5)
  %powi5.o1.b = bitcast <16 x float> %powi5 to <16 x i32>
  %o.t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t1, <16 x i32> %powi5.o1.b)
  %ldexp = call <16 x float> @llvm.ldexp.v16f32.v16i32(<16 x float> %a, <16 x i32> %k.w)
  %ldexp.o2.b = bitcast <16 x float> %ldexp to <16 x i32>
  %o.t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t2, <16 x i32> %ldexp.o2.b)
  %frexp = call { <16 x float>, <16 x i32> } @llvm.frexp.v16f32.v16i32(<16 x float> %a)
  %frexp.0 = extractvalue { <16 x float>, <16 x i32> } %frexp, 0
  %frexp.1 = extractvalue { <16 x float>, <16 x i32> } %frexp, 1
  %frexp.0.o3.b = bitcast <16 x float> %frexp.0 to <16 x i32>
  %o.t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t3, <16 x i32> %frexp.0.o3.b)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.at, <16 x i32> %frexp.1)
  %modf = call { <16 x float>, <16 x float> } @llvm.modf.v16f32(<16 x float> %a)
  %modf.0 = extractvalue { <16 x float>, <16 x float> } %modf, 0
  %modf.0.o4.b = bitcast <16 x float> %modf.0 to <16 x i32>
  %o.t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t4, <16 x i32> %modf.0.o4.b)
  %modf.1 = extractvalue { <16 x float>, <16 x float> } %modf, 1
  %modf.1.o5.b = bitcast <16 x float> %modf.1 to <16 x i32>
  %o.t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t5, <16 x i32> %modf.1.o5.b)
  %sincos = call { <16 x float>, <16 x float> } @llvm.sincos.v16f32(<16 x float> %b)
  %sincos.0 = extractvalue { <16 x float>, <16 x float> } %sincos, 0
  %sincos.0.o6.b = bitcast <16 x float> %sincos.0 to <16 x i32>
  %o.t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t6, <16 x i32> %sincos.0.o6.b)
  %sincos.1 = extractvalue { <16 x float>, <16 x float> } %sincos, 1
  %sincos.1.o7.b = bitcast <16 x float> %sincos.1 to <16 x i32>
  %o.t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t7, <16 x i32> %sincos.1.o7.b)
  %fmaximum = call float @llvm.vector.reduce.fmaximum.v16f32(<16 x float> %b)
  %fm = insertelement <16 x float> %b, float %fmaximum, i32 3
  %fm.o8.b = bitcast <16 x float> %fm to <16 x i32>
  %o.t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t8, <16 x i32> %fm.o8.b)
  %canonicalize = call <16 x float> @llvm.canonicalize.v16f32(<16 x float> %b)
  %canonicalize.o9.b = bitcast <16 x float> %canonicalize to <16 x i32>
  %o.t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t9, <16 x i32> %canonicalize.o9.b)
  %b1 = extractelement <16 x float> %b, i32 1
  %lround = call i32 @llvm.lround.i32.f32(float %b1)
  %lrint = call i32 @llvm.lrint.i32.f32(float %b1)
  %whole.0 = insertelement <16 x i32> %i.w, i32 %lround, i32 0
  %whole.1 = insertelement <16 x i32> %whole.0, i32 %lrint, i32 1
  %q.t1 = add i64 %q.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t1, <16 x i32> %whole.1)
  %class0 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 1)
  %class0.i = zext <16 x i1> %class0 to <16 x i32>
  %q.t2 = add i64 %q.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t2, <16 x i32> %class0.i)
  %class1 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 2)
  %class1.i = zext <16 x i1> %class1 to <16 x i32>
  %q.t3 = add i64 %q.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t3, <16 x i32> %class1.i)
  %class2 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 4)
  %class2.i = zext <16 x i1> %class2 to <16 x i32>
  %q.t4 = add i64 %q.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t4, <16 x i32> %class2.i)
  %class3 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 8)
  %class3.i = zext <16 x i1> %class3 to <16 x i32>
  %q.t5 = add i64 %q.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t5, <16 x i32> %class3.i)
  %class4 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 16)
  %class4.i = zext <16 x i1> %class4 to <16 x i32>
  %q.t6 = add i64 %q.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t6, <16 x i32> %class4.i)
  %class5 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 32)
  %class5.i = zext <16 x i1> %class5 to <16 x i32>
  %q.t7 = add i64 %q.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t7, <16 x i32> %class5.i)
  %class6 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 64)
  %class6.i = zext <16 x i1> %class6 to <16 x i32>
  %q.t8 = add i64 %q.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t8, <16 x i32> %class6.i)
  %class7 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 128)
  %class7.i = zext <16 x i1> %class7 to <16 x i32>
  %q.t9 = add i64 %q.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t9, <16 x i32> %class7.i)
  %class8 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 256)
  %class8.i = zext <16 x i1> %class8 to <16 x i32>
  %q.t10 = add i64 %q.at, 640
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t10, <16 x i32> %class8.i)
  %class9 = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 512)
  %class9.i = zext <16 x i1> %class9 to <16 x i32>
  %q.t11 = add i64 %q.at, 704
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t11, <16 x i32> %class9.i)
  %classes = call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %c, i32 612)
  %classes.i = zext <16 x i1> %classes to <16 x i32>
  %q.t12 = add i64 %q.at, 768
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t12, <16 x i32> %classes.i)
  %splice = call <16 x i32> @llvm.vector.splice.v16i32(<16 x i32> %i.w, <16 x i32> %j.w, i32 5)
  %q.t13 = add i64 %q.at, 832
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t13, <16 x i32> %splice)
  %back = call <16 x i32> @llvm.experimental.vector.splice.v16i32(<16 x i32> %i.w, <16 x i32> %j.w, i32 -3)
  %q.t14 = add i64 %q.at, 896
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t14, <16 x i32> %back)
  %right = call <16 x i32> @llvm.vector.splice.right.v16i32(<16 x i32> %i.w, <16 x i32> %j.w, i32 2)
  %q.t15 = add i64 %q.at, 960
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t15, <16 x i32> %right)
  %step = call <16 x i32> @llvm.stepvector.v16i32()
  %q.t16 = add i64 %q.at, 1024
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t16, <16 x i32> %step)
  %active = call <16 x i1> @llvm.get.active.lane.mask.v16i1.i32(i32 %n, i32 14)
  %active.i = zext <16 x i1> %active to <16 x i32>
  %q.t17 = add i64 %q.at, 1088
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t17, <16 x i32> %active.i)
  %x4 = shufflevector <16 x i32> %i.w, <16 x i32> %i.w, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %y4 = shufflevector <16 x i32> %j.w, <16 x i32> %j.w, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %four = call <16 x i32> @llvm.vector.interleave4.v16i32(<4 x i32> %x4, <4 x i32> %y4, <4 x i32> %x4, <4 x i32> %y4)
  %q.t18 = add i64 %q.at, 1152
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t18, <16 x i32> %four)
  %x12 = shufflevector <16 x i32> %i.w, <16 x i32> %i.w, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %three = call { <4 x i32>, <4 x i32>, <4 x i32> } @llvm.vector.deinterleave3.v12i32(<12 x i32> %x12)
  %three.0 = extractvalue { <4 x i32>, <4 x i32>, <4 x i32> } %three, 0
  %three.1 = extractvalue { <4 x i32>, <4 x i32>, <4 x i32> } %three, 1
  %three.2 = extractvalue { <4 x i32>, <4 x i32>, <4 x i32> } %three, 2
  %again = call <12 x i32> @llvm.vector.interleave3.v12i32(<4 x i32> %three.2, <4 x i32> %three.1, <4 x i32> %three.0)
  %again16 = shufflevector <12 x i32> %again, <12 x i32> %again, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %q.t19 = add i64 %q.at, 1216
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t19, <16 x i32> %again16)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
