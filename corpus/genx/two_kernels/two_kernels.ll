; Two kernels of a module that share a subroutine, which calls another.
;! global 4
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     return {1: [(x * 7 + 1 + 3) % 2**32 for x in args[0]]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define internal spir_func <16 x i32> @plus(<16 x i32> %x, i32 %n) #0 {
  %one = insertelement <16 x i32> undef, i32 %n, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %r = add <16 x i32> %x, %all
  ret <16 x i32> %r
}
define internal spir_func <16 x i32> @seven(<16 x i32> %x) #0 {
  %seven = mul <16 x i32> %x, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %r = call spir_func <16 x i32> @plus(<16 x i32> %seven, i32 1)
  ret <16 x i32> %r
}
define spir_kernel void @two_kernels(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = call spir_func <16 x i32> @seven(<16 x i32> %x)
  %z = call spir_func <16 x i32> @plus(<16 x i32> %y, i32 3)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %z)
  ret void
}
define spir_kernel void @other(i32 addrspace(1)* %o) #0 {
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %y = call spir_func <16 x i32> @seven(<16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %y)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
