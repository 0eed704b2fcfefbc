target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func <16 x i32> @mix(<16 x i32> %x, i32 %by) #0 {
  %one = insertelement <16 x i32> undef, i32 %by, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %left = shl <16 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %sum = add <16 x i32> %left, %x
  %mixed = xor <16 x i32> %sum, %all
  ret <16 x i32> %mixed
}

; Function Attrs: noinline nounwind
define spir_kernel void @subroutine(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %rounds) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 6
  %offset = zext i32 %bytes to i64
  %in.base = ptrtoint ptr addrspace(1) %in to i64
  %in.at = add i64 %in.base, %offset
  %out.base = ptrtoint ptr addrspace(1) %out to i64
  %out.at = add i64 %out.base, %offset
  %start = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %in.at)
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %x = phi <16 x i32> [ %start, %entry ], [ %x.next, %loop ]
  %once = call spir_func <16 x i32> @mix(<16 x i32> %x, i32 %i)
  %x.next = call spir_func <16 x i32> @mix(<16 x i32> %once, i32 %rounds)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %rounds
  br i1 %more, label %loop, label %exit

exit:                                             ; preds = %loop
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %out.at, <16 x i32> %x.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
