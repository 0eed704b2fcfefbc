; Copies of memory between places that are aligned to nothing.
;! global 4
;! local 1
;! in a u8 80 bits 8
;! inout o u8 80 list 7
;= def expect(args):
;=     a, o = args[0], list(args[1])
;=     for g in range(4):
;=         for i in range(12): o[20 * g + 3 + i] = a[20 * g + 1 + i]
;=         for i in range(4): o[20 * g + 15 + i] = 0x55
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare void @llvm.memcpy.p1i8.p1i8.i64(i8 addrspace(1)*, i8 addrspace(1)*, i64, i1)
declare void @llvm.memset.p1i8.i64(i8 addrspace(1)*, i8, i64, i1)

define spir_kernel void @unaligned_copies(i8 addrspace(1)* %a, i8 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 20
  %offset = zext i32 %bytes to i64
  %from = add i64 %offset, 1
  %to = add i64 %offset, 3
  %end = add i64 %offset, 15
  %a.at = getelementptr i8, i8 addrspace(1)* %a, i64 %from
  %o.at = getelementptr i8, i8 addrspace(1)* %o, i64 %to
  %o.end = getelementptr i8, i8 addrspace(1)* %o, i64 %end
  call void @llvm.memcpy.p1i8.p1i8.i64(i8 addrspace(1)* align 1 %o.at, i8 addrspace(1)* align 1 %a.at, i64 12, i1 false)
  call void @llvm.memset.p1i8.i64(i8 addrspace(1)* align 1 %o.end, i8 85, i64 4, i1 false)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
