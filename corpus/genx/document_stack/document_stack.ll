; The document's form with a stack call, a constant table and a volatile variable at a place of its own.
;! global 2
;! local 1
;! document
;! in a u32 32 bits 32
;! out o u32 32
;= def expect(args):
;=     a, table = args[0], [9, 8, 7, 6]
;=     return {1: [(x + table[n // 16 * 2 + 1] + 3) % 2**32 ^ x for n, x in enumerate(a)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.vstore.v16i32.p0v16i32(<16 x i32>, <16 x i32>*)
declare <16 x i32> @llvm.genx.vload.v16i32.p0v16i32(<16 x i32>*)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

@table = internal constant [4 x i32] [i32 9, i32 8, i32 7, i32 6], align 4
@kept = internal global <16 x i32> zeroinitializer, align 64 #2

define internal <16 x i32> @entry_of(<16 x i32> %x, i32 %n) #1 {
  %at = getelementptr inbounds [4 x i32], [4 x i32]* @table, i32 0, i32 %n
  %v = load i32, i32* %at, align 4
  %more = add i32 %v, 3
  %one = insertelement <16 x i32> undef, i32 %more, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %r = add <16 x i32> %x, %all
  ret <16 x i32> %r
}
define dllexport void @document_stack(i64 %a, i64 %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 6
  %offset = zext i32 %bytes to i64
  %a.at = add i64 %a, %offset
  %o.at = add i64 %o, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  call void @llvm.genx.vstore.v16i32.p0v16i32(<16 x i32> %x, <16 x i32>* @kept)
  %twice = shl i32 %group, 1
  %n = add i32 %twice, 1
  %y = call <16 x i32> @entry_of(<16 x i32> %x, i32 %n)
  %k = call <16 x i32> @llvm.genx.vload.v16i32.p0v16i32(<16 x i32>* @kept)
  %r = xor <16 x i32> %y, %k
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}
attributes #0 = { noinline nounwind "CMGenxMain" }
attributes #1 = { noinline nounwind "CMStackCall" }
attributes #2 = { "genx_byte_offset"="512" "genx_volatile" }

!genx.kernels = !{!0}
!0 = !{void (i64, i64)* @document_stack, !"document_stack", !1, i32 0, !2, !1, !3, i32 0}
!1 = !{i32 0, i32 0}
!2 = !{i32 64, i32 72}
!3 = !{!"svmptr_t", !"svmptr_t"}
