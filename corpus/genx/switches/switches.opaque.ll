target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @switches(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %odd = and i32 %group, 1
  br label %loop

loop:                                             ; preds = %next, %entry
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %r = phi <8 x i32> [ undef, %entry ], [ %r.next, %next ]
  %v = extractelement <8 x i32> %x, i32 %i
  switch i32 %v, label %other [
    i32 0, label %none
    i32 1, label %triple
    i32 4, label %triple
    i32 2, label %two
    i32 6, label %six
  ]

none:                                             ; preds = %loop
  br label %next

triple:                                           ; preds = %loop, %loop
  %t = mul i32 %v, 3
  br label %next

two:                                              ; preds = %loop
  switch i32 %odd, label %never [
    i32 0, label %even.two
    i32 1, label %odd.two
  ]

never:                                            ; preds = %two
  unreachable

even.two:                                         ; preds = %two
  br label %next

odd.two:                                          ; preds = %two
  br label %next

six:                                              ; preds = %loop
  %s = xor i32 %group, 85
  br label %next

other:                                            ; preds = %loop
  %more = add i32 %v, 1000
  br label %next

next:                                             ; preds = %other, %six, %odd.two, %even.two, %triple, %none
  %n = phi i32 [ 11, %none ], [ %t, %triple ], [ 5, %even.two ], [ 8, %odd.two ], [ %s, %six ], [ %more, %other ]
  %r.next = insertelement <8 x i32> %r, i32 %n, i32 %i
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 8
  br i1 %again, label %loop, label %exit

exit:                                             ; preds = %next
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %r.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
