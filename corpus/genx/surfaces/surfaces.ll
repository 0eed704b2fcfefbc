; Blocks of surfaces, aligned and not, which the arguments' types name.
;! global 2
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     a = args[0]
;=     return {1: [x + y & 0xffffffff for g in range(2) for x, y in zip(a[32 * g:32 * g + 32], a[1:33])]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_ro_t(%intel.buffer_ro_t addrspace(1)*)
declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_wo_t(%intel.buffer_wo_t addrspace(1)*)
declare <32 x i32> @llvm.genx.oword.ld.v32i32(i32, i32, i32)
declare <32 x i32> @llvm.genx.oword.ld.unaligned.v32i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v32i32(i32, i32, <32 x i32>)

%intel.buffer_ro_t = type opaque
%intel.buffer_wo_t = type opaque

define spir_kernel void @surfaces(%intel.buffer_ro_t addrspace(1)* %a, %intel.buffer_wo_t addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 3
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_ro_t(%intel.buffer_ro_t addrspace(1)* %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_wo_t(%intel.buffer_wo_t addrspace(1)* %o)
  %x = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 %owords)
  %y = call <32 x i32> @llvm.genx.oword.ld.unaligned.v32i32(i32 0, i32 %in, i32 4)
  %sum = add <32 x i32> %x, %y
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 %owords, <32 x i32> %sum)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
