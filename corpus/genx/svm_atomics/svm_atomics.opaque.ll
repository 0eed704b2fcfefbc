target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare <8 x i32> @llvm.genx.svm.atomic.add.v8i32.v8i1.v8i64(<8 x i1>, <8 x i64>, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.svm.atomic.inc.v8i32.v8i1.v8i64(<8 x i1>, <8 x i64>, <8 x i32>)

declare <8 x i32> @llvm.genx.svm.atomic.max.v8i32.v8i1.v8i64(<8 x i1>, <8 x i64>, <8 x i32>, <8 x i32>)

declare <8 x i32> @llvm.genx.svm.atomic.cmpxchg.v8i32.v8i1.v8i64(<8 x i1>, <8 x i64>, <8 x i32>, <8 x i32>, <8 x i32>)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @svm_atomics(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %d, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %c.at.base = ptrtoint ptr addrspace(1) %c to i64
  %c.at = add i64 %c.at.base, 0
  %d.at.base = ptrtoint ptr addrspace(1) %d to i64
  %d.at = add i64 %d.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %x.wide = zext <8 x i32> %x to <8 x i64>
  %x.bytes = shl <8 x i64> %x.wide, <i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2>
  %c.one = insertelement <8 x i64> undef, i64 %c.at, i32 0
  %c.all = shufflevector <8 x i64> %c.one, <8 x i64> undef, <8 x i32> zeroinitializer
  %c.each = add <8 x i64> %c.all, %x.bytes
  %r0 = call <8 x i32> @llvm.genx.svm.atomic.add.v8i32.v8i1.v8i64(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i64> %c.each, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>, <8 x i32> undef)
  %c.eighth = add <8 x i64> %c.all, <i64 32, i64 32, i64 32, i64 32, i64 32, i64 32, i64 32, i64 32>
  %r1 = call <8 x i32> @llvm.genx.svm.atomic.inc.v8i32.v8i1.v8i64(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i64> %c.eighth, <8 x i32> undef)
  %low = and <8 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <8 x i32> %low, zeroinitializer
  %first = mul i32 %group, 24
  %first.one = insertelement <8 x i32> undef, i32 %first, i32 0
  %first.all = shufflevector <8 x i32> %first.one, <8 x i32> undef, <8 x i32> zeroinitializer
  %threes = add <8 x i32> %first.all, <i32 0, i32 3, i32 6, i32 9, i32 12, i32 15, i32 18, i32 21>
  %c.ninth = add <8 x i64> %c.all, <i64 36, i64 36, i64 36, i64 36, i64 36, i64 36, i64 36, i64 36>
  %r2 = call <8 x i32> @llvm.genx.svm.atomic.max.v8i32.v8i1.v8i64(<8 x i1> %odd, <8 x i64> %c.ninth, <8 x i32> %threes, <8 x i32> undef)
  %d.one = insertelement <8 x i64> undef, i64 %d.at, i32 0
  %d.all = shufflevector <8 x i64> %d.one, <8 x i64> undef, <8 x i32> zeroinitializer
  %d.each = add <8 x i64> %d.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  %r3 = call <8 x i32> @llvm.genx.svm.atomic.add.v8i32.v8i1.v8i64(<8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false>, <8 x i64> %d.each, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>)
  %big = icmp ugt <8 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %r4 = call <8 x i32> @llvm.genx.svm.atomic.cmpxchg.v8i32.v8i1.v8i64(<8 x i1> %big, <8 x i64> %d.each, <8 x i32> %x, <8 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <8 x i32> undef)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %r3)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
