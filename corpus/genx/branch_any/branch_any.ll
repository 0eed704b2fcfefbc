; A scalar branch on any of a vector of conditions, and one on all of them.
;! global 4
;! local 1
;! in a u32 64 range 0 40
;! out o u32 64
;= def expect(args):
;=     o = []
;=     for g in range(4):
;=         x = args[0][16 * g:16 * g + 16]
;=         n = 0
;=         while any(v < 100 for v in x):
;=             x = [v + 7 for v in x]
;=             n += 1
;=         o += [v * 2 if all(v > 105 for v in x) else v + n for v in x]
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare i1 @llvm.genx.any.v16i1(<16 x i1>)
declare i1 @llvm.genx.all.v16i1(<16 x i1>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @branch_any(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %start = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  br label %loop
loop:
  %x = phi <16 x i32> [ %start, %entry ], [ %x.next, %body ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %low = icmp ult <16 x i32> %x, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %some = call i1 @llvm.genx.any.v16i1(<16 x i1> %low)
  br i1 %some, label %body, label %after
body:
  %x.next = add <16 x i32> %x, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %n.next = add i32 %n, 1
  br label %loop
after:
  %high = icmp ugt <16 x i32> %x, <i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105, i32 105>
  %every = call i1 @llvm.genx.all.v16i1(<16 x i1> %high)
  br i1 %every, label %double, label %single
double:
  %twice = shl <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  br label %exit
single:
  %one = insertelement <16 x i32> undef, i32 %n, i32 0
  %all = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %plus = add <16 x i32> %x, %all
  br label %exit
exit:
  %r = phi <16 x i32> [ %twice, %double ], [ %plus, %single ]
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
