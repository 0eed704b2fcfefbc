target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1))

declare <48 x float> @llvm.genx.gather4.scaled.v48f32.v16i1.v16i32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <48 x float>)

declare <16 x float> @llvm.genx.rdregionf.v16f32.v48f32.i16(<48 x float>, i32, i32, i32, i16, i32)

declare <32 x float> @llvm.genx.wrregionf.v32f32.v16f32.i16.i1(<32 x float>, <16 x float>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.scatter4.scaled.v16i1.v16i32.v32f32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <32 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @scaled_channels(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %start = shl i32 %group, 8
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %o)
  %v = call <48 x float> @llvm.genx.gather4.scaled.v48f32.v16i1.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 11, i16 0, i32 %in, i32 %start, <16 x i32> <i32 0, i32 16, i32 32, i32 48, i32 64, i32 80, i32 96, i32 112, i32 128, i32 144, i32 160, i32 176, i32 192, i32 208, i32 224, i32 240>, <48 x float> undef)
  %x = call <16 x float> @llvm.genx.rdregionf.v16f32.v48f32.i16(<48 x float> %v, i32 0, i32 16, i32 1, i16 0, i32 undef)
  %y = call <16 x float> @llvm.genx.rdregionf.v16f32.v48f32.i16(<48 x float> %v, i32 0, i32 16, i32 1, i16 64, i32 undef)
  %w = call <16 x float> @llvm.genx.rdregionf.v16f32.v48f32.i16(<48 x float> %v, i32 0, i32 16, i32 1, i16 128, i32 undef)
  %sum = fadd <16 x float> %x, %w
  %low = call <32 x float> @llvm.genx.wrregionf.v32f32.v16f32.i16.i1(<32 x float> undef, <16 x float> %sum, i32 0, i32 16, i32 1, i16 0, i32 undef, i1 true)
  %both = call <32 x float> @llvm.genx.wrregionf.v32f32.v16f32.i16.i1(<32 x float> %low, <16 x float> %y, i32 0, i32 16, i32 1, i16 64, i32 undef, i1 true)
  call void @llvm.genx.scatter4.scaled.v16i1.v16i32.v32f32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 3, i16 0, i32 %out, i32 %start, <16 x i32> <i32 0, i32 16, i32 32, i32 48, i32 64, i32 80, i32 96, i32 112, i32 128, i32 144, i32 160, i32 176, i32 192, i32 208, i32 224, i32 240>, <32 x float> %both)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
