target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare i1 @llvm.genx.any.v16i1(<16 x i1>)

declare i1 @llvm.genx.all.v16i1(<16 x i1>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @branch_any(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %start = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  br label %loop

loop:                                             ; preds = %body, %entry
  %x = phi <16 x i32> [ %start, %entry ], [ %x.next, %body ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %low = icmp ult <16 x i32> %x, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %some = call i1 @llvm.genx.any.v16i1(<16 x i1> %low)
  br i1 %some, label %body, label %after

body:                                             ; preds = %loop
  %x.next = add <16 x i32> %x, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %n.next = add i32 %n, 1
  br label %loop

after:                                            ; preds = %loop
  %high = icmp ugt <16 x i32> %x, <i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105>
  %every = call i1 @llvm.genx.all.v16i1(<16 x i1> %high)
  br i1 %every, label %double, label %single

double:                                           ; preds = %after
  %twice = shl <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  br label %exit

single:                                           ; preds = %after
  %one = insertelement <16 x i32> undef, i32 %n, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %plus = add <16 x i32> %x, %all
  br label %exit

exit:                                             ; preds = %single, %double
  %r = phi <16 x i32> [ %twice, %double ], [ %plus, %single ]
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
