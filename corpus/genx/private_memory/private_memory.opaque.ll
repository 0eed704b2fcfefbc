target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare void @llvm.genx.svm.scatter.v1i1.v1i64.v1i32(<1 x i1>, i32, <1 x i64>, <1 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func void @add_to(ptr %to, ptr %from) #0 {
  %x = load i32, ptr %to, align 4
  %y = load i32, ptr %from, align 4
  %s = add i32 %x, %y
  store i32 %s, ptr %to, align 4
  ret void
}

; Function Attrs: noinline nounwind
define spir_kernel void @private_memory(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %array = alloca [16 x i32], align 64
  %spare = alloca i32, align 4
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %whole = bitcast ptr %array to ptr
  store <16 x i32> %x, ptr %whole, align 64
  %one = getelementptr inbounds [16 x i32], ptr %array, i32 0, i32 1
  %other = getelementptr inbounds [16 x i32], ptr %array, i32 0, i32 14
  call spir_func void @add_to(ptr %one, ptr %other)
  %five = getelementptr inbounds [16 x i32], ptr %array, i64 0, i64 5
  %five.at = ptrtoint ptr %five to i64
  %five.places = insertelement <1 x i64> undef, i64 %five.at, i32 0
  call void @llvm.genx.svm.scatter.v1i1.v1i64.v1i32(<1 x i1> <i1 true>, i32 0, <1 x i64> %five.places, <1 x i32> <i32 77>)
  %eight = getelementptr inbounds [16 x i32], ptr %array, i32 0, i32 8
  %old = load i32, ptr %eight, align 4
  %bit = and i32 %group, 1
  %odd = icmp ne i32 %bit, 0
  %chosen = select i1 %odd, ptr %eight, ptr %spare
  %new = xor i32 %old, 85
  store i32 %new, ptr %chosen, align 4
  %y = load <16 x i32>, ptr %whole, align 64
  %r = add <16 x i32> %y, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
