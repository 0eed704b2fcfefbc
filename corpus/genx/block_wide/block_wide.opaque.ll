target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <64 x i32> @llvm.genx.svm.block.ld.v64i32.i64(i64)

declare <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v64i32(i64, <64 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @block_wide(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <64 x i32> @llvm.genx.svm.block.ld.v64i32.i64(i64 %a.at)
  %y = call <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64 %b.at)
  %triple = mul <64 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %sum = add <64 x i32> %triple, %y
  %mixed = xor <64 x i32> %sum, <i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130, i32 23130>
  call void @llvm.genx.svm.block.st.i64.v64i32(i64 %o.at, <64 x i32> %mixed)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
