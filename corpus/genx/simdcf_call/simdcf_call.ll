; A subroutine that is called in a divergent loop, with the channels that are still in it.
;! global 4
;! local 1
;! in a u32 64 range 0 100
;! in b u32 64 range 1 20
;! out o u32 64
;! reference
;= def expect(args):
;=     values = []
;=     for x, rounds in zip(args[0], args[1]):
;=         for _ in range(rounds):
;=             x = (x * 3) % 2**32 ^ rounds
;=         values.append(x)
;=     return {2: values}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1>, <16 x i1>, <16 x i1>)
declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1>, <16 x i1>)
declare <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32>, <16 x i32>, i32, i32, i32, i16, i32, <16 x i1>)

define internal spir_func { <32 x i1>, <16 x i32> } @step(<32 x i1> %em, <16 x i32> %x, <16 x i32> %by) #0 {
  %lanes = shufflevector <32 x i1> %em, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %triple = mul <16 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %mixed = xor <16 x i32> %triple, %by
  %r = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %x, <16 x i32> %mixed, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes)
  %both = insertvalue { <32 x i1>, <16 x i32> } undef, <32 x i1> %em, 0
  %result = insertvalue { <32 x i1>, <16 x i32> } %both, <16 x i32> %r, 1
  ret { <32 x i1>, <16 x i32> } %result
}

define spir_kernel void @simdcf_call(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = shl i32 %group, 6
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b.base, %offset
  %o.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %offset
  %start = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %rounds = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  br label %loop

loop:
  %em = phi <32 x i1> [ <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, %entry ], [ %em.loop, %again ]
  %rm = phi <16 x i1> [ zeroinitializer, %entry ], [ %rm.loop, %again ]
  %x = phi <16 x i32> [ %start, %entry ], [ %x.next, %again ]
  %n = phi <16 x i32> [ zeroinitializer, %entry ], [ %n.next, %again ]
  %stepped = call spir_func { <32 x i1>, <16 x i32> } @step(<32 x i1> %em, <16 x i32> %x, <16 x i32> %rounds)
  %em.stepped = extractvalue { <32 x i1>, <16 x i32> } %stepped, 0
  %x.next = extractvalue { <32 x i1>, <16 x i32> } %stepped, 1
  %n.next = add <16 x i32> %n, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %more = icmp ult <16 x i32> %n.next, %rounds
  %goto = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em.stepped, <16 x i1> %rm, <16 x i1> %more)
  %em.loop = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 0
  %rm.loop = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 1
  %none = extractvalue { <32 x i1>, <16 x i1>, i1 } %goto, 2
  br i1 %none, label %exit, label %again

again:
  br label %loop

exit:
  %join = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.loop, <16 x i1> %rm.loop)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %x.next)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
