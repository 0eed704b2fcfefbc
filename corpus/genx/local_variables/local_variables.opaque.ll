target datalayout = "e-p:64:64-p3:32:32-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@shared = internal addrspace(3) global [4 x i32] undef, align 16
@table = internal constant [4 x i32] [i32 11, i32 22, i32 33, i32 44], align 4

declare i32 @llvm.genx.group.id.x()

declare <3 x i32> @llvm.genx.local.id.v3i32()

declare void @llvm.genx.barrier()

declare void @llvm.genx.fence(i8)

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func i32 @look_up(ptr %list, i32 %n) #0 {
  %at = getelementptr inbounds i32, ptr %list, i32 %n
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

; Function Attrs: noinline nounwind
define internal spir_func void @remember(ptr %to, i32 %x) #0 {
  %bit = trunc i32 %x to i1
  store i1 %bit, ptr %to, align 1
  ret void
}

; Function Attrs: noinline nounwind
define spir_kernel void @local_variables(ptr addrspace(3) %l, ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %flag = alloca i1, align 1
  %group = call i32 @llvm.genx.group.id.x()
  %ids = call <3 x i32> @llvm.genx.local.id.v3i32()
  %n = extractelement <3 x i32> %ids, i32 0
  %before = shl i32 %group, 2
  %g = add i32 %before, %n
  %a.at = getelementptr inbounds i32, ptr addrspace(1) %a, i32 %g
  %x = load i32, ptr addrspace(1) %a.at, align 4
  %mine = getelementptr inbounds [4 x i32], ptr addrspace(3) @shared, i32 0, i32 %n
  store i32 %x, ptr addrspace(3) %mine, align 4
  %mine2 = getelementptr inbounds i32, ptr addrspace(3) %l, i32 %n
  %x7 = xor i32 %x, 7
  store i32 %x7, ptr addrspace(3) %mine2, align 4
  call void @llvm.genx.fence(i8 32)
  call void @llvm.genx.barrier()
  %n1 = add i32 %n, 1
  %m1 = and i32 %n1, 3
  %n2 = add i32 %n, 2
  %m2 = and i32 %n2, 3
  %theirs = getelementptr inbounds [4 x i32], ptr addrspace(3) @shared, i32 0, i32 %m1
  %y = load i32, ptr addrspace(3) %theirs, align 4
  %theirs2 = getelementptr inbounds i32, ptr addrspace(3) %l, i32 %m2
  %z = load i32, ptr addrspace(3) %theirs2, align 4
  %first = getelementptr inbounds [4 x i32], ptr @table, i32 0, i32 0
  %t = call spir_func i32 @look_up(ptr %first, i32 %n)
  call spir_func void @remember(ptr %flag, i32 %x)
  %f = load i1, ptr %flag, align 1
  %five = select i1 %f, i32 5, i32 0
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %bytes = shl i32 %g, 4
  %offset = zext i32 %bytes to i64
  %o.at = add i64 %o.at.base, %offset
  %v0 = insertelement <4 x i32> undef, i32 %y, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %z, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %t, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %five, i32 3
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %v3)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
