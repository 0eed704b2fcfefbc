target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32>, <16 x i32>, i32, i32, i32, i16, i32, <16 x i1>)

declare { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1>, <16 x i1>, <16 x i1>)

declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1>, <16 x i1>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @simdcf_nested(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %limit = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  br label %outer

outer:                                            ; preds = %outer.again, %entry
  %em = phi <32 x i1> [ <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, %entry ], [ %em.out, %outer.again ]
  %rm = phi <16 x i1> [ zeroinitializer, %entry ], [ %rm.out, %outer.again ]
  %i = phi <16 x i32> [ <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>, %entry ], [ %i.next, %outer.again ]
  %total = phi <16 x i32> [ zeroinitializer, %entry ], [ %total.out, %outer.again ]
  br label %inner

inner:                                            ; preds = %on, %outer
  %em.i = phi <32 x i1> [ %em, %outer ], [ %em.on, %on ]
  %rm.i = phi <16 x i1> [ zeroinitializer, %outer ], [ %rm.on, %on ]
  %j = phi <16 x i32> [ zeroinitializer, %outer ], [ %j.next, %on ]
  %sum = phi <16 x i32> [ %total, %outer ], [ %sum.next, %on ]
  %lanes.i = shufflevector <32 x i1> %em.i, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %j.more = add <16 x i32> %j, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %j.next = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %j, <16 x i32> %j.more, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes.i)
  %product = mul <16 x i32> %i, %j.next
  %stay = icmp ule <16 x i32> %product, %limit
  %g0 = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em.i, <16 x i1> %rm.i, <16 x i1> %stay)
  %em.on = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 0
  %rm.on = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 1
  %none.on = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 2
  br i1 %none.on, label %inner.exit, label %on

on:                                               ; preds = %inner
  %lanes.on = shufflevector <32 x i1> %em.on, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %three = add <16 x i32> %sum, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %sum.next = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %sum, <16 x i32> %three, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes.on)
  br label %inner

inner.exit:                                       ; preds = %inner
  %j1 = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.on, <16 x i1> %rm.on)
  %em.x = extractvalue { <32 x i1>, i1 } %j1, 0
  %lanes.x = shufflevector <32 x i1> %em.x, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %with = add <16 x i32> %sum, %j.next
  %total.out = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %sum, <16 x i32> %with, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes.x)
  %i.next = add <16 x i32> %i, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %more = icmp ule <16 x i32> %i.next, %limit
  %g1 = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em.x, <16 x i1> %rm, <16 x i1> %more)
  %em.out = extractvalue { <32 x i1>, <16 x i1>, i1 } %g1, 0
  %rm.out = extractvalue { <32 x i1>, <16 x i1>, i1 } %g1, 1
  %none.out = extractvalue { <32 x i1>, <16 x i1>, i1 } %g1, 2
  br i1 %none.out, label %exit, label %outer.again

outer.again:                                      ; preds = %inner.exit
  br label %outer

exit:                                             ; preds = %inner.exit
  %j2 = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.out, <16 x i1> %rm.out)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %total.out)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
