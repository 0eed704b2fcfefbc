target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1))

declare i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(ptr addrspace(2))

declare <32 x float> @llvm.genx.sample.v32f32.v8f32(i32, i32, i32, <8 x float>, <8 x float>, <8 x float>)

declare <32 x float> @llvm.genx.load.v32f32.v8i32(i32, i32, <8 x i32>, <8 x i32>, <8 x i32>)

declare void @llvm.genx.svm.block.st.i64.v32f32(i64, <32 x float>)

; Function Attrs: noinline nounwind
define internal spir_func <32 x float> @texels(i32 %smp, i32 %in, <8 x float> %u, <8 x float> %v) #0 {
  %r = call <32 x float> @llvm.genx.sample.v32f32.v8f32(i32 15, i32 %smp, i32 %in, <8 x float> %u, <8 x float> %v, <8 x float> zeroinitializer)
  ret <32 x float> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <32 x float> @row(i32 %in, <8 x i32> %x, <8 x i32> %y) #0 {
  %r = call <32 x float> @llvm.genx.load.v32f32.v8i32(i32 15, i32 %in, <8 x i32> %x, <8 x i32> %y, <8 x i32> zeroinitializer)
  ret <32 x float> %r
}

; Function Attrs: noinline nounwind
define spir_kernel void @sampled_elsewhere(ptr addrspace(1) %a, ptr addrspace(2) %s, ptr addrspace(1) %o) #0 {
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 128
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1) %a)
  %smp = call i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(ptr addrspace(2) %s)
  %v = call spir_func <32 x float> @texels(i32 %smp, i32 %in, <8 x float> <float 6.250000e-02, float 1.875000e-01, float 3.125000e-01, float 4.375000e-01, float 5.625000e-01, float 6.875000e-01, float 8.125000e-01, float 9.375000e-01>, <8 x float> <float 6.250000e-01, float 6.250000e-01, float 6.250000e-01, float 6.250000e-01, float 6.250000e-01, float 6.250000e-01, float 6.250000e-01, float 6.250000e-01>)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at.base, <32 x float> %v)
  %w = call spir_func <32 x float> @row(i32 %in, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at, <32 x float> %w)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
