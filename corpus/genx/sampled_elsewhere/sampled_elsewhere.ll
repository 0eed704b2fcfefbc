; Texels that a subroutine reads, which receives the numbers of the surface and of the sampler; and those that it loads without one.
;! global 1
;! local 1
;! image a image2d rgba32float 8x4 real -1 1
;! sampler normalized,edge,nearest
;! out o f32 64
;= def expect(args):
;=     a, o = args[0], []
;=     for c in range(4):
;=         o += [a[4 * (8 * 2 + x) + c] for x in range(8)]
;=     for c in range(4):
;=         o += [a[4 * (8 * 3 + x) + c] for x in range(8)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)*)
declare i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(%opencl.sampler_t addrspace(2)*)
declare <32 x float> @llvm.genx.sample.v32f32.v8f32(i32, i32, i32, <8 x float>, <8 x float>, <8 x float>)
declare <32 x float> @llvm.genx.load.v32f32.v8i32(i32, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare void @llvm.genx.svm.block.st.i64.v32f32(i64, <32 x float>)

%opencl.image2d_ro_t = type opaque
%opencl.sampler_t = type opaque

define internal spir_func <32 x float> @texels(i32 %smp, i32 %in, <8 x float> %u, <8 x float> %v) #0 {
  %r = call <32 x float> @llvm.genx.sample.v32f32.v8f32(i32 15, i32 %smp, i32 %in, <8 x float> %u, <8 x float> %v, <8 x float> zeroinitializer)
  ret <32 x float> %r
}

define internal spir_func <32 x float> @row(i32 %in, <8 x i32> %x, <8 x i32> %y) #0 {
  %r = call <32 x float> @llvm.genx.load.v32f32.v8i32(i32 15, i32 %in, <8 x i32> %x, <8 x i32> %y, <8 x i32> zeroinitializer)
  ret <32 x float> %r
}

define spir_kernel void @sampled_elsewhere(%opencl.image2d_ro_t addrspace(1)* %a, %opencl.sampler_t addrspace(2)* %s, float addrspace(1)* %o) #0 {
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 128
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)* %a)
  %smp = call i32 @llvm.genx.address.convert.i32.p2opencl.sampler_t(%opencl.sampler_t addrspace(2)* %s)
  %v = call spir_func <32 x float> @texels(i32 %smp, i32 %in, <8 x float> <float 0.0625, float 0.1875, float 0.3125, float 0.4375, float 0.5625, float 0.6875, float 0.8125, float 0.9375>, <8 x float> <float 0.625, float 0.625, float 0.625, float 0.625, float 0.625, float 0.625, float 0.625, float 0.625>)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at.base, <32 x float> %v)
  %w = call spir_func <32 x float> @row(i32 %in, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>)
  call void @llvm.genx.svm.block.st.i64.v32f32(i64 %o.at, <32 x float> %w)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
