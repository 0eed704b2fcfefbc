target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <4 x i64> @llvm.genx.svm.block.ld.unaligned.v4i64.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.smul.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.umul.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.sadd.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.uadd.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.ssub.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <4 x i64>, <4 x i1> } @llvm.usub.with.overflow.v4i64(<4 x i64>, <4 x i64>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64) #0

; Function Attrs: noinline nounwind
define internal spir_func <4 x i64> @near(<4 x i64> %v) #1 {
  %kind = and <4 x i64> %v, <i64 3, i64 3, i64 3, i64 3>
  %low = and <4 x i64> %v, <i64 4294967295, i64 4294967295, i64 4294967295, i64 4294967295>
  %few = lshr <4 x i64> %v, <i64 50, i64 50, i64 50, i64 50>
  %large = sub <4 x i64> <i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807>, %few
  %fewer = lshr <4 x i64> %v, <i64 60, i64 60, i64 60, i64 60>
  %minus = sub <4 x i64> <i64 -1, i64 -1, i64 -1, i64 -1>, %fewer
  %is1 = icmp eq <4 x i64> %kind, <i64 1, i64 1, i64 1, i64 1>
  %is2 = icmp eq <4 x i64> %kind, <i64 2, i64 2, i64 2, i64 2>
  %is3 = icmp eq <4 x i64> %kind, <i64 3, i64 3, i64 3, i64 3>
  %r1 = select <4 x i1> %is1, <4 x i64> %low, <4 x i64> %v
  %r2 = select <4 x i1> %is2, <4 x i64> %large, <4 x i64> %r1
  %r3 = select <4 x i1> %is3, <4 x i64> %minus, <4 x i64> %r2
  ret <4 x i64> %r3
}

; Function Attrs: noinline nounwind
define internal spir_func i32 @flags(<4 x i1> %m) #1 {
  %bits = bitcast <4 x i1> %m to i4
  %word = zext i4 %bits to i32
  ret i32 %word
}

; Function Attrs: noinline nounwind
define spir_kernel void @long_overflows(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %offset
  %a.bits = call <4 x i64> @llvm.genx.svm.block.ld.unaligned.v4i64.i64(i64 %a.at)
  %b.bits = call <4 x i64> @llvm.genx.svm.block.ld.unaligned.v4i64.i64(i64 %b.at)
  %x = call spir_func <4 x i64> @near(<4 x i64> %a.bits)
  %y = call spir_func <4 x i64> @near(<4 x i64> %b.bits)
  %s0 = call { <4 x i64>, <4 x i1> } @llvm.smul.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m0 = extractvalue { <4 x i64>, <4 x i1> } %s0, 1
  %r0 = call spir_func i32 @flags(<4 x i1> %m0)
  %s1 = call { <4 x i64>, <4 x i1> } @llvm.umul.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m1 = extractvalue { <4 x i64>, <4 x i1> } %s1, 1
  %r1 = call spir_func i32 @flags(<4 x i1> %m1)
  %s2 = call { <4 x i64>, <4 x i1> } @llvm.sadd.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m2 = extractvalue { <4 x i64>, <4 x i1> } %s2, 1
  %r2 = call spir_func i32 @flags(<4 x i1> %m2)
  %s3 = call { <4 x i64>, <4 x i1> } @llvm.uadd.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m3 = extractvalue { <4 x i64>, <4 x i1> } %s3, 1
  %r3 = call spir_func i32 @flags(<4 x i1> %m3)
  %s4 = call { <4 x i64>, <4 x i1> } @llvm.ssub.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m4 = extractvalue { <4 x i64>, <4 x i1> } %s4, 1
  %r4 = call spir_func i32 @flags(<4 x i1> %m4)
  %s5 = call { <4 x i64>, <4 x i1> } @llvm.usub.with.overflow.v4i64(<4 x i64> %x, <4 x i64> %y)
  %m5 = extractvalue { <4 x i64>, <4 x i1> } %s5, 1
  %r5 = call spir_func i32 @flags(<4 x i1> %m5)
  %x0 = extractelement <4 x i64> %x, i32 0
  %y0 = extractelement <4 x i64> %y, i32 0
  %s6 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %x0, i64 %y0)
  %p6 = extractvalue { i64, i1 } %s6, 0
  %o6 = extractvalue { i64, i1 } %s6, 1
  %h6 = ashr i64 %p6, 20
  %w6 = trunc i64 %h6 to i32
  %r6 = select i1 %o6, i32 5, i32 %w6
  %x1 = extractelement <4 x i64> %x, i32 1
  %y1 = extractelement <4 x i64> %y, i32 1
  %n5 = lshr i64 %x1, 5
  %n = and i64 %n5, 3
  %bit = trunc i64 %y1 to i1
  %m7 = insertelement <4 x i1> %m0, i1 %bit, i64 %n
  %r7 = call spir_func i32 @flags(<4 x i1> %m7)
  %v0 = insertelement <8 x i32> undef, i32 %r0, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %r1, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %r2, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %r3, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %r4, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %r5, i32 5
  %v6 = insertelement <8 x i32> %v5, i32 %r6, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 %r7, i32 7
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %v7)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
