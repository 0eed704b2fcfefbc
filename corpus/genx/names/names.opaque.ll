target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@"a.constant with blanks" = internal unnamed_addr constant [2 x i32] [i32 3, i32 1], align 4, !kind !0

; Function Attrs: nounwind readnone
declare i32 @llvm.genx.group.id.x() #0

; Function Attrs: nounwind readonly
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64) #1

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.value(metadata, metadata, metadata) #2

; Function Attrs: noinline nounwind
define internal spir_func <16 x i32> @"splat of.one"(i32 %0) #3 {
  %2 = insertelement <16 x i32> undef, i32 %0, i32 0
  %3 = shufflevector <16 x i32> %2, <16 x i32> undef, <16 x i32> zeroinitializer
  ret <16 x i32> %3
}

; Function Attrs: noinline nounwind
define spir_kernel void @names(ptr addrspace(1) nocapture readonly %0, ptr addrspace(1) noalias align 4 %1) local_unnamed_addr #3 !dbg !7 {
  %3 = call i32 @llvm.genx.group.id.x(), !dbg !10
  %4 = shl nuw nsw i32 %3, 6, !dbg !10
  %5 = zext i32 %4 to i64
  %"in base" = ptrtoint ptr addrspace(1) %0 to i64
  %6 = add nsw i64 %"in base", %5, !dbg !11, !kind !0
  %7 = ptrtoint ptr addrspace(1) %1 to i64
  %8 = add i64 %7, %5
  %9 = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %6), !dbg !11
  call void @llvm.dbg.value(metadata i32 %3, metadata !12, metadata !DIExpression()), !dbg !10
  br label %10

10:                                               ; preds = %2
  %11 = getelementptr inbounds [2 x i32], ptr @"a.constant with blanks", i64 0, i64 0
  %12 = load i32, ptr %11, align 4
  %13 = load i32, ptr getelementptr inbounds ([2 x i32], ptr @"a.constant with blanks", i64 0, i64 1), align 4
  %14 = call spir_func <16 x i32> @"splat of.one"(i32 %12)
  %15 = call spir_func <16 x i32> @"splat of.one"(i32 %13)
  %.x = mul <16 x i32> %9, %14
  %r.y-z = add <16 x i32> %.x, %15
  tail call void @llvm.genx.svm.block.st.i64.v16i32(i64 %8, <16 x i32> %r.y-z), !dbg !14
  ret void, !dbg !14
}

attributes #0 = { nounwind readnone }
attributes #1 = { nounwind readonly }
attributes #2 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { noinline nounwind "VCFunction" "frame-pointer"="all" }

!llvm.module.flags = !{!2, !3}
!llvm.dbg.cu = !{!4}
!unknown = !{!0}

!0 = !{!"words", i32 7, !1}
!1 = !{i64 -1}
!2 = !{i32 2, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DICompileUnit(language: DW_LANG_C99, file: !5, producer: "by \22hand\22", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !6)
!5 = !DIFile(filename: "names.c", directory: "/")
!6 = !{}
!7 = distinct !DISubprogram(name: "names", scope: !5, file: !5, line: 3, type: !8, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !4, retainedNodes: !6)
!8 = !DISubroutineType(types: !9)
!9 = !{null}
!10 = !DILocation(line: 5, column: 9, scope: !7)
!11 = !DILocation(line: 6, column: 3, scope: !7)
!12 = !DILocalVariable(name: "group", scope: !7, file: !5, line: 5, type: !13)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !DILocation(line: 8, scope: !7)
