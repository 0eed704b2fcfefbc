target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

; Function Attrs: noinline nounwind
define spir_kernel void @unaligned_copies(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 20
  %offset = zext i32 %bytes to i64
  %from = add i64 %offset, 1
  %to = add i64 %offset, 3
  %end = add i64 %offset, 15
  %a.at = getelementptr i8, ptr addrspace(1) %a, i64 %from
  %o.at = getelementptr i8, ptr addrspace(1) %o, i64 %to
  %o.end = getelementptr i8, ptr addrspace(1) %o, i64 %end
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 1 %o.at, ptr addrspace(1) align 1 %a.at, i64 12, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 1 %o.end, i8 85, i64 4, i1 false)
  ret void
}

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) noalias nocapture writeonly, ptr addrspace(1) noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn writeonly
declare void @llvm.memset.p1.i64(ptr addrspace(1) nocapture writeonly, i8, i64, i1 immarg) #2

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { argmemonly nocallback nofree nounwind willreturn }
attributes #2 = { argmemonly nocallback nofree nounwind willreturn writeonly }
