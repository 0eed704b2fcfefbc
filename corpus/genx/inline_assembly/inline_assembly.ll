; Inline assembly: scopes with variables of their own, operands of all forms, results that are operands, two results, loops
; with labels, predicates, an operand that the text writes. The reference compiler takes neither `P` nor `rw` without `^`,
; and no labels.
;! unlike
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 272
;= def sgn(v):
;=     return v - 2**32 if v >= 2**31 else v
;= def expect(args):
;=     a, b = args[:2]
;=     pairs = list(zip(a, b))
;=     o = [u + 7 if sgn(u) > 5 else 1 for u in a]
;=     o += [u + v for u, v in pairs] * 2
;=     o += [u ^ v for u, v in pairs]
;=     o += [u + 1000 for u in a] + [u << 3 for u in a] + [u - 9 for u in a]
;=     o += [3 * u for u in a] + [5 * v for v in b] + [6 * v for v in b]
;=     o += [max(u, v) for u, v in pairs] + [min(pair, key=sgn) for pair in pairs]
;=     o += [7 * u for u in a] + [sgn(u) > sgn(v) for u, v in pairs] + [u if u & 1 else v for u, v in pairs]
;=     o += [u >> 16 | u << 16 for u in a] + a
;=     return {2: [u % 2**32 for u in o]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @inline_assembly(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at = ptrtoint i32 addrspace(1)* %a.p to i64
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at = ptrtoint i32 addrspace(1)* %b.p to i64
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at = ptrtoint i32 addrspace(1)* %o to i64
  %above = call <16 x i32> asm "{\0A.decl P1 v_type=P num_elts=16\0Acmp.gt (M1, 16) P1 $1(0,0)<1;1,0> 0x5:d\0Amov (M1, 16) $0(0,0)<1> 0x1:d\0A(P1) add (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> 0x7:d\0A}\0A", "=rw,rw"(<16 x i32> %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %above)
  %tied = call <16 x i32> asm "add (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> $2(0,0)<1;1,0>", "=rw,0,rw"(<16 x i32> %a, <16 x i32> %b)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %tied)
  %two = call { <16 x i32>, <16 x i32> } asm sideeffect "add (M1, 16) $0(0,0)<1> $2(0,0)<1;1,0> $3(0,0)<1;1,0>\0Axor (M1, 16) $1(0,0)<1> $2(0,0)<1;1,0> $3(0,0)<1;1,0>", "=rw,=rw,rw,rw"(<16 x i32> %a, <16 x i32> %b)
  %sum = extractvalue { <16 x i32>, <16 x i32> } %two, 0
  %differ = extractvalue { <16 x i32>, <16 x i32> } %two, 1
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %sum)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %differ)
  %regions = call <16 x i32> asm "add (M1, 16) $0 $1 $2", "=r,r,i"(<16 x i32> %a, i32 1000)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %regions)
  %number = call <16 x i32> asm "shl (M1, 16) ${0}(0,0)<1> ${1}(0,0)<1;1,0> $2:ud // by $2", "=rw,rw,n"(<16 x i32> %a, i32 3)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %number)
  %written = call <16 x i32> asm "add (M1, 16) $1(0,0)<1> $1(0,0)<1;1,0> $2:d\0Amov (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0>", "=rw,rw,P"(<16 x i32> %a, i32 -9)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %written)
  %thrice = call <16 x i32> asm "{\0A.decl N v_type=G type=d num_elts=1 align=dword\0A.decl P1 v_type=P num_elts=1\0Amov (M1_NM, 1) N(0,0)<1> $2:d\0Amov (M1, 16) $0(0,0)<1> 0x0:d\0Aagain:\0Aadd (M1, 16) $0(0,0)<1> $0(0,0)<1;1,0> $1(0,0)<1;1,0>\0Aadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d\0Acmp.gt (M1_NM, 1) P1 N(0,0)<0;1,0> 0x0:d\0A(P1) jmp (M1_NM, 1) again\0A}", "=&rw,rw,P"(<16 x i32> %a, i32 3)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %thrice)
  %fivefold = call <16 x i32> asm "{\0A.decl N v_type=G type=d num_elts=1 align=dword\0A.decl P1 v_type=P num_elts=1\0Amov (M1_NM, 1) N(0,0)<1> $2:d\0Amov (M1, 16) $0(0,0)<1> 0x0:d\0Aagain:\0Aadd (M1, 16) $0(0,0)<1> $0(0,0)<1;1,0> $1(0,0)<1;1,0>\0Aadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d\0Acmp.gt (M1_NM, 1) P1 N(0,0)<0;1,0> 0x0:d\0A(P1) jmp (M1_NM, 1) again\0A}", "=&rw,rw,P"(<16 x i32> %b, i32 5)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %fivefold)
  %sixfold = call <16 x i32> asm "{\0A.decl N v_type=G type=d num_elts=1 align=dword\0A.decl P1 v_type=P num_elts=1\0Amov (M1_NM, 1) N(0,0)<1> $2:d\0Amov (M1, 16) $0(0,0)<1> 0x0:d\0Aagain_${:uid}:\0Aadd (M1, 16) $0(0,0)<1> $0(0,0)<1;1,0> $1(0,0)<1;1,0>\0Aadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d\0Acmp.gt (M1_NM, 1) P1 N(0,0)<0;1,0> 0x0:d\0A(P1) jmp (M1_NM, 1) again_${:uid}\0A}", "=&rw,rw,P"(<16 x i32> %b, i32 6)
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t9, <16 x i32> %sixfold)
  %more = icmp ugt <16 x i32> %a, %b
  %most = call <16 x i32> asm "($3) sel (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> $2(0,0)<1;1,0>", "=^rw,^rw,^rw,^cr"(<16 x i32> %a, <16 x i32> %b, <16 x i1> %more)
  %t10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t10, <16 x i32> %most)
  %less = call <16 x i1> asm "cmp.lt (M1, 16) $0 $1(0,0)<1;1,0> $2(0,0)<1;1,0>", "=cr,rw,rw"(<16 x i32> %a, <16 x i32> %b)
  %least = select <16 x i1> %less, <16 x i32> %a, <16 x i32> %b
  %t11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t11, <16 x i32> %least)
  %scaled = call <16 x i32> asm "mul (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> $2(0,0)<0;1,0>", "=rw,rw,rw.u"(<16 x i32> %a, i32 7)
  %t12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t12, <16 x i32> %scaled)
  %bits = call <16 x i32> asm "cmp.gt (M1, 16) $0 $1(0,0)<1;1,0> $2(0,0)<1;1,0>", "=cr,rw,rw"(<16 x i32> %a, <16 x i32> %b)
  %t13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t13, <16 x i32> %bits)
  %chosen = call <16 x i32> asm "($3) sel (M1, 16) $0(0,0)<1> $1(0,0)<1;1,0> $2(0,0)<1;1,0>", "=rw,rw,rw,cr"(<16 x i32> %a, <16 x i32> %b, <16 x i32> %a)
  %t14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t14, <16 x i32> %chosen)
  %halves = bitcast <16 x i32> %a to <32 x i16>
  %swapped = call <32 x i16> asm "{\0A.decl IN v_type=G type=UW num_elts=32 alias=<$1,0>\0Amov (M1, 16) $0(0,0)<2> IN(0,1)<2;1,0>\0Amov (M1, 16) $0(0,1)<2> IN(0,0)<2;1,0>\0A}", "=rw,rw"(<32 x i16> %halves)
  %turned = bitcast <32 x i16> %swapped to <16 x i32>
  %t15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t15, <16 x i32> %turned)
  %t16 = add i64 %o.at, 1024
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t16, <16 x i32> %a)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
