target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_ro_t(ptr addrspace(1))

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_wo_t(ptr addrspace(1))

declare <32 x i32> @llvm.genx.oword.ld.v32i32(i32, i32, i32)

declare <32 x i32> @llvm.genx.oword.ld.unaligned.v32i32(i32, i32, i32)

declare void @llvm.genx.oword.st.v32i32(i32, i32, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @surfaces(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 3
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_ro_t(ptr addrspace(1) %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_wo_t(ptr addrspace(1) %o)
  %x = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 %owords)
  %y = call <32 x i32> @llvm.genx.oword.ld.unaligned.v32i32(i32 0, i32 %in, i32 4)
  %sum = add <32 x i32> %x, %y
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 %owords, <32 x i32> %sum)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
