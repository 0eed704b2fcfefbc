target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.add.v11i32(<11 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.mul.v11i32(<11 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.and.v11i32(<11 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.or.v11i32(<11 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.xor.v11i32(<11 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.umax.v16i32(<16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.umin.v16i32(<16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.smax.v16i32(<16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i32 @llvm.vector.reduce.smin.v16i32(<16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i1 @llvm.vector.reduce.or.v8i1(<8 x i1>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare i1 @llvm.vector.reduce.and.v8i1(<8 x i1>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare float @llvm.vector.reduce.fadd.v8f32(float, <8 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare float @llvm.vector.reduce.fmul.v6f32(float, <6 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare float @llvm.vector.reduce.fmax.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone willreturn
declare float @llvm.vector.reduce.fmin.v16f32(<16 x float>) #0

; Function Attrs: noinline nounwind
define spir_kernel void @reductions(ptr addrspace(1) %a, ptr addrspace(1) %f, ptr addrspace(1) %o, ptr addrspace(1) %r) #1 {
  %a.v = bitcast ptr addrspace(1) %a to ptr addrspace(1)
  %f.v = bitcast ptr addrspace(1) %f to ptr addrspace(1)
  %x = load <16 x i32>, ptr addrspace(1) %a.v, align 16
  %y = load <16 x float>, ptr addrspace(1) %f.v, align 16
  %some = shufflevector <16 x i32> %x, <16 x i32> undef, <11 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10>
  %low = and <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %odd8 = shufflevector <16 x i1> %odd, <16 x i1> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %y8 = shufflevector <16 x float> %y, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %y6 = shufflevector <16 x float> %y, <16 x float> undef, <6 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5>
  %s0 = call i32 @llvm.vector.reduce.add.v11i32(<11 x i32> %some)
  %s1 = call i32 @llvm.vector.reduce.mul.v11i32(<11 x i32> %some)
  %s2 = call i32 @llvm.vector.reduce.and.v11i32(<11 x i32> %some)
  %s3 = call i32 @llvm.vector.reduce.or.v11i32(<11 x i32> %some)
  %s4 = call i32 @llvm.vector.reduce.xor.v11i32(<11 x i32> %some)
  %s5 = call i32 @llvm.vector.reduce.umax.v16i32(<16 x i32> %x)
  %s6 = call i32 @llvm.vector.reduce.umin.v16i32(<16 x i32> %x)
  %s7 = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %x)
  %s8 = call i32 @llvm.vector.reduce.smin.v16i32(<16 x i32> %x)
  %any = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %odd8)
  %all = call i1 @llvm.vector.reduce.and.v8i1(<8 x i1> %odd8)
  %s9 = zext i1 %any to i32
  %s10 = zext i1 %all to i32
  %o0 = insertelement <16 x i32> zeroinitializer, i32 %s0, i32 0
  %o1 = insertelement <16 x i32> %o0, i32 %s1, i32 1
  %o2 = insertelement <16 x i32> %o1, i32 %s2, i32 2
  %o3 = insertelement <16 x i32> %o2, i32 %s3, i32 3
  %o4 = insertelement <16 x i32> %o3, i32 %s4, i32 4
  %o5 = insertelement <16 x i32> %o4, i32 %s5, i32 5
  %o6 = insertelement <16 x i32> %o5, i32 %s6, i32 6
  %o7 = insertelement <16 x i32> %o6, i32 %s7, i32 7
  %o8 = insertelement <16 x i32> %o7, i32 %s8, i32 8
  %o9 = insertelement <16 x i32> %o8, i32 %s9, i32 9
  %o10 = insertelement <16 x i32> %o9, i32 %s10, i32 10
  %t0 = call float @llvm.vector.reduce.fadd.v16f32(float 1.000000e+01, <16 x float> %y)
  %t1 = call reassoc float @llvm.vector.reduce.fadd.v8f32(float 0.000000e+00, <8 x float> %y8)
  %t2 = call float @llvm.vector.reduce.fmax.v16f32(<16 x float> %y)
  %t3 = call float @llvm.vector.reduce.fmin.v16f32(<16 x float> %y)
  %t4 = call float @llvm.vector.reduce.fmul.v6f32(float 1.000000e+00, <6 x float> %y6)
  %r0 = insertelement <16 x float> zeroinitializer, float %t0, i32 0
  %r1 = insertelement <16 x float> %r0, float %t1, i32 1
  %r2 = insertelement <16 x float> %r1, float %t2, i32 2
  %r3 = insertelement <16 x float> %r2, float %t3, i32 3
  %r4 = insertelement <16 x float> %r3, float %t4, i32 4
  %o.v = bitcast ptr addrspace(1) %o to ptr addrspace(1)
  %r.v = bitcast ptr addrspace(1) %r to ptr addrspace(1)
  store <16 x i32> %o10, ptr addrspace(1) %o.v, align 16
  store <16 x float> %r4, ptr addrspace(1) %r.v, align 16
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
