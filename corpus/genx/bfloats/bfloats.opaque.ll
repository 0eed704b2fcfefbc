target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x bfloat> @llvm.maxnum.v16bf16(<16 x bfloat>, <16 x bfloat>) #0

declare void @llvm.genx.svm.block.st.i64.v16bf16(i64, <16 x bfloat>)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

; Function Attrs: noinline nounwind
define spir_kernel void @bfloats(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o, ptr addrspace(1) %f) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %two = mul i32 %group, 128
  %offset2 = zext i32 %two to i64
  %a0 = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a0, %offset
  %b0 = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b0, %offset
  %o0 = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o0, %offset2
  %f0 = ptrtoint ptr addrspace(1) %f to i64
  %f.at = add i64 %f0, %offset
  %x.raw = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y.raw = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %x.cut = and <16 x i32> %x.raw, <i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785>
  %y.cut = and <16 x i32> %y.raw, <i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785>
  %x.bits = or <16 x i32> %x.cut, <i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960>
  %y.bits = or <16 x i32> %y.cut, <i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960>
  %x.float = bitcast <16 x i32> %x.bits to <16 x float>
  %y.float = bitcast <16 x i32> %y.bits to <16 x float>
  %x = fptrunc <16 x float> %x.float to <16 x bfloat>
  %y = fptrunc <16 x float> %y.float to <16 x bfloat>
  %sum = fadd <16 x bfloat> %x, %y
  %product = fmul <16 x bfloat> %x, %y
  %most = call <16 x bfloat> @llvm.maxnum.v16bf16(<16 x bfloat> %x, <16 x bfloat> %y)
  %less = fcmp olt <16 x bfloat> %x, %y
  %negative = fneg <16 x bfloat> %x
  %chosen = select <16 x i1> %less, <16 x bfloat> %negative, <16 x bfloat> %y
  %wide = fpext <16 x bfloat> %product to <16 x float>
  %o1 = add i64 %o.at, 32
  %o2 = add i64 %o.at, 64
  %o3 = add i64 %o.at, 96
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o.at, <16 x bfloat> %sum)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o1, <16 x bfloat> %product)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o2, <16 x bfloat> %most)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o3, <16 x bfloat> %chosen)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %f.at, <16 x float> %wide)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
