target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare i11 @llvm.ctpop.i11(i11) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare i11 @llvm.smax.i11(i11, i11) #0

; Function Attrs: noinline nounwind
define internal spir_func i7 @add7(i7 %x, i7 %y) #1 {
  %r = mul i7 %y, 3
  ret i7 %r
}

; Function Attrs: noinline nounwind
define spir_kernel void @odd_integers(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %m, ptr addrspace(1) %o) #1 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.base, %offset
  %four = shl i64 %offset, 2
  %o.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.base, %four
  %half = lshr i64 %offset, 1
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %y = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %b.at)
  %x0 = extractelement <8 x i32> %x, i32 0
  %y0 = extractelement <8 x i32> %y, i32 0
  %low4 = shufflevector <8 x i32> %x, <8 x i32> undef, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %odd4 = trunc <4 x i32> %low4 to <4 x i1>
  %bits4 = bitcast <4 x i1> %odd4 to i4
  %none4 = icmp eq i4 %bits4, 0
  %word4 = zext i4 %bits4 to i32
  %r0 = select i1 %none4, i32 7, i32 %word4
  %low2 = shufflevector <8 x i32> %x, <8 x i32> undef, <2 x i32> <i32 0, i32 1>
  %two2 = and <2 x i32> %low2, <i32 2, i32 2>
  %is2 = icmp ne <2 x i32> %two2, zeroinitializer
  %bits2 = bitcast <2 x i1> %is2 to i2
  %all2 = icmp eq i2 %bits2, -1
  %r1 = zext i1 %all2 to i32
  %p = trunc i32 %x0 to i11
  %q = trunc i32 %y0 to i11
  %pq = mul i11 %p, %q
  %pq1 = add i11 %pq, 1000
  %r2 = zext i11 %pq1 to i32
  %sum = add i11 %p, %q
  %r3 = sext i11 %sum to i32
  %q.few = and i11 %q, 63
  %q.some = add i11 %q.few, 1
  %quotient = sdiv i11 %p, %q.some
  %r4 = sext i11 %quotient to i32
  %by = urem i11 %q, 11
  %difference = sub i11 %p, %q
  %right = lshr i11 %difference, %by
  %r5 = zext i11 %right to i32
  %signed = ashr i11 %difference, %by
  %r6 = sext i11 %signed to i32
  %p5 = add i11 %p, 5
  %slt = icmp slt i11 %p5, %q
  %ult = icmp ult i11 %p5, %q
  %slt.word = zext i1 %slt to i32
  %ult.word = zext i1 %ult to i32
  %ult.two = shl i32 %ult.word, 1
  %r7 = or i32 %slt.word, %ult.two
  %x1 = extractelement <8 x i32> %x, i32 1
  %y1 = extractelement <8 x i32> %y, i32 1
  %x1.33 = zext i32 %x1 to i33
  %y1.33 = zext i32 %y1 to i33
  %sum33 = add i33 %x1.33, %y1.33
  %square = mul i33 %sum33, %sum33
  %upper = lshr i33 %square, 1
  %r8 = trunc i33 %upper to i32
  %x2 = extractelement <8 x i32> %x, i32 2
  %x2.3 = trunc i32 %x2 to i3
  %next3 = add i3 %x2.3, 1
  switch i3 %next3, label %other [
    i3 3, label %three
    i3 -4, label %minus
  ]

three:                                            ; preds = %entry
  br label %loop.start

minus:                                            ; preds = %entry
  br label %loop.start

other:                                            ; preds = %entry
  br label %loop.start

loop.start:                                       ; preds = %other, %minus, %three
  %r9 = phi i32 [ 10, %three ], [ 20, %minus ], [ 30, %other ]
  %x3 = extractelement <8 x i32> %x, i32 3
  %x3.5 = trunc i32 %x3 to i5
  br label %loop

loop:                                             ; preds = %again, %loop.start
  %n = phi i32 [ 0, %loop.start ], [ %n.next, %again ]
  %t = phi i5 [ %x3.5, %loop.start ], [ %t.next, %again ]
  %done = icmp eq i5 %t, -15
  br i1 %done, label %end, label %again

again:                                            ; preds = %loop
  %n.next = add i32 %n, 1
  %t.next = add i5 %t, 3
  br label %loop

end:                                              ; preds = %loop
  %x4 = extractelement <8 x i32> %x, i32 4
  %y4 = extractelement <8 x i32> %y, i32 4
  %x4.7 = trunc i32 %x4 to i7
  %y4.7 = trunc i32 %y4 to i7
  %f7 = call spir_func i7 @add7(i7 %x4.7, i7 %y4.7)
  %x4.s = sext i7 %x4.7 to i32
  %f7.s = sext i7 %f7 to i32
  %r11 = add i32 %x4.s, %f7.s
  %m.at = getelementptr i8, ptr addrspace(1) %m, i64 %half
  %m24 = bitcast ptr addrspace(1) %m.at to ptr addrspace(1)
  %k = load i24, ptr addrspace(1) %m24, align 1
  %x5 = extractelement <8 x i32> %x, i32 5
  %x5.24 = trunc i32 %x5 to i24
  %k.sum = add i24 %k, %x5.24
  %r12 = sext i24 %k.sum to i32
  %m3 = getelementptr i8, ptr addrspace(1) %m.at, i64 3
  %m3.24 = bitcast ptr addrspace(1) %m3 to ptr addrspace(1)
  store i24 %k.sum, ptr addrspace(1) %m3.24, align 1
  %m6 = getelementptr i8, ptr addrspace(1) %m.at, i64 6
  %m48 = bitcast ptr addrspace(1) %m6 to ptr addrspace(1)
  %d = load i48, ptr addrspace(1) %m48, align 2
  %d3 = mul i48 %d, 3
  %d.high = lshr i48 %d3, 17
  %r13 = trunc i48 %d.high to i32
  %m15 = getelementptr i8, ptr addrspace(1) %m.at, i64 15
  %m15.4 = bitcast ptr addrspace(1) %m15 to ptr addrspace(1)
  %old15 = load i8, ptr addrspace(1) %m15, align 1
  %old4 = trunc i8 %old15 to i4
  %next4 = add i4 %old4, 1
  store i4 %next4, ptr addrspace(1) %m15.4, align 1
  %unequal = xor i11 %p, %q
  %ones = call i11 @llvm.ctpop.i11(i11 %unequal)
  %r14 = zext i11 %ones to i32
  %p3 = sub i11 %p, 3
  %most = call i11 @llvm.smax.i11(i11 %p3, i11 %q)
  %r15 = sext i11 %most to i32
  %v0 = insertelement <8 x i32> undef, i32 %r0, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %r1, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %r2, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %r3, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %r4, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %r5, i32 5
  %v6 = insertelement <8 x i32> %v5, i32 %r6, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 %r7, i32 7
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %v7)
  %w0 = insertelement <8 x i32> undef, i32 %r8, i32 0
  %w1 = insertelement <8 x i32> %w0, i32 %r9, i32 1
  %w2 = insertelement <8 x i32> %w1, i32 %n, i32 2
  %w3 = insertelement <8 x i32> %w2, i32 %r11, i32 3
  %w4 = insertelement <8 x i32> %w3, i32 %r12, i32 4
  %w5 = insertelement <8 x i32> %w4, i32 %r13, i32 5
  %w6 = insertelement <8 x i32> %w5, i32 %r14, i32 6
  %w7 = insertelement <8 x i32> %w6, i32 %r15, i32 7
  %o1 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o1, <8 x i32> %w7)
  %x.12 = trunc <8 x i32> %x to <8 x i12>
  %y.12 = trunc <8 x i32> %y to <8 x i12>
  %sum.12 = add <8 x i12> %x.12, %y.12
  %five.12 = mul <8 x i12> %sum.12, <i12 5, i12 5, i12 5, i12 5, i12 5, i12 5, i12 5, i12 5>
  %quarter.12 = lshr <8 x i12> %five.12, <i12 2, i12 2, i12 2, i12 2, i12 2, i12 2, i12 2, i12 2>
  %e = zext <8 x i12> %quarter.12 to <8 x i32>
  %o2 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o2, <8 x i32> %e)
  %less.12 = sub <8 x i12> %x.12, %y.12
  %f = sext <8 x i12> %less.12 to <8 x i32>
  %o3 = add i64 %o.at, 96
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o3, <8 x i32> %f)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
