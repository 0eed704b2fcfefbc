target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: noinline nounwind
define dllexport void @document_implicit(i32 %n, i64 %o, <3 x i16> %ids, <3 x i32> %size, <3 x i32> %count, i64 %private) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %id16 = extractelement <3 x i16> %ids, i32 0
  %id = zext i16 %id16 to i32
  %sx = extractelement <3 x i32> %size, i32 0
  %cx = extractelement <3 x i32> %count, i32 0
  %before = mul i32 %group, %sx
  %global = add i32 %before, %id
  %bytes = shl i32 %global, 4
  %offset = zext i32 %bytes to i64
  %o.at = add i64 %o, %offset
  %more = add i32 %id, %n
  %v0 = insertelement <4 x i32> undef, i32 %more, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %sx, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %cx, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %global, i32 3
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %v3)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0}

!0 = !{ptr @document_implicit, !"document_implicit", !1, i32 0, !2, !3, !4, i32 0}
!1 = !{i32 0, i32 0, i32 24, i32 8, i32 16, i32 96}
!2 = !{i32 96, i32 104, i32 32, i32 64, i32 76, i32 88}
!3 = !{i32 0, i32 0}
!4 = !{!"", !"svmptr_t"}
