; Copies of memory whose sizes are variables, with none, some and all bytes of the last part; moves that overlap.
;! global 8
;! local 1
;! in a u8 800 bits 8
;! in n u32 8 list 0 1 15 16 17 31 33 40
;! inout o u8 800 list 9
;= def expect(args):
;=     a, n, o = args[0], args[1], list(args[2])
;=     for g in range(8):
;=         at, size = 100 * g, n[g]
;=         private = [v & 255 for v in a[at : at + 64]]
;=         private[3 : 3 + size] = [g + 1] * size
;=         for i in range(64): o[at + i] = private[i]
;=         for i in range(size): o[at + 50 + i] = a[at + 1 + i]
;=         for of, to in ((52, 57), (60, 55)):
;=             moved = o[at + of : at + of + size]
;=             o[at + to : at + to + size] = moved
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare void @llvm.memcpy.p0i8.p1i8.i64(i8*, i8 addrspace(1)*, i64, i1)
declare void @llvm.memcpy.p1i8.p0i8.i64(i8 addrspace(1)*, i8*, i64, i1)
declare void @llvm.memcpy.p1i8.p1i8.i32(i8 addrspace(1)*, i8 addrspace(1)*, i32, i1)
declare void @llvm.memmove.p1i8.p1i8.i64(i8 addrspace(1)*, i8 addrspace(1)*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)

define spir_kernel void @variable_copies(i8 addrspace(1)* %a, i32 addrspace(1)* %n, i8 addrspace(1)* %o) #0 {
  %private = alloca [64 x i8], align 1
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 100
  %n.at = getelementptr i32, i32 addrspace(1)* %n, i32 %group
  %size = load i32, i32 addrspace(1)* %n.at, align 4
  %long = zext i32 %size to i64
  %a.at = getelementptr i8, i8 addrspace(1)* %a, i32 %bytes
  %o.at = getelementptr i8, i8 addrspace(1)* %o, i32 %bytes
  %p = getelementptr [64 x i8], [64 x i8]* %private, i32 0, i32 0
  %p3 = getelementptr [64 x i8], [64 x i8]* %private, i32 0, i32 3
  call void @llvm.memcpy.p0i8.p1i8.i64(i8* %p, i8 addrspace(1)* %a.at, i64 64, i1 false)
  %more = add i32 %group, 1
  %byte = trunc i32 %more to i8
  call void @llvm.memset.p0i8.i64(i8* %p3, i8 %byte, i64 %long, i1 false)
  call void @llvm.memcpy.p1i8.p0i8.i64(i8 addrspace(1)* %o.at, i8* %p, i64 64, i1 false)
  %a1 = getelementptr i8, i8 addrspace(1)* %a.at, i32 1
  %o50 = getelementptr i8, i8 addrspace(1)* %o.at, i32 50
  call void @llvm.memcpy.p1i8.p1i8.i32(i8 addrspace(1)* %o50, i8 addrspace(1)* %a1, i32 %size, i1 false)
  %o52 = getelementptr i8, i8 addrspace(1)* %o.at, i32 52
  %o57 = getelementptr i8, i8 addrspace(1)* %o.at, i32 57
  call void @llvm.memmove.p1i8.p1i8.i64(i8 addrspace(1)* %o57, i8 addrspace(1)* %o52, i64 %long, i1 false)
  %o60 = getelementptr i8, i8 addrspace(1)* %o.at, i32 60
  %o55 = getelementptr i8, i8 addrspace(1)* %o.at, i32 55
  call void @llvm.memmove.p1i8.p1i8.i64(i8 addrspace(1)* %o55, i8 addrspace(1)* %o60, i64 %long, i1 false)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
