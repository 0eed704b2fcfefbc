; Structures: on the stack, copied and cleared as memory, as values, and given back by a subroutine.
;! global 4
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     o = []
;=     for g in range(4):
;=         x = args[0][16 * g:16 * g + 16]
;=         o += [(v + g + 40 + (v >> 3)) % 2**32 for v in x]
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

%pair = type { i32, <16 x i32> }

define internal spir_func %pair @make(<16 x i32> %x, i32 %n) #0 {
  %p = insertvalue %pair undef, i32 %n, 0
  %s = lshr <16 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %q = insertvalue %pair %p, <16 x i32> %s, 1
  ret %pair %q
}
define spir_kernel void @aggregates(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
entry:
  %one = alloca %pair, align 64
  %two = alloca %pair, align 64
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %one.n = getelementptr inbounds %pair, %pair* %one, i32 0, i32 0
  %one.v = getelementptr inbounds %pair, %pair* %one, i32 0, i32 1
  store i32 %group, i32* %one.n, align 4
  store <16 x i32> %x, <16 x i32>* %one.v, align 64
  %to = bitcast %pair* %two to i8*
  %from = bitcast %pair* %one to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 64 %to, i8* align 64 %from, i64 128, i1 false)
  call void @llvm.memset.p0i8.i64(i8* align 64 %from, i8 0, i64 128, i1 false)
  %gone = load i32, i32* %one.n, align 4
  %forty = add i32 %gone, 40
  %two.n = getelementptr inbounds %pair, %pair* %two, i32 0, i32 0
  %two.v = getelementptr inbounds %pair, %pair* %two, i32 0, i32 1
  %n = load i32, i32* %two.n, align 4
  %v = load <16 x i32>, <16 x i32>* %two.v, align 64
  %made = call spir_func %pair @make(<16 x i32> %v, i32 %n)
  %m = extractvalue %pair %made, 0
  %s = extractvalue %pair %made, 1
  %sum = add i32 %m, %forty
  %sum.one = insertelement <16 x i32> undef, i32 %sum, i32 0
  %sums = shufflevector <16 x i32> %sum.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %r0 = add <16 x i32> %v, %sums
  %r = add <16 x i32> %r0, %s
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
