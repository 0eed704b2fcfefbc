target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1))

declare <8 x float> @llvm.genx.oword.ld.v8f32(i32, i32, i32)

declare <8 x float> @llvm.genx.dword.atomic.fmin.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.genx.dword.atomic.fmax.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.genx.dword.atomic.fcmpwr.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>, <8 x float>)

declare void @llvm.genx.oword.st.v8f32(i32, i32, <8 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @float_atomics(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 1
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %a)
  %numbers = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %c)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %o)
  %x = call <8 x float> @llvm.genx.oword.ld.v8f32(i32 0, i32 %in, i32 %owords)
  %r0 = call <8 x float> @llvm.genx.dword.atomic.fmin.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> zeroinitializer, <8 x float> %x, <8 x float> undef)
  %r1 = call <8 x float> @llvm.genx.dword.atomic.fmax.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>, <8 x float> %x, <8 x float> undef)
  %first = extractelement <8 x float> %x, i32 0
  %f = uitofp i32 %group to float
  %start = fadd float %f, 1.000000e+00
  %second = shufflevector <8 x float> %x, <8 x float> undef, <8 x i32> <i32 undef, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %compared = insertelement <8 x float> %second, float %start, i32 0
  %last = shufflevector <8 x float> %x, <8 x float> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 7>
  %place = shl i32 %group, 2
  %at = add i32 %place, 8
  %at.one = insertelement <8 x i32> undef, i32 %at, i32 0
  %at.all = shufflevector <8 x i32> %at.one, <8 x i32> undef, <8 x i32> zeroinitializer
  %old = call <8 x float> @llvm.genx.dword.atomic.fcmpwr.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> %at.all, <8 x float> %last, <8 x float> %compared, <8 x float> undef)
  call void @llvm.genx.oword.st.v8f32(i32 %out, i32 %owords, <8 x float> %old)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
