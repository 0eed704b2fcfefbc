; Channels that part at an if with an else, and meet again.
;! global 4
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     return {1: [((x >> 1) + 5 if x & 1 else x * 3 ^ 1) % 2**32 + 0 if x & 2 else ((x >> 1) + 6 if x & 1 else (x * 3 ^ 1) + 1) % 2**32 for x in args[0]]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1>, <16 x i1>, <16 x i1>)
declare <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32>, <16 x i32>, i32, i32, i32, i16, i32, <16 x i1>)
declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1>, <16 x i1>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @simdcf_if(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %low = and <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %g0 = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x i1> zeroinitializer, <16 x i1> %odd)
  %em0 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 0
  %rm0 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 1
  %none0 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g0, 2
  br i1 %none0, label %else, label %then
then:
  %lanes0 = shufflevector <32 x i1> %em0, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %half = lshr <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %five = add <16 x i32> %half, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %t = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %x, <16 x i32> %five, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes0)
  %g1 = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em0, <16 x i1> zeroinitializer, <16 x i1> zeroinitializer)
  %em1 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g1, 0
  %rm1 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g1, 1
  br label %else
else:
  %em.e = phi <32 x i1> [ %em0, %entry ], [ %em1, %then ]
  %rm.end = phi <16 x i1> [ zeroinitializer, %entry ], [ %rm1, %then ]
  %v = phi <16 x i32> [ %x, %entry ], [ %t, %then ]
  %j0 = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.e, <16 x i1> %rm0)
  %em2 = extractvalue { <32 x i1>, i1 } %j0, 0
  %none1 = extractvalue { <32 x i1>, i1 } %j0, 1
  br i1 %none1, label %end, label %body
body:
  %lanes1 = shufflevector <32 x i1> %em2, <32 x i1> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %triple = mul <16 x i32> %v, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %flip = xor <16 x i32> %triple, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %e = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %v, <16 x i32> %flip, i32 0, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %lanes1)
  br label %end
end:
  %em.end = phi <32 x i1> [ %em2, %else ], [ %em2, %body ]
  %w = phi <16 x i32> [ %v, %else ], [ %e, %body ]
  %j1 = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em.end, <16 x i1> %rm.end)
  %second = and <16 x i32> %x, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %clear = icmp eq <16 x i32> %second, zeroinitializer
  %one = zext <16 x i1> %clear to <16 x i32>
  %r = add <16 x i32> %w, %one
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
