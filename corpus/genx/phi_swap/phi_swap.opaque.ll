target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @phi_swap(ptr addrspace(1) %a, i32 %rounds, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %a.next = add i64 %a.at, 64
  %o.next = add i64 %o.at, 64
  %first = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %second = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.next)
  br label %loop

loop:                                             ; preds = %loop, %entry
  %x = phi <16 x i32> [ %first, %entry ], [ %x.more, %loop ]
  %y = phi <16 x i32> [ %second, %entry ], [ %x, %loop ]
  %p = phi i32 [ 1, %entry ], [ %q, %loop ]
  %q = phi i32 [ 2, %entry ], [ %sum, %loop ]
  %i = phi i32 [ %rounds, %entry ], [ %i.next, %loop ]
  %sum = add i32 %p, %q
  %one = insertelement <16 x i32> undef, i32 %q, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %x.more = add <16 x i32> %y, %all
  %i.next = add i32 %i, -1
  %done = icmp eq i32 %i.next, 0
  br i1 %done, label %exit, label %loop

exit:                                             ; preds = %loop
  %last = insertelement <16 x i32> undef, i32 %sum, i32 0
  %lasts = shufflevector <16 x i32> %last, <16 x i32> undef, <16 x i32> zeroinitializer
  %y.mixed = xor <16 x i32> %x, %lasts
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %x.more)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.next, <16 x i32> %y.mixed)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
