target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1))

declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_wo_t(ptr addrspace(1))

declare <16 x i32> @llvm.genx.gather4.typed.v16i32.v8i1.v8i32(i32, <8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>, <16 x i32>)

declare <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32>, i32, i32, i32, i16, i32)

declare <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32>, <8 x i32>, i32, i32, i32, i16, i32, i1)

declare <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32>, <16 x i32>, i32, i32, i32, i16, i32, i1)

declare void @llvm.genx.scatter4.typed.v8i1.v8i32.v32i32(i32, <8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @typed(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(ptr addrspace(1) %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_wo_t(ptr addrspace(1) %o)
  %first = shl i32 %group, 1
  %last = add i32 %first, 2
  br label %loop

loop:                                             ; preds = %loop, %entry
  %y = phi i32 [ %first, %entry ], [ %y.next, %loop ]
  %y.one = insertelement <8 x i32> undef, i32 %y, i32 0
  %v = shufflevector <8 x i32> %y.one, <8 x i32> undef, <8 x i32> zeroinitializer
  %p = call <16 x i32> @llvm.genx.gather4.typed.v16i32.v8i1.v8i32(i32 3, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %in, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> %v, <8 x i32> zeroinitializer, <16 x i32> undef)
  %q = call <16 x i32> @llvm.genx.gather4.typed.v16i32.v8i1.v8i32(i32 3, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %in, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>, <8 x i32> %v, <8 x i32> zeroinitializer, <16 x i32> undef)
  %p0 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %p, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %p1 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %p, i32 0, i32 8, i32 1, i16 32, i32 undef)
  %q0 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %q, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %q1 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %q, i32 0, i32 8, i32 1, i16 32, i32 undef)
  %r0 = xor <8 x i32> %p0, %q0
  %r1 = add <8 x i32> %p1, %q1
  %w0 = call <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32> undef, <8 x i32> %r0, i32 0, i32 8, i32 1, i16 0, i32 undef, i1 true)
  %w1 = call <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32> %w0, <8 x i32> %r1, i32 0, i32 8, i32 1, i16 32, i32 undef, i1 true)
  %w2 = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> %w1, <16 x i32> %p, i32 0, i32 16, i32 1, i16 64, i32 undef, i1 true)
  call void @llvm.genx.scatter4.typed.v8i1.v8i32.v32i32(i32 15, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %out, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <8 x i32> %v, <8 x i32> zeroinitializer, <32 x i32> %w2)
  %y.next = add i32 %y, 1
  %more = icmp ult i32 %y.next, %last
  br i1 %more, label %loop, label %exit

exit:                                             ; preds = %loop
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
