; Vectors of 256 bytes: more than a block message has, and than two registers.
;! global 2
;! in a u32 128 bits 32
;! in b u32 128 bits 32
;! out o u32 128
;= def expect(args):
;=     return {2: [(x * 3 + y) ^ 0x5a5a for x, y in zip(args[0], args[1])]}
;! local 1
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <64 x i32> @llvm.genx.svm.block.ld.v64i32.i64(i64)
declare <64 x i32> @llvm.genx.svm.block.ld.unaligned.v64i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v64i32(i64, <64 x i32>)

define spir_kernel void @block_wide(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
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
