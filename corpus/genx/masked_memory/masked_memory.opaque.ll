target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

; Function Attrs: noinline nounwind
define spir_kernel void @masked_memory(ptr addrspace(1) %a, ptr addrspace(1) %n, ptr addrspace(1) %o, ptr addrspace(1) %h, ptr addrspace(1) %q) #0 {
  %a.v = bitcast ptr addrspace(1) %a to ptr addrspace(1)
  %n.v = bitcast ptr addrspace(1) %n to ptr addrspace(1)
  %first = load <16 x i32>, ptr addrspace(1) %a.v, align 16
  %index = load <16 x i32>, ptr addrspace(1) %n.v, align 16
  %low = and <16 x i32> %first, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %even = xor <16 x i1> %odd, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %a.second = getelementptr <16 x i32>, ptr addrspace(1) %a.v, i32 1
  %loaded = call <16 x i32> @llvm.masked.load.v16i32.p1(ptr addrspace(1) %a.second, i32 4, <16 x i1> %odd, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>)
  %a.each = getelementptr i32, ptr addrspace(1) %a, <16 x i32> %index
  %gathered = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %a.each, i32 4, <16 x i1> %odd, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>)
  %sum = add <16 x i32> %loaded, %gathered
  %o.v = bitcast ptr addrspace(1) %o to ptr addrspace(1)
  call void @llvm.masked.store.v16i32.p1(<16 x i32> %sum, ptr addrspace(1) %o.v, i32 4, <16 x i1> %even)
  %other = xor <16 x i32> %loaded, %gathered
  %o.far = getelementptr i32, ptr addrspace(1) %o, i64 16
  %o.each = getelementptr i32, ptr addrspace(1) %o.far, <16 x i64> <i64 0, i64 3, i64 6, i64 9, i64 12, i64 15, i64 18, i64 21, i64 24, i64 27, i64 30, i64 33, i64 36, i64 39, i64 42, i64 45>
  call void @llvm.masked.scatter.v16i32.v16p1(<16 x i32> %other, <16 x ptr addrspace(1)> %o.each, i32 4, <16 x i1> %odd)
  %h.v = bitcast ptr addrspace(1) %h to ptr addrspace(1)
  %h.far = getelementptr <16 x i16>, ptr addrspace(1) %h.v, i64 2
  %words = call <16 x i16> @llvm.masked.load.v16i16.p1(ptr addrspace(1) %h.far, i32 2, <16 x i1> %odd, <16 x i16> zeroinitializer)
  %words.next = add <16 x i16> %words, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  call void @llvm.masked.store.v16i16.p1(<16 x i16> %words.next, ptr addrspace(1) %h.v, i32 2, <16 x i1> %odd)
  %five = shufflevector <16 x i1> %odd, <16 x i1> undef, <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4>
  %q.far = getelementptr i64, ptr addrspace(1) %q, <5 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20>
  %q.near = getelementptr i64, ptr addrspace(1) %q, <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4>
  %quads = call <5 x i64> @llvm.masked.gather.v5i64.v5p1(<5 x ptr addrspace(1)> %q.far, i32 8, <5 x i1> %five, <5 x i64> undef)
  %quads.next = add <5 x i64> %quads, <i64 1, i64 1, i64 1, i64 1, i64 1>
  call void @llvm.masked.scatter.v5i64.v5p1(<5 x i64> %quads.next, <5 x ptr addrspace(1)> %q.near, i32 8, <5 x i1> %five)
  ret void
}

; Function Attrs: argmemonly nocallback nofree nosync nounwind readonly willreturn
declare <16 x i32> @llvm.masked.load.v16i32.p1(ptr addrspace(1), i32 immarg, <16 x i1>, <16 x i32>) #1

; Function Attrs: argmemonly nocallback nofree nosync nounwind readonly willreturn
declare <16 x i16> @llvm.masked.load.v16i16.p1(ptr addrspace(1), i32 immarg, <16 x i1>, <16 x i16>) #1

; Function Attrs: argmemonly nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.store.v16i32.p1(<16 x i32>, ptr addrspace(1), i32 immarg, <16 x i1>) #2

; Function Attrs: argmemonly nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.store.v16i16.p1(<16 x i16>, ptr addrspace(1), i32 immarg, <16 x i1>) #2

; Function Attrs: nocallback nofree nosync nounwind readonly willreturn
declare <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)>, i32 immarg, <16 x i1>, <16 x i32>) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.scatter.v16i32.v16p1(<16 x i32>, <16 x ptr addrspace(1)>, i32 immarg, <16 x i1>) #4

; Function Attrs: nocallback nofree nosync nounwind readonly willreturn
declare <5 x i64> @llvm.masked.gather.v5i64.v5p1(<5 x ptr addrspace(1)>, i32 immarg, <5 x i1>, <5 x i64>) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.scatter.v5i64.v5p1(<5 x i64>, <5 x ptr addrspace(1)>, i32 immarg, <5 x i1>) #4

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { argmemonly nocallback nofree nosync nounwind readonly willreturn }
attributes #2 = { argmemonly nocallback nofree nosync nounwind willreturn writeonly }
attributes #3 = { nocallback nofree nosync nounwind readonly willreturn }
attributes #4 = { nocallback nofree nosync nounwind willreturn writeonly }
