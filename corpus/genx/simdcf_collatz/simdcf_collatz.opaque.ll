target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1>, <16 x i1>, <16 x i1>)

declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1>, <16 x i1>)

declare <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32>, <16 x i32>, i32, i32, i32, i16, i32, <16 x i1>)

; Function Attrs: noinline nounwind
define spir_kernel void @simdcf_collatz(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 6
  %offset = zext i32 %bytes to i64
  %in.base = ptrtoint ptr addrspace(1) %in to i64
  %in.at = add i64 %in.base, %offset
  %out.base = ptrtoint ptr addrspace(1) %out to i64
  %out.at = add i64 %out.base, %offset
  %start = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %in.at)
  br label %loop

loop:                                             ; preds = %again, %entry
  %em = phi <32 x i1> [ <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, %entry ], [ %em.loop, %again ]
  %rm = phi <16 x i1> [ zeroinitializer, %entry ], [ %rm.loop, %again ]
  %x = phi <16 x i32> [ %start, %entry ], [ %x.next, %again ]
  %n = phi <16 x i32> [ zeroinitializer, %entry ], [ %n.next, %again ]
  %lanes = shufflevector <32 x i1> %em, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %low = and <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %is.odd = icmp ne <16 x i32> %low, zeroinitializer
  %half = lshr <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %triple = mul <16 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %up = add <16 x i32> %triple, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %step = select <16 x i1> %is.odd, <16 x i32> %up, <16 x i32> %half
  %x.next = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %x, <16 x i32> %step, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes)
  %n.more = add <16 x i32> %n, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %n.next = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %n, <16 x i32> %n.more, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes)
  %more = icmp ugt <16 x i32> %x.next, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %goto = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em, <16 x i1> %rm, <16 x i1> %more)
  %em.loop = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 0
  %rm.loop = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 1
  %none = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 2
  br i1 %none, label %exit, label %again

again:                                            ; preds = %loop
  br label %loop

exit:                                             ; preds = %loop
  %join = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.loop, <16 x i1> %rm.loop)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %out.at, <16 x i32> %n.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
