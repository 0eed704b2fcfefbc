target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @inline_assembly(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #0 {
  %a.at = ptrtoint ptr addrspace(1) %a.p to i64
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at = ptrtoint ptr addrspace(1) %b.p to i64
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at = ptrtoint ptr addrspace(1) %o to i64
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
