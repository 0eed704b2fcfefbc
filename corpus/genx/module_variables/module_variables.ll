; Variables of the module, written in the kernel, changed by a subroutine and read again; one is volatile.
;! global 4
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     o = []
;=     for g in range(4):
;=         x = args[0][16 * g:16 * g + 16]
;=         o += [(2 * v + 3 ^ (v + 10 + 2)) % 2**32 for v in x]
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.vload.v16i32.p0v16i32(<16 x i32>*)
declare void @llvm.genx.vstore.v16i32.p0v16i32(<16 x i32>, <16 x i32>*)
declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

@plain = internal global <16 x i32> zeroinitializer, align 64
@fixed = internal global <16 x i32> zeroinitializer, align 64 #1

define internal spir_func void @change(i32 %by) #0 {
  %v = load <16 x i32>, <16 x i32>* @plain, align 64
  %double = shl <16 x i32> %v, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %one = insertelement <16 x i32> undef, i32 %by, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %sum = add <16 x i32> %double, %all
  store <16 x i32> %sum, <16 x i32>* @plain, align 64
  %f = call <16 x i32> @llvm.genx.vload.v16i32.p0v16i32(<16 x i32>* @fixed)
  %g = add <16 x i32> %f, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  call void @llvm.genx.vstore.v16i32.p0v16i32(<16 x i32> %g, <16 x i32>* @fixed)
  ret void
}
define spir_kernel void @module_variables(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  store <16 x i32> %x, <16 x i32>* @plain, align 64
  %ten = add <16 x i32> %x, <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>
  call void @llvm.genx.vstore.v16i32.p0v16i32(<16 x i32> %ten, <16 x i32>* @fixed)
  call spir_func void @change(i32 3)
  %p = load <16 x i32>, <16 x i32>* @plain, align 64
  %f = call <16 x i32> @llvm.genx.vload.v16i32.p0v16i32(<16 x i32>* @fixed)
  %r = xor <16 x i32> %p, %f
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { "VCByteOffset"="256" "VCGlobalVariable" "VCVolatile" }
