target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @private_arrays(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %counts = alloca [16 x i32], align 4
  %squares = alloca [16 x i32], align 4
  %whole = alloca <16 x i32>, align 64
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  store <16 x i32> %x, ptr %whole, align 64
  br label %clear

clear:                                            ; preds = %clear, %entry
  %c = phi i32 [ 0, %entry ], [ %c.next, %clear ]
  %c.at = getelementptr inbounds [16 x i32], ptr %counts, i32 0, i32 %c
  store i32 0, ptr %c.at, align 4
  %s.at = getelementptr inbounds [16 x i32], ptr %squares, i32 0, i32 %c
  %square = mul i32 %c, %c
  store i32 %square, ptr %s.at, align 4
  %c.next = add i32 %c, 1
  %c.more = icmp ult i32 %c.next, 16
  br i1 %c.more, label %clear, label %count

count:                                            ; preds = %count, %clear
  %i = phi i32 [ 0, %clear ], [ %i.next, %count ]
  %all = load <16 x i32>, ptr %whole, align 64
  %v = extractelement <16 x i32> %all, i32 %i
  %v.at = getelementptr inbounds [16 x i32], ptr %counts, i32 0, i32 %v
  %old = load i32, ptr %v.at, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr %v.at, align 4
  %i.next = add i32 %i, 1
  %i.more = icmp ult i32 %i.next, 16
  br i1 %i.more, label %count, label %collect

collect:                                          ; preds = %collect, %count
  %k = phi i32 [ 0, %count ], [ %k.next, %collect ]
  %r = phi <16 x i32> [ undef, %count ], [ %r.next, %collect ]
  %k.at = getelementptr inbounds [16 x i32], ptr %counts, i32 0, i32 %k
  %n = load i32, ptr %k.at, align 4
  %xk = extractelement <16 x i32> %x, i32 %k
  %xk.at = getelementptr inbounds [16 x i32], ptr %squares, i32 0, i32 %xk
  %sq = load i32, ptr %xk.at, align 4
  %hundred = mul i32 %sq, 100
  %sum = add i32 %n, %hundred
  %r.next = insertelement <16 x i32> %r, i32 %sum, i32 %k
  %k.next = add i32 %k, 1
  %k.more = icmp ult i32 %k.next, 16
  br i1 %k.more, label %collect, label %exit

exit:                                             ; preds = %collect
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
