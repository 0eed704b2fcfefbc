target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

; Function Attrs: nounwind
define spir_kernel void @genx_mandelbrot(i32 addrspace(1)* noundef %0, float noundef %1, float noundef %2, float noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call spir_func i32 @llvm.genx.group.id.y() #3
  %8 = tail call spir_func i32 @llvm.genx.group.id.x() #3
  %9 = shl i32 %8, 4
  %10 = insertelement <16 x float> poison, float %3, i64 0
  %11 = shufflevector <16 x float> %10, <16 x float> poison, <16 x i32> zeroinitializer
  %12 = insertelement <16 x i32> poison, i32 %9, i64 0
  %13 = shufflevector <16 x i32> %12, <16 x i32> poison, <16 x i32> zeroinitializer
  %14 = or <16 x i32> %13, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %15 = sitofp <16 x i32> %14 to <16 x float>
  %16 = insertelement <16 x float> poison, float %1, i64 0
  %17 = shufflevector <16 x float> %16, <16 x float> poison, <16 x i32> zeroinitializer
  %18 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %11, <16 x float> noundef %15, <16 x float> noundef %17)
  %19 = uitofp i32 %7 to float
  %20 = insertelement <16 x float> poison, float %19, i64 0
  %21 = insertelement <16 x float> poison, float %2, i64 0
  %22 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %10, <16 x float> %20, <16 x float> %21)
  %23 = shufflevector <16 x float> %22, <16 x float> poison, <16 x i32> zeroinitializer
  %24 = icmp eq i32 %4, 0
  br i1 %24, label %59, label %25

25:                                               ; preds = %6, %25
  %26 = phi <16 x float> [ %39, %25 ], [ zeroinitializer, %6 ]
  %27 = phi <16 x float> [ %40, %25 ], [ zeroinitializer, %6 ]
  %28 = phi <16 x float> [ %43, %25 ], [ zeroinitializer, %6 ]
  %29 = phi <16 x i32> [ %48, %25 ], [ zeroinitializer, %6 ]
  %30 = phi <16 x i32> [ %50, %25 ], [ <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>, %6 ]
  %31 = phi i32 [ %53, %25 ], [ 0, %6 ]
  %32 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %26, <16 x float> noundef %26, <16 x float> noundef %18)
  %33 = fmul <16 x float> %27, %27
  %34 = fsub <16 x float> %32, %33
  %35 = fadd <16 x float> %26, %26
  %36 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %35, <16 x float> noundef %27, <16 x float> noundef %23)
  %37 = ashr <16 x i32> %30, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %38 = trunc <16 x i32> %37 to <16 x i1>
  %39 = select <16 x i1> %38, <16 x float> %34, <16 x float> %26
  %40 = select <16 x i1> %38, <16 x float> %36, <16 x float> %27
  %41 = fmul <16 x float> %40, %40
  %42 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %39, <16 x float> noundef %39, <16 x float> noundef %41)
  %43 = select <16 x i1> %38, <16 x float> %42, <16 x float> %28
  %44 = add <16 x i32> %29, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %45 = icmp slt <16 x i32> %30, zeroinitializer
  %46 = select <16 x i1> %45, <16 x i32> zeroinitializer, <16 x i32> %29
  %47 = and <16 x i32> %44, %37
  %48 = or <16 x i32> %47, %46
  %49 = fcmp ule <16 x float> %43, <float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02>
  %50 = select <16 x i1> %49, <16 x i32> %30, <16 x i32> zeroinitializer
  %51 = icmp ne <16 x i32> %50, zeroinitializer
  %52 = tail call spir_func zeroext i1 @llvm.genx.any.v16i1(<16 x i1> noundef %51) #3
  %53 = add nuw i32 %31, 1
  %54 = icmp ult i32 %53, %4
  %55 = select i1 %52, i1 %54, i1 false
  br i1 %55, label %25, label %56, !llvm.loop !3

56:                                               ; preds = %25
  %57 = shl <16 x i32> %48, <i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8, i32 8>
  %58 = add <16 x i32> %57, <i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816>
  br label %59

59:                                               ; preds = %56, %6
  %60 = phi <16 x i32> [ <i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816, i32 2816>, %6 ], [ %58, %56 ]
  %61 = phi <16 x float> [ zeroinitializer, %6 ], [ %43, %56 ]
  %62 = bitcast <16 x float> %61 to <16 x i32>
  %63 = add <16 x i32> %62, <i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216>
  %64 = ashr <16 x i32> %63, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %65 = sitofp <16 x i32> %64 to <16 x float>
  %66 = bitcast <16 x float> %65 to <16 x i32>
  %67 = add <16 x i32> %66, <i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216>
  %68 = ashr <16 x i32> %67, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %69 = sub <16 x i32> %60, %68
  %70 = icmp sgt <16 x i32> %69, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %71 = xor <16 x i1> %70, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %72 = zext <16 x i1> %71 to <16 x i32>
  %73 = select <16 x i1> %70, <16 x i32> %69, <16 x i32> zeroinitializer
  %74 = or <16 x i32> %73, %72
  %75 = sitofp <16 x i32> %74 to <16 x float>
  %76 = bitcast <16 x float> %75 to <16 x i32>
  %77 = add <16 x i32> %76, <i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216, i32 -1065353216>
  %78 = ashr <16 x i32> %77, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %79 = mul nsw <16 x i32> %78, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %80 = add nsw <16 x i32> %79, <i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650, i32 -9650>
  %81 = sdiv <16 x i32> %80, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %82 = add nsw <16 x i32> %81, <i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700, i32 700>
  %83 = and <16 x i32> %82, <i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023>
  %84 = add nsw <16 x i32> %83, <i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512>
  %85 = icmp ult <16 x i32> %83, <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>
  %86 = sub nsw <16 x i32> <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>, %83
  %87 = select <16 x i1> %85, <16 x i32> %86, <16 x i32> %84
  %88 = mul nsw <16 x i32> %87, %87
  %89 = mul nsw <16 x i32> %87, <i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2>
  %90 = add nsw <16 x i32> %89, <i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536>
  %91 = mul <16 x i32> %88, %90
  %92 = ashr <16 x i32> %91, <i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19>
  %93 = icmp slt <16 x i32> %91, <i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440>
  %94 = add nsw <16 x i32> %81, <i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590, i32 590>
  %95 = and <16 x i32> %94, <i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023>
  %96 = add nsw <16 x i32> %95, <i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512>
  %97 = icmp ult <16 x i32> %95, <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>
  %98 = sub nsw <16 x i32> <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>, %95
  %99 = select <16 x i1> %97, <16 x i32> %98, <16 x i32> %96
  %100 = mul nsw <16 x i32> %99, %99
  %101 = mul nsw <16 x i32> %99, <i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2>
  %102 = add nsw <16 x i32> %101, <i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536>
  %103 = mul <16 x i32> %100, %102
  %104 = icmp slt <16 x i32> %103, <i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440>
  %105 = ashr <16 x i32> %103, <i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11, i32 11>
  %106 = and <16 x i32> %105, <i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960, i32 16776960>
  %107 = select <16 x i1> %104, <16 x i32> %106, <16 x i32> <i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280, i32 65280>
  %108 = add nsw <16 x i32> %81, <i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430, i32 430>
  %109 = and <16 x i32> %108, <i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023, i32 1023>
  %110 = add nsw <16 x i32> %109, <i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512, i32 -512>
  %111 = icmp ult <16 x i32> %109, <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>
  %112 = sub nsw <16 x i32> <i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512, i32 512>, %109
  %113 = select <16 x i1> %111, <16 x i32> %112, <16 x i32> %110
  %114 = mul nsw <16 x i32> %113, %113
  %115 = mul nsw <16 x i32> %113, <i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2, i32 -2>
  %116 = add nsw <16 x i32> %115, <i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536, i32 1536>
  %117 = mul <16 x i32> %114, %116
  %118 = icmp slt <16 x i32> %117, <i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440, i32 133693440>
  %119 = lshr <16 x i32> %117, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %120 = and <16 x i32> %119, <i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680>
  %121 = select <16 x i1> %118, <16 x i32> %120, <16 x i32> <i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680, i32 16711680>
  %122 = fcmp ogt <16 x float> %61, <float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02, float 2.560000e+02>
  %123 = or <16 x i32> %92, <i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216>
  %124 = select <16 x i1> %93, <16 x i32> %123, <16 x i32> <i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961, i32 -16776961>
  %125 = or <16 x i32> %124, %107
  %126 = or <16 x i32> %125, %121
  %127 = select <16 x i1> %122, <16 x i32> %126, <16 x i32> <i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216, i32 -16777216>
  %128 = mul i32 %7, %5
  %129 = zext i32 %128 to i64
  %130 = getelementptr inbounds i32, i32 addrspace(1)* %0, i64 %129
  %131 = zext i32 %9 to i64
  %132 = getelementptr inbounds i32, i32 addrspace(1)* %130, i64 %131
  %133 = ptrtoint i32 addrspace(1)* %132 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16i32(i64 noundef %133, <16 x i32> noundef %127) #3
  ret void
}

declare dso_local spir_func i32 @llvm.genx.group.id.y() #1

declare dso_local spir_func i32 @llvm.genx.group.id.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind readnone speculatable willreturn
declare dso_local <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #2

declare dso_local spir_func zeroext i1 @llvm.genx.any.v16i1(<16 x i1> noundef) #1

declare dso_local spir_func void @llvm.genx.svm.block.st.i64.v16i32(i64 noundef, <16 x i32> noundef) #1

attributes #0 = { "VCFunction" nounwind "frame-pointer"="all" "min-legal-vector-width"="512" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }


!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
