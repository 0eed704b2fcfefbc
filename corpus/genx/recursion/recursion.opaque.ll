target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func i32 @choose(i32 %n, i32 %k) #0 {
  %low = icmp eq i32 %k, 0
  %same = icmp eq i32 %k, %n
  %end = or i1 %low, %same
  br i1 %end, label %one, label %more

one:                                              ; preds = %0
  ret i32 1

more:                                             ; preds = %0
  %n1 = sub i32 %n, 1
  %k1 = sub i32 %k, 1
  %left = call spir_func i32 @choose(i32 %n1, i32 %k1)
  %right = call spir_func i32 @choose(i32 %n1, i32 %k)
  %sum = add i32 %left, %right
  ret i32 %sum
}

; Function Attrs: noinline nounwind
define spir_kernel void @recursion(i32 %k, ptr addrspace(1) %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 16
  %offset = zext i32 %bytes to i64
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %n = add i32 %group, 6
  %r = call spir_func i32 @choose(i32 %n, i32 %k)
  %one = insertelement <4 x i32> undef, i32 %r, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> undef, <4 x i32> zeroinitializer
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %all)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" "VCStackCall" }
attributes #1 = { noinline nounwind "VCFunction" }
