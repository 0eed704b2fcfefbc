target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define dllexport void @document_blocks(i64 %a, i32 %n, i64 %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 7
  %offset = zext i32 %bytes to i64
  %a.at = add i64 %a, %offset
  %o.at = add i64 %o, %offset
  %x = call <32 x i32> @llvm.genx.svm.block.ld.unaligned.v32i32.i64(i64 %a.at)
  %one = insertelement <32 x i32> undef, i32 %n, i32 0
  %all = shufflevector <32 x i32> %one, <32 x i32> undef, <32 x i32> zeroinitializer
  %r = add <32 x i32> %x, %all
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" }

!genx.kernels = !{!0}

!0 = !{ptr @document_blocks, !"document_blocks", !1, i32 0, !2, !1, !3, i32 0}
!1 = !{i32 0, i32 0, i32 0}
!2 = !{i32 64, i32 72, i32 80}
!3 = !{!"svmptr_t", !"", !"svmptr_t"}
