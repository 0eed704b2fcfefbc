target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave() #0

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore(ptr) #0

; Function Attrs: noinline nounwind
define internal spir_func i32 @sums(i32 %n) #1 {
  %a = alloca i32, i32 %n, align 64
  br label %fill

fill:                                             ; preds = %fill, %0
  %i = phi i32 [ 0, %0 ], [ %i.next, %fill ]
  %p = getelementptr inbounds i32, ptr %a, i32 %i
  %in = mul i32 %i, %n
  %v = add i32 %in, 1
  store i32 %v, ptr %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %fill, label %sum

sum:                                              ; preds = %sum, %fill
  %j = phi i32 [ 0, %fill ], [ %j.next, %sum ]
  %s = phi i32 [ 0, %fill ], [ %s.next, %sum ]
  %q = getelementptr inbounds i32, ptr %a, i32 %j
  %w = load i32, ptr %q, align 4
  %s.next = add i32 %s, %w
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %sum, label %end

end:                                              ; preds = %sum
  %address = ptrtoint ptr %a to i64
  %low = trunc i64 %address to i32
  %off = and i32 %low, 63
  %r = add i32 %s.next, %off
  ret i32 %r
}

; Function Attrs: noinline nounwind
define internal spir_func i32 @fill(i32 %n, ptr %above) #2 {
  %count = add i32 %n, 1
  %wide = zext i32 %count to i64
  %own = alloca i32, i64 %wide, align 4
  br label %write

write:                                            ; preds = %write, %0
  %i = phi i32 [ 0, %0 ], [ %i.next, %write ]
  %p = getelementptr inbounds i32, ptr %own, i32 %i
  %in = mul i32 %i, %n
  %v = add i32 %in, 7
  store i32 %v, ptr %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %count
  br i1 %more, label %write, label %done

done:                                             ; preds = %write
  %first = load i32, ptr %above, align 4
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %deeper

end:                                              ; preds = %done
  ret i32 %first

deeper:                                           ; preds = %done
  %less = sub i32 %n, 1
  %r = call spir_func i32 @fill(i32 %less, ptr %own)
  %q = getelementptr inbounds i32, ptr %own, i32 %n
  %last = load i32, ptr %q, align 4
  %last3 = mul i32 %last, 3
  %s = add i32 %r, %last3
  %t = add i32 %s, %first
  ret i32 %t
}

; Function Attrs: noinline nounwind
define spir_kernel void @variable_arrays(i32 %m, ptr addrspace(1) %o) #1 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 16
  %offset = zext i32 %bytes to i64
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %n = add i32 %m, %group
  %start = alloca i32, i32 %n, align 4
  br label %write

write:                                            ; preds = %write, %entry
  %i = phi i32 [ 0, %entry ], [ %i.next, %write ]
  %p = getelementptr inbounds i32, ptr %start, i32 %i
  %v = add i32 %i, 11
  store i32 %v, ptr %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %write, label %calls

calls:                                            ; preds = %calls, %write
  %c = phi i32 [ 0, %write ], [ %c.next, %calls ]
  %all = phi i32 [ 0, %write ], [ %all.next, %calls ]
  %size = add i32 %n, %c
  %one = call spir_func i32 @sums(i32 %size)
  %all.next = add i32 %all, %one
  %c.next = add i32 %c, 1
  %again = icmp ult i32 %c.next, 100
  br i1 %again, label %calls, label %rounds

rounds:                                           ; preds = %rounds.end, %calls
  %k = phi i32 [ 0, %calls ], [ %k.next, %rounds.end ]
  %total = phi i32 [ 0, %calls ], [ %total.next, %rounds.end ]
  %saved = call ptr @llvm.stacksave()
  %part = alloca i32, i32 %k, align 16
  %none = icmp eq i32 %k, 0
  br i1 %none, label %rounds.end, label %inner

inner:                                            ; preds = %inner, %rounds
  %l = phi i32 [ 0, %rounds ], [ %l.next, %inner ]
  %d = getelementptr inbounds i32, ptr %part, i32 %l
  %kk = mul i32 %k, %k
  store i32 %kk, ptr %d, align 4
  %l.next = add i32 %l, 1
  %on = icmp ult i32 %l.next, %k
  br i1 %on, label %inner, label %read

read:                                             ; preds = %read, %inner
  %x = phi i32 [ 0, %inner ], [ %x.next, %read ]
  %y = phi i32 [ %total, %inner ], [ %y.next, %read ]
  %e = getelementptr inbounds i32, ptr %part, i32 %x
  %z = load i32, ptr %e, align 4
  %y.next = add i32 %y, %z
  %x.next = add i32 %x, 1
  %go = icmp ult i32 %x.next, %k
  br i1 %go, label %read, label %rounds.end

rounds.end:                                       ; preds = %read, %rounds
  %total.next = phi i32 [ %total, %rounds ], [ %y.next, %read ]
  call void @llvm.stackrestore(ptr %saved)
  %k.next = add i32 %k, 1
  %loop = icmp ult i32 %k.next, 100
  br i1 %loop, label %rounds, label %last

last:                                             ; preds = %rounds.end
  %f = call spir_func i32 @fill(i32 %n, ptr %start)
  br label %sum

sum:                                              ; preds = %sum, %last
  %t = phi i32 [ 0, %last ], [ %t.next, %sum ]
  %u = phi i32 [ 0, %last ], [ %u.next, %sum ]
  %h = getelementptr inbounds i32, ptr %start, i32 %t
  %g = load i32, ptr %h, align 4
  %u.next = add i32 %u, %g
  %t.next = add i32 %t, 1
  %still = icmp ult i32 %t.next, %n
  br i1 %still, label %sum, label %store

store:                                            ; preds = %sum
  %r0 = insertelement <4 x i32> undef, i32 %all.next, i32 0
  %r1 = insertelement <4 x i32> %r0, i32 %f, i32 1
  %r2 = insertelement <4 x i32> %r1, i32 %total.next, i32 2
  %r3 = insertelement <4 x i32> %r2, i32 %u.next, i32 3
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %r3)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
attributes #2 = { noinline nounwind "VCFunction" "VCStackCall" }
