target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8f32(i64, <8 x float>)

; Function Attrs: noinline nounwind
define internal spir_func <8 x float> @small(<8 x i32> %x) #0 {
  %shifted = lshr <8 x i32> %x, <i32 25, i32 25, i32 25, i32 25, i32 25, i32 25, i32 25, i32 25>
  %low = and <8 x i32> %shifted, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %exponent = shl <8 x i32> %low, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %bit = and <8 x i32> %x, <i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456>
  %has = icmp ne <8 x i32> %bit, zeroinitializer
  %high = select <8 x i1> %has, <8 x i32> %exponent, <8 x i32> zeroinitializer
  %rest = and <8 x i32> %x, <i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041>
  %bits = or <8 x i32> %rest, %high
  %result = bitcast <8 x i32> %bits to <8 x float>
  ret <8 x float> %result
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x float> @to_zero(<8 x float> %x) #1 {
  %result = fmul <8 x float> %x, <float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01>
  ret <8 x float> %result
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x float> @flushed(<8 x float> %x, <8 x float> %y) #2 {
  %twice = fmul <8 x float> %x, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %result = fadd <8 x float> %twice, %y
  ret <8 x float> %result
}

; Function Attrs: noinline nounwind
define spir_kernel void @float_modes(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %five = mul i64 %offset, 5
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %five
  %a.bits = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %b.bits = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %b.at)
  %b.plus = and <8 x i32> %b.bits, <i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647>
  %x = call spir_func <8 x float> @small(<8 x i32> %a.bits)
  %y = call spir_func <8 x float> @small(<8 x i32> %b.plus)
  %sum = fadd <8 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %o.at, <8 x float> %sum)
  %zero = call spir_func <8 x float> @to_zero(<8 x float> %x)
  %t1 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t1, <8 x float> %zero)
  %near = fmul <8 x float> %x, <float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01>
  %t2 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t2, <8 x float> %near)
  %none = call spir_func <8 x float> @flushed(<8 x float> %x, <8 x float> %y)
  %t3 = add i64 %o.at, 96
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t3, <8 x float> %none)
  %again = fmul <8 x float> %y, <float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01, float 7.500000e-01>
  %t4 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t4, <8 x float> %again)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFloatControl"="1264" "VCFunction" }
attributes #2 = { noinline nounwind "VCFloatControl"="0" "VCFunction" "VCStackCall" }
