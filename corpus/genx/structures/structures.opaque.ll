target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

%pair = type { i32, i32 }
%given = type { i32, [1 x i32], float, i8, i32 }

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func %pair @turn(%pair %x) #0 {
  %a = extractvalue %pair %x, 0
  %b = extractvalue %pair %x, 1
  %y = insertvalue %pair undef, i32 %b, 0
  %z = insertvalue %pair %y, i32 %a, 1
  ret %pair %z
}

; Function Attrs: noinline nounwind
define spir_kernel void @structures(ptr byval(%given) %s, ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %base = bitcast ptr addrspace(1) %a to ptr addrspace(1)
  %here = getelementptr i8, ptr addrspace(1) %base, i64 %offset
  %pairs = bitcast ptr addrspace(1) %here to ptr addrspace(1)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %first = load %pair, ptr addrspace(1) %pairs, align 4
  %second.at = getelementptr %pair, ptr addrspace(1) %pairs, i64 1
  %second = load %pair, ptr addrspace(1) %second.at, align 4
  %bit = and i32 %group, 1
  %odd = icmp ne i32 %bit, 0
  %chosen = select i1 %odd, %pair %first, %pair %second
  %turned = call spir_func %pair @turn(%pair %chosen)
  %bit2 = and i32 %group, 2
  %high = icmp ne i32 %bit2, 0
  br i1 %high, label %left, label %right

left:                                             ; preds = %entry
  %t0 = extractvalue %pair %turned, 0
  %t1 = xor i32 %t0, 1
  %l = insertvalue %pair %turned, i32 %t1, 0
  br label %join

right:                                            ; preds = %entry
  %t2 = extractvalue %pair %turned, 1
  %t3 = xor i32 %t2, 2
  %r = insertvalue %pair %turned, i32 %t3, 1
  br label %join

join:                                             ; preds = %right, %left
  %last = phi %pair [ %l, %left ], [ %r, %right ]
  %third = alloca [2 x %pair], align 4
  %third.at = getelementptr inbounds [2 x %pair], ptr %third, i32 0, i32 1
  store %pair %last, ptr %third.at, align 4
  %words.at = getelementptr inbounds [2 x %pair], ptr %third, i32 0, i32 1, i32 0
  %x0 = load i32, ptr %words.at, align 4
  %words.at1 = getelementptr inbounds [2 x %pair], ptr %third, i32 0, i32 1, i32 1
  %x1 = load i32, ptr %words.at1, align 4
  %p.at = getelementptr inbounds %given, ptr %s, i32 0, i32 0
  %p = load i32, ptr %p.at, align 4
  %pg = add i32 %p, %group
  store i32 %pg, ptr %p.at, align 4
  %p2 = load i32, ptr %p.at, align 4
  %q.at = getelementptr inbounds %given, ptr %s, i32 0, i32 1, i32 0
  %q = load i32, ptr %q.at, align 4
  %f.at = getelementptr inbounds %given, ptr %s, i32 0, i32 2
  %f = load float, ptr %f.at, align 4
  %fi = fptosi float %f to i32
  %c.at = getelementptr inbounds %given, ptr %s, i32 0, i32 3
  %c = load i8, ptr %c.at, align 4
  %ci = zext i8 %c to i32
  %all = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %o.at)
  %data.at = ptrtoint ptr addrspace(1) %pairs to i64
  %data = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %data.at)
  %v0 = insertelement <8 x i32> %data, i32 %x0, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %x1, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %p2, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %q, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %fi, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %ci, i32 5
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %v5)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
