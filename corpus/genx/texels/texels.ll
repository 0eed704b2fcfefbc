; Texels by their coordinates without a sampler: sixteen pixels, two of four channels; and sixteen pixels through a sampler.
;! global 1
;! local 1
;! image a image2d rgba32float 8x4 real -1 1
;! sampler normalized,edge,nearest
;! out o f32 32
;! out p f32 64
;= def expect(args):
;=     a, o, p = args[0], [], []
;=     for c in (0, 3):
;=         o += [a[4 * (8 * (i // 8 + 1) + i % 8) + c] for i in range(16)]
;=     for c in range(4):
;=         p += [a[4 * (8 * (i // 8) + i % 8) + c] for i in range(16)]
;=     return {2: o, 3: p}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

%opencl.image2d_ro_t = type opaque
%opencl.sampler_t = type opaque

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)*)
declare i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(%opencl.sampler_t addrspace(2)*)
declare <32 x float> @llvm.genx.load.v32f32.v16i32(i32, i32, <16 x i32>, <16 x i32>, <16 x i32>)
declare <64 x float> @llvm.genx.sample.v64f32.v16f32(i32, i32, i32, <16 x float>, <16 x float>, <16 x float>)
declare void @llvm.genx.svm.block.st.i64.v32f32(i64, <32 x float>)
declare void @llvm.genx.svm.block.st.i64.v64f32(i64, <64 x float>)

define spir_kernel void @texels(%opencl.image2d_ro_t addrspace(1)* %a, %opencl.sampler_t addrspace(2)* %s, float addrspace(1)* %o, float addrspace(1)* %p) #0 {
  %o.at = ptrtoint float addrspace(1)* %o to i64
  %p.at = ptrtoint float addrspace(1)* %p to i64
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)* %a)
  %smp = call i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(%opencl.sampler_t addrspace(2)* %s)
  %r = call <32 x float> @llvm.genx.load.v32f32.v16i32(i32 9, i32 %in, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <16 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>, <16 x i32> zeroinitializer)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at, <32 x float> %r)
  %t = call <64 x float> @llvm.genx.sample.v64f32.v16f32(i32 15, i32 %smp, i32 %in, <16 x float> <float 0.0625, float 0.1875, float 0.3125, float 0.4375, float 0.5625, float 0.6875, float 0.8125, float 0.9375, float 0.0625, float 0.1875, float 0.3125, float 0.4375, float 0.5625, float 0.6875, float 0.8125, float 0.9375>, <16 x float> <float 0.125, float 0.125, float 0.125, float 0.125, float 0.125, float 0.125, float 0.125, float 0.125, float 0.375, float 0.375, float 0.375, float 0.375, float 0.375, float 0.375, float 0.375, float 0.375>, <16 x float> zeroinitializer)
  call void @llvm.genx.svm.block.st.i64.v64f32(i64 %p.at, <64 x float> %t)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
