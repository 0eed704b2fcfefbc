target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

; Function Attrs: noinline nounwind
define spir_kernel void @ordered_atomics(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %l, ptr addrspace(1) %o) #0 {
  %n = call i32 @llvm.genx.group.id.x()
  %n64 = zext i32 %n to i64
  %a.at = getelementptr i32, ptr addrspace(1) %a, i64 %n64
  %v = load i32, ptr addrspace(1) %a.at, align 4
  %wide = zext i32 %v to i64
  %c1 = getelementptr i32, ptr addrspace(1) %c, i64 1
  %c2 = getelementptr i32, ptr addrspace(1) %c, i64 2
  %c3 = getelementptr i32, ptr addrspace(1) %c, i64 3
  %c4 = getelementptr i32, ptr addrspace(1) %c, i64 4
  %c5 = getelementptr i32, ptr addrspace(1) %c, i64 5
  %c6 = getelementptr i32, ptr addrspace(1) %c, i64 6
  %c7 = getelementptr i32, ptr addrspace(1) %c, i64 7
  %c8 = getelementptr i32, ptr addrspace(1) %c, i64 8
  %r0 = atomicrmw add ptr addrspace(1) %c, i32 %v monotonic, align 4
  %r1 = atomicrmw sub ptr addrspace(1) %c1, i32 %v seq_cst, align 4
  %r2 = atomicrmw and ptr addrspace(1) %c2, i32 %v acquire, align 4
  %r3 = atomicrmw or ptr addrspace(1) %c3, i32 %v release, align 4
  %r4 = atomicrmw xor ptr addrspace(1) %c4, i32 %v acq_rel, align 4
  %r5 = atomicrmw max ptr addrspace(1) %c5, i32 %v monotonic, align 4
  %r6 = atomicrmw min ptr addrspace(1) %c6, i32 %v monotonic, align 4
  %r7 = atomicrmw umax ptr addrspace(1) %c7, i32 %v monotonic, align 4
  %r8 = atomicrmw umin ptr addrspace(1) %c8, i32 %v monotonic, align 4
  %r9 = atomicrmw add ptr addrspace(1) %l, i64 %wide monotonic, align 8
  %place = add i64 %n64, 9
  %mine = getelementptr i32, ptr addrspace(1) %c, i64 %place
  %old = atomicrmw xchg ptr addrspace(1) %mine, i32 %v monotonic, align 4
  %o.at = getelementptr i32, ptr addrspace(1) %o, i64 %n64
  store i32 %old, ptr addrspace(1) %o.at, align 4
  fence seq_cst
  %again = load atomic i32, ptr addrspace(1) %mine acquire, align 4
  %o12 = getelementptr i32, ptr addrspace(1) %o.at, i64 12
  store atomic i32 %again, ptr addrspace(1) %o12 release, align 4
  %first = icmp eq i32 %n, 0
  br i1 %first, label %end, label %exchange

exchange:                                         ; preds = %0
  %l.at = getelementptr i64, ptr addrspace(1) %l, i64 %n64
  %now = load atomic i64, ptr addrspace(1) %l.at monotonic, align 8
  %x = cmpxchg ptr addrspace(1) %l.at, i64 %now, i64 %wide seq_cst monotonic, align 8
  %x.old = extractvalue { i64, i1 } %x, 0
  %x.done = extractvalue { i64, i1 } %x, 1
  %y = cmpxchg ptr addrspace(1) %l.at, i64 -1, i64 7 monotonic monotonic, align 8
  %y.done = extractvalue { i64, i1 } %y, 1
  %same = icmp eq i64 %x.old, %now
  %good = and i1 %same, %x.done
  %bad = xor i1 %y.done, true
  %both = and i1 %good, %bad
  %failed = xor i1 %both, true
  %word = zext i1 %failed to i32
  %o4 = getelementptr i32, ptr addrspace(1) %o.at, i64 4
  store i32 %word, ptr addrspace(1) %o4, align 4
  br label %end

end:                                              ; preds = %exchange, %0
  %o8 = getelementptr i32, ptr addrspace(1) %o.at, i64 8
  store i32 1, ptr addrspace(1) %o8, align 4
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
