; A function that calls itself, each call with an array of its own whose address it passes on.
;! global 2
;! local 1
;! val i32 5
;! out o u32 8
;= def expect(args):
;=     def fill(n, above):
;=         own = [n * 3, n + 1]
;=         if n == 0:
;=             return above[0] + above[1]
;=         r = fill(n - 1, own)
;=         return r + own[0] * 2 + own[1] + above[0]
;=     return {1: [fill(args[0] + g, [100, 200]) for g in range(2) for _ in range(4)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare void @llvm.genx.svm.block.st.i64.v4i32(i64, <4 x i32>)

define internal spir_func i32 @fill(i32 %n, i32* %above) #1 {
  %own = alloca [2 x i32], align 8
  %first = getelementptr inbounds [2 x i32], [2 x i32]* %own, i32 0, i32 0
  %second = getelementptr inbounds [2 x i32], [2 x i32]* %own, i32 0, i32 1
  %triple = mul i32 %n, 3
  %next = add i32 %n, 1
  store i32 %triple, i32* %first, align 4
  store i32 %next, i32* %second, align 4
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
end:
  %above.second = getelementptr inbounds i32, i32* %above, i32 1
  %p = load i32, i32* %above, align 4
  %q = load i32, i32* %above.second, align 4
  %pq = add i32 %p, %q
  ret i32 %pq
more:
  %less = sub i32 %n, 1
  %r = call spir_func i32 @fill(i32 %less, i32* %first)
  %x = load i32, i32* %first, align 4
  %y = load i32, i32* %second, align 4
  %z = load i32, i32* %above, align 4
  %x2 = shl i32 %x, 1
  %s = add i32 %r, %x2
  %t = add i32 %s, %y
  %u = add i32 %t, %z
  ret i32 %u
}
define spir_kernel void @stack_frames(i32 %n, i32 addrspace(1)* %o) #0 {
  %start = alloca <2 x i32>, align 8
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 16
  %offset = zext i32 %bytes to i64
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  store <2 x i32> <i32 100, i32 200>, <2 x i32>* %start, align 8
  %first = getelementptr inbounds <2 x i32>, <2 x i32>* %start, i32 0, i32 0
  %more = add i32 %n, %group
  %r = call spir_func i32 @fill(i32 %more, i32* %first)
  %one = insertelement <4 x i32> undef, i32 %r, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> undef, <4 x i32> zeroinitializer
  call void @llvm.genx.svm.block.st.i64.v4i32(i64 %o.at, <4 x i32> %all)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" "VCStackCall" }
