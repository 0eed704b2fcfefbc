target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @loop_hints(ptr addrspace(1) %a, i32 %n, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = xor <16 x i32> %x, <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
  br label %all

all:                                              ; preds = %all, %entry
  %all.i = phi i32 [ 0, %entry ], [ %all.next, %all ]
  %all.a = phi <16 x i32> [ %x, %entry ], [ %all.b, %all ]
  %all.b = phi <16 x i32> [ %y, %entry ], [ %all.i1, %all ]
  %all.m = mul <16 x i32> %all.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %all.s = add <16 x i32> %all.m, %all.b
  %all.i1 = insertelement <16 x i32> %all.s, i32 %all.i, i32 5
  %all.next = add i32 %all.i, 1
  %all.more = icmp ult i32 %all.next, 200
  br i1 %all.more, label %all, label %all.end, !llvm.loop !0

all.end:                                          ; preds = %all
  br label %four

four:                                             ; preds = %four, %all.end
  %four.i = phi i32 [ 0, %all.end ], [ %four.next, %four ]
  %four.a = phi <16 x i32> [ %all.b, %all.end ], [ %four.b, %four ]
  %four.b = phi <16 x i32> [ %all.i1, %all.end ], [ %four.i1, %four ]
  %four.m = mul <16 x i32> %four.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %four.s = add <16 x i32> %four.m, %four.b
  %four.i1 = insertelement <16 x i32> %four.s, i32 %four.i, i32 5
  %four.next = add i32 %four.i, 1
  %four.more = icmp ult i32 %four.next, 100
  br i1 %four.more, label %four, label %four.end, !llvm.loop !2

four.end:                                         ; preds = %four
  br label %three

three:                                            ; preds = %three.body, %four.end
  %three.i = phi i32 [ 0, %four.end ], [ %three.next, %three.body ]
  %three.a = phi <16 x i32> [ %four.b, %four.end ], [ %three.b, %three.body ]
  %three.b = phi <16 x i32> [ %four.i1, %four.end ], [ %three.i1, %three.body ]
  %three.more = icmp ult i32 %three.i, 100
  br i1 %three.more, label %three.body, label %three.end

three.body:                                       ; preds = %three
  %three.m = mul <16 x i32> %three.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %three.s = add <16 x i32> %three.m, %three.b
  %three.i1 = insertelement <16 x i32> %three.s, i32 %three.i, i32 5
  %three.next = add i32 %three.i, 1
  br label %three, !llvm.loop !4

three.end:                                        ; preds = %three
  br label %stays

stays:                                            ; preds = %stays, %three.end
  %stays.i = phi i32 [ 0, %three.end ], [ %stays.next, %stays ]
  %stays.a = phi <16 x i32> [ %three.a, %three.end ], [ %stays.b, %stays ]
  %stays.b = phi <16 x i32> [ %three.b, %three.end ], [ %stays.i1, %stays ]
  %stays.m = mul <16 x i32> %stays.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %stays.s = add <16 x i32> %stays.m, %stays.b
  %stays.i1 = insertelement <16 x i32> %stays.s, i32 %stays.i, i32 5
  %stays.next = add i32 %stays.i, 1
  %stays.more = icmp ult i32 %stays.next, 3
  br i1 %stays.more, label %stays, label %stays.end, !llvm.loop !6

stays.end:                                        ; preds = %stays
  br label %unknown

unknown:                                          ; preds = %unknown.body, %stays.end
  %unknown.i = phi i32 [ 0, %stays.end ], [ %unknown.next, %unknown.body ]
  %unknown.a = phi <16 x i32> [ %stays.b, %stays.end ], [ %unknown.b, %unknown.body ]
  %unknown.b = phi <16 x i32> [ %stays.i1, %stays.end ], [ %unknown.i1, %unknown.body ]
  %unknown.more = icmp ult i32 %unknown.i, %n
  br i1 %unknown.more, label %unknown.body, label %unknown.end

unknown.body:                                     ; preds = %unknown
  %unknown.m = mul <16 x i32> %unknown.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %unknown.s = add <16 x i32> %unknown.m, %unknown.b
  %unknown.i1 = insertelement <16 x i32> %unknown.s, i32 %unknown.i, i32 5
  %unknown.next = add i32 %unknown.i, 1
  br label %unknown, !llvm.loop !4

unknown.end:                                      ; preds = %unknown
  br label %enabled

enabled:                                          ; preds = %enabled.body, %unknown.end
  %enabled.i = phi i32 [ 0, %unknown.end ], [ %enabled.next, %enabled.body ]
  %enabled.a = phi <16 x i32> [ %unknown.a, %unknown.end ], [ %enabled.b, %enabled.body ]
  %enabled.b = phi <16 x i32> [ %unknown.b, %unknown.end ], [ %enabled.i1, %enabled.body ]
  %enabled.more = icmp ult i32 %enabled.i, 150
  br i1 %enabled.more, label %enabled.body, label %enabled.end

enabled.body:                                     ; preds = %enabled
  %enabled.m = mul <16 x i32> %enabled.a, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %enabled.s = add <16 x i32> %enabled.m, %enabled.b
  %enabled.i1 = insertelement <16 x i32> %enabled.s, i32 %enabled.i, i32 5
  %enabled.next = add i32 %enabled.i, 1
  br label %enabled, !llvm.loop !8

enabled.end:                                      ; preds = %enabled
  %r = xor <16 x i32> %enabled.a, %enabled.b
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.count", i32 4}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.unroll.count", i32 3}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.unroll.disable"}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.unroll.enable"}
