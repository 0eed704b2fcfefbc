target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@s = internal addrspace(3) global [16 x i64] undef, align 16
@t = internal addrspace(3) global [16 x i32] undef, align 16
@h = internal addrspace(3) global [16 x i16] undef, align 16

; Function Attrs: noinline nounwind
define spir_kernel void @masked_local(ptr addrspace(1) %a, ptr addrspace(1) %q, ptr addrspace(1) %o) #0 {
  %a.v = bitcast ptr addrspace(1) %a to ptr addrspace(1)
  %x = load <16 x i32>, ptr addrspace(1) %a.v, align 16
  %quads = bitcast <16 x i32> %x to <8 x i64>
  %x8 = shufflevector <16 x i32> %x, <16 x i32> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %low = and <8 x i32> %x8, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <8 x i32> %low, zeroinitializer
  %s.up = getelementptr [16 x i64], ptr addrspace(3) @s, i32 0, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %s.down = getelementptr [16 x i64], ptr addrspace(3) @s, i32 0, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  call void @llvm.masked.scatter.v8i64.v8p3(<8 x i64> %quads, <8 x ptr addrspace(3)> %s.up, i32 8, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %q.x = call <8 x i64> @llvm.masked.gather.v8i64.v8p3(<8 x ptr addrspace(3)> %s.down, i32 8, <8 x i1> %odd, <8 x i64> <i64 9, i64 9, i64 9, i64 9, i64 9, i64 9, i64 9, i64 9>)
  %q.v = bitcast ptr addrspace(1) %q to ptr addrspace(1)
  store <8 x i64> %q.x, ptr addrspace(1) %q.v, align 16
  %t.v = bitcast ptr addrspace(3) @t to ptr addrspace(3)
  call void @llvm.masked.store.v16i32.p3(<16 x i32> %x, ptr addrspace(3) %t.v, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %t.down = getelementptr [16 x i32], ptr addrspace(3) @t, i32 0, <8 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8>
  %t.x = call <8 x i32> @llvm.masked.gather.v8i32.v8p3(<8 x ptr addrspace(3)> %t.down, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i32> undef)
  %words = trunc <16 x i32> %x to <16 x i16>
  %h.v = bitcast ptr addrspace(3) @h to ptr addrspace(3)
  call void @llvm.masked.store.v16i16.p3(<16 x i16> %words, ptr addrspace(3) %h.v, i32 2, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %h.8 = getelementptr [16 x i16], ptr addrspace(3) @h, i32 0, i32 8
  %h.8v = bitcast ptr addrspace(3) %h.8 to ptr addrspace(3)
  %h.x = call <8 x i16> @llvm.masked.load.v8i16.p3(ptr addrspace(3) %h.8v, i32 2, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i16> undef)
  %h.next = add <8 x i16> %h.x, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  %h.wide = zext <8 x i16> %h.next to <8 x i32>
  %all = shufflevector <8 x i32> %t.x, <8 x i32> %h.wide, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %o.v = bitcast ptr addrspace(1) %o to ptr addrspace(1)
  store <16 x i32> %all, ptr addrspace(1) %o.v, align 16
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind readonly willreturn
declare <8 x i64> @llvm.masked.gather.v8i64.v8p3(<8 x ptr addrspace(3)>, i32 immarg, <8 x i1>, <8 x i64>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.scatter.v8i64.v8p3(<8 x i64>, <8 x ptr addrspace(3)>, i32 immarg, <8 x i1>) #2

; Function Attrs: nocallback nofree nosync nounwind readonly willreturn
declare <8 x i32> @llvm.masked.gather.v8i32.v8p3(<8 x ptr addrspace(3)>, i32 immarg, <8 x i1>, <8 x i32>) #1

; Function Attrs: argmemonly nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.store.v16i32.p3(<16 x i32>, ptr addrspace(3), i32 immarg, <16 x i1>) #3

; Function Attrs: argmemonly nocallback nofree nosync nounwind willreturn writeonly
declare void @llvm.masked.store.v16i16.p3(<16 x i16>, ptr addrspace(3), i32 immarg, <16 x i1>) #3

; Function Attrs: argmemonly nocallback nofree nosync nounwind readonly willreturn
declare <8 x i16> @llvm.masked.load.v8i16.p3(ptr addrspace(3), i32 immarg, <8 x i1>, <8 x i16>) #4

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { nocallback nofree nosync nounwind readonly willreturn }
attributes #2 = { nocallback nofree nosync nounwind willreturn writeonly }
attributes #3 = { argmemonly nocallback nofree nosync nounwind willreturn writeonly }
attributes #4 = { argmemonly nocallback nofree nosync nounwind readonly willreturn }
