; The document's form with a structure argument and the parts that the compiler before has taken it into.
;! global 2
;! local 1
;! document
;! bytes 05000000070000000300000000000000
;! out o u32 8
;= def expect(args):
;=     return {1: [x for g in range(2) for x in (5, 7, 3, g)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

%given = type { i32, [2 x i32], i8 }

declare i32 @llvm.genx.group.id.x()
declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

define dllexport void @document_parts(%given* byval(%given) %s, i64 %o, i64 %private, i32 %s0, i32 %s4, i32 %s8, i8 %s12) #0 {
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
!genx.kernel.internal = !{!5}
!0 = !{void (%given*, i64, i64, i32, i32, i32, i8)* @document_parts, !"document_parts", !1, i32 0, i32 0, !2, !3, i32 0}
!1 = !{i32 112, i32 0, i32 96, i32 104, i32 104, i32 104, i32 104}
!2 = !{i32 0, i32 0}
!3 = !{!"svmptr_t", !"svmptr_t"}
!5 = !{void (%given*, i64, i64, i32, i32, i32, i8)* @document_parts, null, null, !6, null}
!6 = !{!7}
!7 = !{i32 0, !8}
!8 = !{!9, !10, !11, !12}
!9 = !{i32 3, i32 0}
!10 = !{i32 4, i32 4}
!11 = !{i32 5, i32 8}
!12 = !{i32 6, i32 12}
