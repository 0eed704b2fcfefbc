target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1))

declare i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(ptr addrspace(2))

declare <32 x float> @llvm.genx.load.v32f32.v16i32(i32, i32, <16 x i32>, <16 x i32>, <16 x i32>)

declare <64 x float> @llvm.genx.sample.v64f32.v16f32(i32, i32, i32, <16 x float>, <16 x float>, <16 x float>)

declare void @llvm.genx.svm.block.st.i64.v32f32(i64, <32 x float>)

declare void @llvm.genx.svm.block.st.i64.v64f32(i64, <64 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @texels(ptr addrspace(1) %a, ptr addrspace(2) %s, ptr addrspace(1) %o, ptr addrspace(1) %p) #0 {
  %o.at = ptrtoint ptr addrspace(1) %o to i64
  %p.at = ptrtoint ptr addrspace(1) %p to i64
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1) %a)
  %smp = call i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(ptr addrspace(2) %s)
  %r = call <32 x float> @llvm.genx.load.v32f32.v16i32(i32 9, i32 %in, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>, <16 x i32> zeroinitializer)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at, <32 x float> %r)
  %t = call <64 x float> @llvm.genx.sample.v64f32.v16f32(i32 15, i32 %smp, i32 %in, <16 x float> <float 6.250000e-02, float 1.875000e-01, float 3.125000e-01, float 4.375000e-01, float 5.625000e-01, float 6.875000e-01, float 8.125000e-01, float 9.375000e-01, float 6.250000e-02, float 1.875000e-01, float 3.125000e-01, float 4.375000e-01, float 5.625000e-01, float 6.875000e-01, float 8.125000e-01, float 9.375000e-01>, <16 x float> <float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 1.250000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01, float 3.750000e-01>, <16 x float> zeroinitializer)
  call void @llvm.genx.svm.block.st.i64.v64f32(i64 %p.at, <64 x float> %t)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
