target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare <12 x i32> @llvm.vector.interleave3.v12i32(<4 x i32>, <4 x i32>, <4 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.canonicalize.v16f32(<16 x float>) #0

declare <16 x float> @llvm.ldexp.v16f32.v16i32(<16 x float>, <16 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.powi.v16f32.i32(<16 x float>, i32) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare <16 x i1> @llvm.get.active.lane.mask.v16i1.i32(i32, i32) #1

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare <16 x i1> @llvm.is.fpclass.v16f32(<16 x float>, i32 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare <16 x i32> @llvm.experimental.vector.splice.v16i32(<16 x i32>, <16 x i32>, i32 immarg) #1

declare <16 x i32> @llvm.stepvector.v16i32()

declare <16 x i32> @llvm.vector.interleave4.v16i32(<4 x i32>, <4 x i32>, <4 x i32>, <4 x i32>)

declare <16 x i32> @llvm.vector.splice.right.v16i32(<16 x i32>, <16 x i32>, i32)

declare <16 x i32> @llvm.vector.splice.v16i32(<16 x i32>, <16 x i32>, i32)

declare float @llvm.vector.reduce.fmaximum.v16f32(<16 x float>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.lrint.i32.f32(float) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.lround.i32.f32(float) #0

declare { <16 x float>, <16 x float> } @llvm.modf.v16f32(<16 x float>)

declare { <16 x float>, <16 x float> } @llvm.sincos.v16f32(<16 x float>)

declare { <16 x float>, <16 x i32> } @llvm.frexp.v16f32.v16i32(<16 x float>)

declare { <4 x i32>, <4 x i32>, <4 x i32> } @llvm.vector.deinterleave3.v12i32(<12 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @newest_llvm(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %c.p, ptr addrspace(1) %k.p, ptr addrspace(1) %i.p, ptr addrspace(1) %j.p, ptr addrspace(1) %o.p, ptr addrspace(1) %q.p) #2 {
  %a.at = ptrtoint ptr addrspace(1) %a.p to i64
  %a.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %a = bitcast <16 x i32> %a.w to <16 x float>
  %b.at = ptrtoint ptr addrspace(1) %b.p to i64
  %b.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %b = bitcast <16 x i32> %b.w to <16 x float>
  %c.at = ptrtoint ptr addrspace(1) %c.p to i64
  %c.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %c.at)
  %c = bitcast <16 x i32> %c.w to <16 x float>
  %k.at = ptrtoint ptr addrspace(1) %k.p to i64
  %k.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %k.at)
  %k = bitcast <16 x i32> %k.w to <16 x float>
  %i.at = ptrtoint ptr addrspace(1) %i.p to i64
  %i.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %i.at)
  %i = bitcast <16 x i32> %i.w to <16 x float>
  %j.at = ptrtoint ptr addrspace(1) %j.p to i64
  %j.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %j.at)
  %j = bitcast <16 x i32> %j.w to <16 x float>
  %o.at = ptrtoint ptr addrspace(1) %o.p to i64
  %q.at = ptrtoint ptr addrspace(1) %q.p to i64
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

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { nocallback nofree nosync nounwind readnone willreturn }
attributes #2 = { noinline nounwind "VCFunction" }
