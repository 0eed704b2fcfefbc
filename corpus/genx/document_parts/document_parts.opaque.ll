target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

%given = type { i32, [2 x i32], i8 }

declare i32 @llvm.genx.group.id.x()

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: noinline nounwind
define dllexport void @document_parts(ptr byval(%given) %s, i64 %o, i64 %private, i32 %s0, i32 %s4, i32 %s8, i8 %s12) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 4
  %offset = zext i32 %bytes to i64
  %o.at = add i64 %o, %offset
  %c = zext i8 %s12 to i32
  %last = add i32 %c, %group
  %v0 = insertelement <4 x i32> undef, i32 %s0, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %s4, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %s8, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %last, i32 3
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %v3)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0}
!genx.kernel.internal = !{!4}

!0 = !{ptr @document_parts, !"document_parts", !1, i32 0, i32 0, !2, !3, i32 0}
!1 = !{i32 112, i32 0, i32 96, i32 104, i32 104, i32 104, i32 104}
!2 = !{i32 0, i32 0}
!3 = !{!"svmptr_t", !"svmptr_t"}
!4 = !{ptr @document_parts, null, null, !5, null}
!5 = !{!6}
!6 = !{i32 0, !7}
!7 = !{!8, !9, !10, !11}
!8 = !{i32 3, i32 0}
!9 = !{i32 4, i32 4}
!10 = !{i32 5, i32 8}
!11 = !{i32 6, i32 12}
