target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@table = internal constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6], align 4

declare i32 @llvm.genx.group.id.x()

declare <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @constant_tables(ptr addrspace(1) %n, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 16
  %offset = zext i32 %bytes to i64
  %n.at.base = ptrtoint ptr addrspace(1) %n to i64
  %n.at = add i64 %n.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <4 x i32> @llvm.genx.svm.block.ld.unaligned.v4i32.i64(i64 %n.at)
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %r = phi <4 x i32> [ undef, %entry ], [ %r.next, %loop ]
  %v = extractelement <4 x i32> %x, i32 %i
  %place = getelementptr inbounds [8 x i32], ptr @table, i32 0, i32 %v
  %entry.v = load i32, ptr %place, align 4
  %ten = mul i32 %entry.v, 10
  %other = xor i32 %v, 3
  %sum = add i32 %ten, %other
  %r.next = insertelement <4 x i32> %r, i32 %sum, i32 %i
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 4
  br i1 %more, label %loop, label %exit

exit:                                             ; preds = %loop
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %r.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
