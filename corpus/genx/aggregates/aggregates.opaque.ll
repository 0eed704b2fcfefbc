target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

%pair = type { i32, <16 x i32> }

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func %pair @make(<16 x i32> %x, i32 %n) #0 {
  %p = insertvalue %pair undef, i32 %n, 0
  %s = lshr <16 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %q = insertvalue %pair %p, <16 x i32> %s, 1
  ret %pair %q
}

; Function Attrs: noinline nounwind
define spir_kernel void @aggregates(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %one = alloca %pair, align 64
  %two = alloca %pair, align 64
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %one.n = getelementptr inbounds %pair, ptr %one, i32 0, i32 0
  %one.v = getelementptr inbounds %pair, ptr %one, i32 0, i32 1
  store i32 %group, ptr %one.n, align 4
  store <16 x i32> %x, ptr %one.v, align 64
  %to = bitcast ptr %two to ptr
  %from = bitcast ptr %one to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %to, ptr align 64 %from, i64 128, i1 false)
  call void @llvm.memset.p0.i64(ptr align 64 %from, i8 0, i64 128, i1 false)
  %gone = load i32, ptr %one.n, align 4
  %forty = add i32 %gone, 40
  %two.n = getelementptr inbounds %pair, ptr %two, i32 0, i32 0
  %two.v = getelementptr inbounds %pair, ptr %two, i32 0, i32 1
  %n = load i32, ptr %two.n, align 4
  %v = load <16 x i32>, ptr %two.v, align 64
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

; Function Attrs: argmemonly nocallback nofree nounwind willreturn
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: argmemonly nocallback nofree nounwind willreturn writeonly
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #2

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { argmemonly nocallback nofree nounwind willreturn }
attributes #2 = { argmemonly nocallback nofree nounwind willreturn writeonly }
