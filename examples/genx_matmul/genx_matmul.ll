target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

; Function Attrs: nounwind
define spir_kernel void @genx_matmul(float addrspace(1)* noundef %0, float addrspace(1)* noundef %1, float addrspace(1)* noundef %2) local_unnamed_addr #0 {
  %4 = tail call spir_func i32 @llvm.genx.group.id.y() #3
  %5 = tail call spir_func i32 @llvm.genx.group.id.x() #3
  %6 = shl i32 %4, 9
  %7 = shl i32 %5, 4
  %8 = zext i32 %7 to i64
  %9 = shl i32 %4, 9
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds float, float addrspace(1)* %0, i64 %10
  %12 = shl i32 %4, 9
  %13 = or i32 %12, 64
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds float, float addrspace(1)* %0, i64 %14
  %16 = shl i32 %4, 9
  %17 = or i32 %16, 128
  %18 = zext i32 %17 to i64
  %19 = getelementptr inbounds float, float addrspace(1)* %0, i64 %18
  %20 = shl i32 %4, 9
  %21 = or i32 %20, 192
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds float, float addrspace(1)* %0, i64 %22
  %24 = shl i32 %4, 9
  %25 = or i32 %24, 256
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds float, float addrspace(1)* %0, i64 %26
  %28 = shl i32 %4, 9
  %29 = or i32 %28, 320
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds float, float addrspace(1)* %0, i64 %30
  %32 = shl i32 %4, 9
  %33 = or i32 %32, 384
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds float, float addrspace(1)* %0, i64 %34
  %36 = or i32 %6, 448
  %37 = zext i32 %36 to i64
  %38 = getelementptr inbounds float, float addrspace(1)* %0, i64 %37
  %39 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %40 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %41 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %42 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %43 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %44 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %45 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  %46 = getelementptr inbounds float, float addrspace(1)* %1, i64 %8
  br label %72

47:                                               ; preds = %72
  %48 = getelementptr inbounds float, float addrspace(1)* %2, i64 %10
  %49 = getelementptr inbounds float, float addrspace(1)* %48, i64 %8
  %50 = ptrtoint float addrspace(1)* %49 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %50, <16 x float> noundef %267) #3
  %51 = getelementptr inbounds float, float addrspace(1)* %2, i64 %14
  %52 = getelementptr inbounds float, float addrspace(1)* %51, i64 %8
  %53 = ptrtoint float addrspace(1)* %52 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %53, <16 x float> noundef %269) #3
  %54 = getelementptr inbounds float, float addrspace(1)* %2, i64 %18
  %55 = getelementptr inbounds float, float addrspace(1)* %54, i64 %8
  %56 = ptrtoint float addrspace(1)* %55 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %56, <16 x float> noundef %271) #3
  %57 = getelementptr inbounds float, float addrspace(1)* %2, i64 %22
  %58 = getelementptr inbounds float, float addrspace(1)* %57, i64 %8
  %59 = ptrtoint float addrspace(1)* %58 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %59, <16 x float> noundef %273) #3
  %60 = getelementptr inbounds float, float addrspace(1)* %2, i64 %26
  %61 = getelementptr inbounds float, float addrspace(1)* %60, i64 %8
  %62 = ptrtoint float addrspace(1)* %61 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %62, <16 x float> noundef %275) #3
  %63 = getelementptr inbounds float, float addrspace(1)* %2, i64 %30
  %64 = getelementptr inbounds float, float addrspace(1)* %63, i64 %8
  %65 = ptrtoint float addrspace(1)* %64 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %65, <16 x float> noundef %277) #3
  %66 = getelementptr inbounds float, float addrspace(1)* %2, i64 %34
  %67 = getelementptr inbounds float, float addrspace(1)* %66, i64 %8
  %68 = ptrtoint float addrspace(1)* %67 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %68, <16 x float> noundef %279) #3
  %69 = getelementptr inbounds float, float addrspace(1)* %2, i64 %37
  %70 = getelementptr inbounds float, float addrspace(1)* %69, i64 %8
  %71 = ptrtoint float addrspace(1)* %70 to i64
  tail call spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef %71, <16 x float> noundef %281) #3
  ret void

72:                                               ; preds = %3, %72
  %73 = phi <16 x float> [ zeroinitializer, %3 ], [ %267, %72 ]
  %74 = phi <16 x float> [ zeroinitializer, %3 ], [ %269, %72 ]
  %75 = phi <16 x float> [ zeroinitializer, %3 ], [ %271, %72 ]
  %76 = phi <16 x float> [ zeroinitializer, %3 ], [ %273, %72 ]
  %77 = phi <16 x float> [ zeroinitializer, %3 ], [ %275, %72 ]
  %78 = phi <16 x float> [ zeroinitializer, %3 ], [ %277, %72 ]
  %79 = phi <16 x float> [ zeroinitializer, %3 ], [ %279, %72 ]
  %80 = phi <16 x float> [ zeroinitializer, %3 ], [ %281, %72 ]
  %81 = phi i32 [ 0, %3 ], [ %282, %72 ]
  %82 = zext i32 %81 to i64
  %83 = getelementptr inbounds float, float addrspace(1)* %11, i64 %82
  %84 = ptrtoint float addrspace(1)* %83 to i64
  %85 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %84) #3
  %86 = getelementptr inbounds float, float addrspace(1)* %15, i64 %82
  %87 = ptrtoint float addrspace(1)* %86 to i64
  %88 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %87) #3
  %89 = getelementptr inbounds float, float addrspace(1)* %19, i64 %82
  %90 = ptrtoint float addrspace(1)* %89 to i64
  %91 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %90) #3
  %92 = getelementptr inbounds float, float addrspace(1)* %23, i64 %82
  %93 = ptrtoint float addrspace(1)* %92 to i64
  %94 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %93) #3
  %95 = getelementptr inbounds float, float addrspace(1)* %27, i64 %82
  %96 = ptrtoint float addrspace(1)* %95 to i64
  %97 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %96) #3
  %98 = getelementptr inbounds float, float addrspace(1)* %31, i64 %82
  %99 = ptrtoint float addrspace(1)* %98 to i64
  %100 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %99) #3
  %101 = getelementptr inbounds float, float addrspace(1)* %35, i64 %82
  %102 = ptrtoint float addrspace(1)* %101 to i64
  %103 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %102) #3
  %104 = getelementptr inbounds float, float addrspace(1)* %38, i64 %82
  %105 = ptrtoint float addrspace(1)* %104 to i64
  %106 = tail call spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef %105) #3
  %107 = shl nuw nsw i32 %81, 6
  %108 = zext i32 %107 to i64
  %109 = getelementptr inbounds float, float addrspace(1)* %39, i64 %108
  %110 = ptrtoint float addrspace(1)* %109 to i64
  %111 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %110) #3
  %112 = shl nuw nsw i32 %81, 6
  %113 = or i32 %112, 64
  %114 = zext i32 %113 to i64
  %115 = getelementptr inbounds float, float addrspace(1)* %40, i64 %114
  %116 = ptrtoint float addrspace(1)* %115 to i64
  %117 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %116) #3
  %118 = shl nuw nsw i32 %81, 6
  %119 = or i32 %118, 128
  %120 = zext i32 %119 to i64
  %121 = getelementptr inbounds float, float addrspace(1)* %41, i64 %120
  %122 = ptrtoint float addrspace(1)* %121 to i64
  %123 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %122) #3
  %124 = shl nuw nsw i32 %81, 6
  %125 = or i32 %124, 192
  %126 = zext i32 %125 to i64
  %127 = getelementptr inbounds float, float addrspace(1)* %42, i64 %126
  %128 = ptrtoint float addrspace(1)* %127 to i64
  %129 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %128) #3
  %130 = shl nuw nsw i32 %81, 6
  %131 = or i32 %130, 256
  %132 = zext i32 %131 to i64
  %133 = getelementptr inbounds float, float addrspace(1)* %43, i64 %132
  %134 = ptrtoint float addrspace(1)* %133 to i64
  %135 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %134) #3
  %136 = shl nuw nsw i32 %81, 6
  %137 = or i32 %136, 320
  %138 = zext i32 %137 to i64
  %139 = getelementptr inbounds float, float addrspace(1)* %44, i64 %138
  %140 = ptrtoint float addrspace(1)* %139 to i64
  %141 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %140) #3
  %142 = shl nuw nsw i32 %81, 6
  %143 = or i32 %142, 384
  %144 = zext i32 %143 to i64
  %145 = getelementptr inbounds float, float addrspace(1)* %45, i64 %144
  %146 = ptrtoint float addrspace(1)* %145 to i64
  %147 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %146) #3
  %148 = shl nuw nsw i32 %81, 6
  %149 = or i32 %148, 448
  %150 = zext i32 %149 to i64
  %151 = getelementptr inbounds float, float addrspace(1)* %46, i64 %150
  %152 = ptrtoint float addrspace(1)* %151 to i64
  %153 = tail call spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef %152) #3
  %154 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> zeroinitializer
  %155 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %154, <16 x float> noundef %111, <16 x float> noundef %73)
  %156 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> zeroinitializer
  %157 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %156, <16 x float> noundef %111, <16 x float> noundef %74)
  %158 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> zeroinitializer
  %159 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %158, <16 x float> noundef %111, <16 x float> noundef %75)
  %160 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> zeroinitializer
  %161 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %160, <16 x float> noundef %111, <16 x float> noundef %76)
  %162 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> zeroinitializer
  %163 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %162, <16 x float> noundef %111, <16 x float> noundef %77)
  %164 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> zeroinitializer
  %165 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %164, <16 x float> noundef %111, <16 x float> noundef %78)
  %166 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> zeroinitializer
  %167 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %166, <16 x float> noundef %111, <16 x float> noundef %79)
  %168 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> zeroinitializer
  %169 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %168, <16 x float> noundef %111, <16 x float> noundef %80)
  %170 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %171 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %170, <16 x float> noundef %117, <16 x float> noundef %155)
  %172 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %173 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %172, <16 x float> noundef %117, <16 x float> noundef %157)
  %174 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %175 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %174, <16 x float> noundef %117, <16 x float> noundef %159)
  %176 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %177 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %176, <16 x float> noundef %117, <16 x float> noundef %161)
  %178 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %179 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %178, <16 x float> noundef %117, <16 x float> noundef %163)
  %180 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %181 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %180, <16 x float> noundef %117, <16 x float> noundef %165)
  %182 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %183 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %182, <16 x float> noundef %117, <16 x float> noundef %167)
  %184 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %185 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %184, <16 x float> noundef %117, <16 x float> noundef %169)
  %186 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %187 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %186, <16 x float> noundef %123, <16 x float> noundef %171)
  %188 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %189 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %188, <16 x float> noundef %123, <16 x float> noundef %173)
  %190 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %191 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %190, <16 x float> noundef %123, <16 x float> noundef %175)
  %192 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %193 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %192, <16 x float> noundef %123, <16 x float> noundef %177)
  %194 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %195 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %194, <16 x float> noundef %123, <16 x float> noundef %179)
  %196 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %197 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %196, <16 x float> noundef %123, <16 x float> noundef %181)
  %198 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %199 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %198, <16 x float> noundef %123, <16 x float> noundef %183)
  %200 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %201 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %200, <16 x float> noundef %123, <16 x float> noundef %185)
  %202 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %203 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %202, <16 x float> noundef %129, <16 x float> noundef %187)
  %204 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %205 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %204, <16 x float> noundef %129, <16 x float> noundef %189)
  %206 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %207 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %206, <16 x float> noundef %129, <16 x float> noundef %191)
  %208 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %209 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %208, <16 x float> noundef %129, <16 x float> noundef %193)
  %210 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %211 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %210, <16 x float> noundef %129, <16 x float> noundef %195)
  %212 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %213 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %212, <16 x float> noundef %129, <16 x float> noundef %197)
  %214 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %215 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %214, <16 x float> noundef %129, <16 x float> noundef %199)
  %216 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %217 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %216, <16 x float> noundef %129, <16 x float> noundef %201)
  %218 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %219 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %218, <16 x float> noundef %135, <16 x float> noundef %203)
  %220 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %221 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %220, <16 x float> noundef %135, <16 x float> noundef %205)
  %222 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %223 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %222, <16 x float> noundef %135, <16 x float> noundef %207)
  %224 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %225 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %224, <16 x float> noundef %135, <16 x float> noundef %209)
  %226 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %227 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %226, <16 x float> noundef %135, <16 x float> noundef %211)
  %228 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %229 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %228, <16 x float> noundef %135, <16 x float> noundef %213)
  %230 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %231 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %230, <16 x float> noundef %135, <16 x float> noundef %215)
  %232 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %233 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %232, <16 x float> noundef %135, <16 x float> noundef %217)
  %234 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %235 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %234, <16 x float> noundef %141, <16 x float> noundef %219)
  %236 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %237 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %236, <16 x float> noundef %141, <16 x float> noundef %221)
  %238 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %239 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %238, <16 x float> noundef %141, <16 x float> noundef %223)
  %240 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %241 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %240, <16 x float> noundef %141, <16 x float> noundef %225)
  %242 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %243 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %242, <16 x float> noundef %141, <16 x float> noundef %227)
  %244 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %245 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %244, <16 x float> noundef %141, <16 x float> noundef %229)
  %246 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %247 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %246, <16 x float> noundef %141, <16 x float> noundef %231)
  %248 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %249 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %248, <16 x float> noundef %141, <16 x float> noundef %233)
  %250 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %251 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %250, <16 x float> noundef %147, <16 x float> noundef %235)
  %252 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %253 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %252, <16 x float> noundef %147, <16 x float> noundef %237)
  %254 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %255 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %254, <16 x float> noundef %147, <16 x float> noundef %239)
  %256 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %257 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %256, <16 x float> noundef %147, <16 x float> noundef %241)
  %258 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %259 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %258, <16 x float> noundef %147, <16 x float> noundef %243)
  %260 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %261 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %260, <16 x float> noundef %147, <16 x float> noundef %245)
  %262 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %263 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %262, <16 x float> noundef %147, <16 x float> noundef %247)
  %264 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %265 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %264, <16 x float> noundef %147, <16 x float> noundef %249)
  %266 = shufflevector <8 x float> %85, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %267 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %266, <16 x float> noundef %153, <16 x float> noundef %251)
  %268 = shufflevector <8 x float> %88, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %269 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %268, <16 x float> noundef %153, <16 x float> noundef %253)
  %270 = shufflevector <8 x float> %91, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %271 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %270, <16 x float> noundef %153, <16 x float> noundef %255)
  %272 = shufflevector <8 x float> %94, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %273 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %272, <16 x float> noundef %153, <16 x float> noundef %257)
  %274 = shufflevector <8 x float> %97, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %275 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %274, <16 x float> noundef %153, <16 x float> noundef %259)
  %276 = shufflevector <8 x float> %100, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %277 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %276, <16 x float> noundef %153, <16 x float> noundef %261)
  %278 = shufflevector <8 x float> %103, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %279 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %278, <16 x float> noundef %153, <16 x float> noundef %263)
  %280 = shufflevector <8 x float> %106, <8 x float> undef, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %281 = tail call spir_func <16 x float> @llvm.fma.v16f32(<16 x float> noundef %280, <16 x float> noundef %153, <16 x float> noundef %265)
  %282 = add nuw nsw i32 %81, 8
  %283 = icmp ult i32 %81, 56
  br i1 %283, label %72, label %47, !llvm.loop !3
}

declare dso_local spir_func i32 @llvm.genx.group.id.y() #1

declare dso_local spir_func i32 @llvm.genx.group.id.x() #1

declare dso_local spir_func <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 noundef) #1

declare dso_local spir_func <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 noundef) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #2

declare dso_local spir_func void @llvm.genx.svm.block.st.i64.v16f32(i64 noundef, <16 x float> noundef) #1

attributes #0 = { "VCFunction" nounwind "frame-pointer"="all" "min-legal-vector-width"="512" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }


!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
