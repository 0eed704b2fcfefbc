; Names with dots and quotes, numbered values, attribute groups, metadata everywhere, records of lines.
;! global 2
;! local 1
;! in a u32 32 bits 32
;! out o u32 32
;= def expect(args):
;=     return {1: [(x * 3 + 1) % 2**32 for x in args[0]]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@"a.constant with blanks" = internal unnamed_addr constant [2 x i32] [i32 3, i32 1], align 4, !kind !5

declare i32 @llvm.genx.group.id.x() #1
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64) #2
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare void @llvm.dbg.value(metadata, metadata, metadata)

define internal spir_func <16 x i32> @"splat of.one"(i32 %0) #0 {
  %2 = insertelement <16 x i32> undef, i32 %0, i32 0
  %3 = shufflevector <16 x i32> %2, <16 x i32> undef, <16 x i32> zeroinitializer
  ret <16 x i32> %3
}

; Function Attrs: noinline nounwind
define spir_kernel void @names(i32 addrspace(1)* nocapture readonly %0, i32 addrspace(1)* noalias align 4 %1) local_unnamed_addr #0 !dbg !10 {
  %3 = call i32 @llvm.genx.group.id.x(), !dbg !13
  %4 = shl nuw nsw i32 %3, 6, !dbg !13
  %5 = zext i32 %4 to i64
  %"in base" = ptrtoint i32 addrspace(1)* %0 to i64
  %6 = add nsw i64 %"in base", %5, !dbg !14, !kind !5
  %7 = ptrtoint i32 addrspace(1)* %1 to i64
  %8 = add i64 %7, %5
  %9 = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %6), !dbg !14
  call void @llvm.dbg.value(metadata i32 %3, metadata !15, metadata !DIExpression()), !dbg !13
  br label %10

10:                                               ; preds = %2
  %11 = getelementptr inbounds [2 x i32], [2 x i32]* @"a.constant with blanks", i64 0, i64 0
  %12 = load i32, i32* %11, align 4
  %13 = load i32, i32* getelementptr inbounds ([2 x i32], [2 x i32]* @"a.constant with blanks", i64 0, i64 1), align 4
  %14 = call spir_func <16 x i32> @"splat of.one"(i32 %12)
  %15 = call spir_func <16 x i32> @"splat of.one"(i32 %13)
  %.x = mul <16 x i32> %9, %14
  %r.y-z = add <16 x i32> %.x, %15
  tail call void @llvm.genx.svm.block.st.i64.v16i32(i64 %8, <16 x i32> %r.y-z), !dbg !16
  ret void, !dbg !16
}

attributes #0 = { noinline nounwind "VCFunction" "frame-pointer"="all" }
attributes #1 = { nounwind readnone }
attributes #2 = { nounwind readonly }

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!unknown = !{!5}

!0 = !{i32 2, !"Dwarf Version", i32 4}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "by \22hand\22", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !4)
!3 = !DIFile(filename: "names.c", directory: "/")
!4 = !{}
!5 = !{!"words", i32 7, !6}
!6 = !{i64 -1}
!10 = distinct !DISubprogram(name: "names", scope: !3, file: !3, line: 3, type: !11, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !4)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!13 = !DILocation(line: 5, column: 9, scope: !10)
!14 = !DILocation(line: 6, column: 3, scope: !10)
!15 = !DILocalVariable(name: "group", scope: !10, file: !3, line: 5, type: !17)
!16 = !DILocation(line: 8, scope: !10)
!17 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
