target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

; Function Attrs: noinline nounwind
define spir_kernel void @variable_copies(ptr addrspace(1) %a, ptr addrspace(1) %n, ptr addrspace(1) %o) #0 {
  %private = alloca [64 x i8], align 1
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 100
  %n.at = getelementptr i32, ptr addrspace(1) %n, i32 %group
  %size = load i32, ptr addrspace(1) %n.at, align 4
  %long = zext i32 %size to i64
  %a.at = getelementptr i8, ptr addrspace(1) %a, i32 %bytes
  %o.at = getelementptr i8, ptr addrspace(1) %o, i32 %bytes
  %p = getelementptr [64 x i8], ptr %private, i32 0, i32 0
  %p3 = getelementptr [64 x i8], ptr %private, i32 0, i32 3
  call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) %a.at, i64 64, i1 false)
  %more = add i32 %group, 1
  %byte = trunc i32 %more to i8
  call void @llvm.memset.p0.i64(ptr %p3, i8 %byte, i64 %long, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %o.at, ptr %p, i64 64, i1 false)
  %a1 = getelementptr i8, ptr addrspace(1) %a.at, i32 1
  %o50 = getelementptr i8, ptr addrspace(1) %o.at, i32 50
  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %o50, ptr addrspace(1) %a1, i32 %size, i1 false)
  %o52 = getelementptr i8, ptr addrspace(1) %o.at, i32 52
  %o57 = getelementptr i8, ptr addrspace(1) %o.at, i32 57
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %o57, ptr addrspace(1) %o52, i64 %long, i1 false)
  %o60 = getelementptr i8, ptr addrspace(1) %o.at, i32 60
  %o55 = getelementptr i8, ptr addrspace(1) %o.at, i32 55
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %o55, ptr addrspace(1) %o60, i64 %long, i1 false)
  ret void
}

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memcpy.p0.p1.i64(ptr noalias nocapture writeonly, ptr addrspace(1) noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) noalias nocapture writeonly, ptr addrspace(1) noalias nocapture readonly, i32, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1) nocapture writeonly, ptr addrspace(1) nocapture readonly, i64, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn writeonly
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #2

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { argmemonly nocallback nofree nounwind willreturn }
attributes #2 = { argmemonly nocallback nofree nounwind willreturn writeonly }
