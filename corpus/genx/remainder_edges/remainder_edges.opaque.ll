target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64)

declare <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

declare void @llvm.genx.svm.block.st.i64.v8f64(i64, <8 x double>)

declare void @llvm.genx.svm.block.st.i64.v16f16(i64, <16 x half>)

; Function Attrs: noinline nounwind
define spir_kernel void @remainder_edges(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, ptr addrspace(1) %e, ptr addrspace(1) %f, ptr addrspace(1) %o, ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %short = lshr i64 %offset, 1
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %c.base = ptrtoint ptr addrspace(1) %c to i64
  %c.at = add i64 %c.base, %offset
  %d.base = ptrtoint ptr addrspace(1) %d to i64
  %d.at = add i64 %d.base, %offset
  %e.base = ptrtoint ptr addrspace(1) %e to i64
  %e.at = add i64 %e.base, %short
  %f.base = ptrtoint ptr addrspace(1) %f to i64
  %f.at = add i64 %f.base, %short
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %offset
  %p.base = ptrtoint ptr addrspace(1) %p to i64
  %p.at = add i64 %p.base, %offset
  %q.base = ptrtoint ptr addrspace(1) %q to i64
  %q.at = add i64 %q.base, %short
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %r = frem <16 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %r)
  %u = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %c.at)
  %v = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %d.at)
  %w = frem <8 x double> %u, %v
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %p.at, <8 x double> %w)
  %h = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %e.at)
  %k = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %f.at)
  %s = frem <16 x half> %h, %k
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %q.at, <16 x half> %s)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
