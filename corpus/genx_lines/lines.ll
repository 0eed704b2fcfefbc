; Lines of two files, of code of a subroutine and of code that was inlined.
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare void @llvm.donothing()
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
define internal spir_func <8 x i32> @twice(<8 x i32> %x) #0 !dbg !10 {
  %r = add <8 x i32> %x, %x, !dbg !11
  ret <8 x i32> %r, !dbg !12
}
define spir_kernel void @lines(i32 addrspace(1)* %a) #0 !dbg !6 {
  %p = ptrtoint i32 addrspace(1)* %a to i64, !dbg !7
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %p), !dbg !7
  call void @llvm.donothing(), !dbg !8
  %y = mul <8 x i32> %x, %x, !dbg !8
  %z = call spir_func <8 x i32> @twice(<8 x i32> %y), !dbg !9
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %z), !dbg !14
  ret void, !dbg !13
}
attributes #0 = { noinline nounwind "VCFunction" }
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Dwarf Version", i32 4}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!3 = !DIFile(filename: "lines.cpp", directory: "/src/kernels")
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = distinct !DISubprogram(name: "lines", scope: !3, file: !3, line: 20, type: !4, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !2)
!7 = !DILocation(line: 21, column: 5, scope: !6)
!8 = !DILocation(line: 22, column: 7, scope: !6)
!9 = !DILocation(line: 23, column: 3, scope: !6)
!10 = distinct !DISubprogram(name: "twice", scope: !3, file: !15, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !2)
!11 = !DILocation(line: 4, column: 10, scope: !10)
!12 = !DILocation(line: 5, column: 1, scope: !10)
!13 = !DILocation(line: 25, column: 1, scope: !6)
!14 = !DILocation(line: 24, column: 2, scope: !16, inlinedAt: !9)
!15 = !DIFile(filename: "twice.h", directory: "/src/kernels")
!16 = distinct !DILexicalBlock(scope: !10, file: !15, line: 9, column: 1)
