; Arrays whose sizes are values: in a kernel, in a loop that gives each back, in a subroutine, and in a function that calls itself.
;! global 2
;! local 1
;! val i32 5
;! out o u32 8
;= def expect(args):
;=     m = 0xffffffff
;=     def sums(n):
;=         return sum(i * n + 1 for i in range(n))
;=     def fill(n, above):
;=         own = [n * i + 7 for i in range(n + 1)]
;=         return above[0] if n == 0 else (fill(n - 1, own) + 3 * own[n] + above[0]) & m
;=     def kernel(g):
;=         n = args[0] + g
;=         start = [i + 11 for i in range(n)]
;=         calls = sum(sums(n + i) for i in range(100))
;=         rounds = sum(i * i for i in range(100) for _ in range(i))
;=         return [calls & m, fill(n, start), rounds & m, sum(start)]
;=     return {1: kernel(0) + kernel(1)}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)
declare i8* @llvm.stacksave()
declare void @llvm.stackrestore(i8*)

define internal spir_func i32 @sums(i32 %n) #0 {
  %a = alloca i32, i32 %n, align 64
  br label %fill
fill:
  %i = phi i32 [ 0, %0 ], [ %i.next, %fill ]
  %p = getelementptr inbounds i32, i32* %a, i32 %i
  %in = mul i32 %i, %n
  %v = add i32 %in, 1
  store i32 %v, i32* %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %fill, label %sum
sum:
  %j = phi i32 [ 0, %fill ], [ %j.next, %sum ]
  %s = phi i32 [ 0, %fill ], [ %s.next, %sum ]
  %q = getelementptr inbounds i32, i32* %a, i32 %j
  %w = load i32, i32* %q, align 4
  %s.next = add i32 %s, %w
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %sum, label %end
end:
  %address = ptrtoint i32* %a to i64
  %low = trunc i64 %address to i32
  %off = and i32 %low, 63
  %r = add i32 %s.next, %off
  ret i32 %r
}

define internal spir_func i32 @fill(i32 %n, i32* %above) #1 {
  %count = add i32 %n, 1
  %wide = zext i32 %count to i64
  %own = alloca i32, i64 %wide, align 4
  br label %write
write:
  %i = phi i32 [ 0, %0 ], [ %i.next, %write ]
  %p = getelementptr inbounds i32, i32* %own, i32 %i
  %in = mul i32 %i, %n
  %v = add i32 %in, 7
  store i32 %v, i32* %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %count
  br i1 %more, label %write, label %done
done:
  %first = load i32, i32* %above, align 4
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %deeper
end:
  ret i32 %first
deeper:
  %less = sub i32 %n, 1
  %r = call spir_func i32 @fill(i32 %less, i32* %own)
  %q = getelementptr inbounds i32, i32* %own, i32 %n
  %last = load i32, i32* %q, align 4
  %last3 = mul i32 %last, 3
  %s = add i32 %r, %last3
  %t = add i32 %s, %first
  ret i32 %t
}

define spir_kernel void @variable_arrays(i32 %m, i32 addrspace(1)* %o) #0 {
entry:
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 16
  %offset = zext i32 %bytes to i64
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %n = add i32 %m, %group
  %start = alloca i32, i32 %n, align 4
  br label %write
write:
  %i = phi i32 [ 0, %entry ], [ %i.next, %write ]
  %p = getelementptr inbounds i32, i32* %start, i32 %i
  %v = add i32 %i, 11
  store i32 %v, i32* %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %write, label %calls
calls:
  %c = phi i32 [ 0, %write ], [ %c.next, %calls ]
  %all = phi i32 [ 0, %write ], [ %all.next, %calls ]
  %size = add i32 %n, %c
  %one = call spir_func i32 @sums(i32 %size)
  %all.next = add i32 %all, %one
  %c.next = add i32 %c, 1
  %again = icmp ult i32 %c.next, 100
  br i1 %again, label %calls, label %rounds
rounds:
  %k = phi i32 [ 0, %calls ], [ %k.next, %rounds.end ]
  %total = phi i32 [ 0, %calls ], [ %total.next, %rounds.end ]
  %saved = call i8* @llvm.stacksave()
  %part = alloca i32, i32 %k, align 16
  %none = icmp eq i32 %k, 0
  br i1 %none, label %rounds.end, label %inner
inner:
  %l = phi i32 [ 0, %rounds ], [ %l.next, %inner ]
  %d = getelementptr inbounds i32, i32* %part, i32 %l
  %kk = mul i32 %k, %k
  store i32 %kk, i32* %d, align 4
  %l.next = add i32 %l, 1
  %on = icmp ult i32 %l.next, %k
  br i1 %on, label %inner, label %read
read:
  %x = phi i32 [ 0, %inner ], [ %x.next, %read ]
  %y = phi i32 [ %total, %inner ], [ %y.next, %read ]
  %e = getelementptr inbounds i32, i32* %part, i32 %x
  %z = load i32, i32* %e, align 4
  %y.next = add i32 %y, %z
  %x.next = add i32 %x, 1
  %go = icmp ult i32 %x.next, %k
  br i1 %go, label %read, label %rounds.end
rounds.end:
  %total.next = phi i32 [ %total, %rounds ], [ %y.next, %read ]
  call void @llvm.stackrestore(i8* %saved)
  %k.next = add i32 %k, 1
  %loop = icmp ult i32 %k.next, 100
  br i1 %loop, label %rounds, label %last
last:
  %f = call spir_func i32 @fill(i32 %n, i32* %start)
  br label %sum
sum:
  %t = phi i32 [ 0, %last ], [ %t.next, %sum ]
  %u = phi i32 [ 0, %last ], [ %u.next, %sum ]
  %h = getelementptr inbounds i32, i32* %start, i32 %t
  %g = load i32, i32* %h, align 4
  %u.next = add i32 %u, %g
  %t.next = add i32 %t, 1
  %still = icmp ult i32 %t.next, %n
  br i1 %still, label %sum, label %store
store:
  %r0 = insertelement <4 x i32> undef, i32 %all.next, i32 0
  %r1 = insertelement <4 x i32> %r0, i32 %f, i32 1
  %r2 = insertelement <4 x i32> %r1, i32 %total.next, i32 2
  %r3 = insertelement <4 x i32> %r2, i32 %u.next, i32 3
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %r3)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" "VCStackCall" }
