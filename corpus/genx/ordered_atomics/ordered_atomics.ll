; Atomic instructions of LLVM on memory of all threads: each operation, exchanges that succeed and fail, loads and stores in order.
; On later platforms the reference compiler takes the new value of an exchange for what is compared with.
;! global 4
;! local 1
;! unlike bmg lnl ptl
;! in a u32 4 bits 32
;! inout c u32 16 range 100 200
;! inout l u64 4 range 1000 2000
;! out o u32 16
;= def expect(args):
;=     a, c, l = args[0], list(args[1]), list(args[2])
;=     o = [0] * 16
;=     m = 0xffffffff
;=     signed = lambda v: v - (1 << 32) if v >> 31 else v
;=     for v in a:
;=         c[0] = (c[0] + v) & m; c[1] = (c[1] - v) & m; c[2] &= v; c[3] |= v; c[4] ^= v
;=         c[5] = max(c[5], v, key=signed); c[6] = min(c[6], v, key=signed); c[7] = max(c[7], v); c[8] = min(c[8], v)
;=         l[0] += v
;=     for n, v in enumerate(a):
;=         o[n] = c[9 + n]
;=         c[9 + n] = v
;=         o[4 + n] = l[n] & m if n else 1
;=         if n: l[n] = v
;=         o[8 + n] = 1
;=         o[12 + n] = v
;=     for n in range(4): o[4 + n] = 0
;=     return {1: c, 2: l, 3: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

define spir_kernel void @ordered_atomics(i32 addrspace(1)* %a, i32 addrspace(1)* %c, i64 addrspace(1)* %l, i32 addrspace(1)* %o) #0 {
  %n = call i32 @llvm.genx.group.id.x()
  %n64 = zext i32 %n to i64
  %a.at = getelementptr i32, i32 addrspace(1)* %a, i64 %n64
  %v = load i32, i32 addrspace(1)* %a.at, align 4
  %wide = zext i32 %v to i64
  %c1 = getelementptr i32, i32 addrspace(1)* %c, i64 1
  %c2 = getelementptr i32, i32 addrspace(1)* %c, i64 2
  %c3 = getelementptr i32, i32 addrspace(1)* %c, i64 3
  %c4 = getelementptr i32, i32 addrspace(1)* %c, i64 4
  %c5 = getelementptr i32, i32 addrspace(1)* %c, i64 5
  %c6 = getelementptr i32, i32 addrspace(1)* %c, i64 6
  %c7 = getelementptr i32, i32 addrspace(1)* %c, i64 7
  %c8 = getelementptr i32, i32 addrspace(1)* %c, i64 8
  %r0 = atomicrmw add i32 addrspace(1)* %c, i32 %v monotonic
  %r1 = atomicrmw sub i32 addrspace(1)* %c1, i32 %v seq_cst
  %r2 = atomicrmw and i32 addrspace(1)* %c2, i32 %v acquire
  %r3 = atomicrmw or i32 addrspace(1)* %c3, i32 %v release
  %r4 = atomicrmw xor i32 addrspace(1)* %c4, i32 %v acq_rel
  %r5 = atomicrmw max i32 addrspace(1)* %c5, i32 %v monotonic
  %r6 = atomicrmw min i32 addrspace(1)* %c6, i32 %v monotonic
  %r7 = atomicrmw umax i32 addrspace(1)* %c7, i32 %v monotonic
  %r8 = atomicrmw umin i32 addrspace(1)* %c8, i32 %v monotonic
  %r9 = atomicrmw add i64 addrspace(1)* %l, i64 %wide monotonic
  %place = add i64 %n64, 9
  %mine = getelementptr i32, i32 addrspace(1)* %c, i64 %place
  %old = atomicrmw xchg i32 addrspace(1)* %mine, i32 %v monotonic
  %o.at = getelementptr i32, i32 addrspace(1)* %o, i64 %n64
  store i32 %old, i32 addrspace(1)* %o.at, align 4
  fence seq_cst
  %again = load atomic i32, i32 addrspace(1)* %mine acquire, align 4
  %o12 = getelementptr i32, i32 addrspace(1)* %o.at, i64 12
  store atomic i32 %again, i32 addrspace(1)* %o12 release, align 4
  %first = icmp eq i32 %n, 0
  br i1 %first, label %end, label %exchange
exchange:
  %l.at = getelementptr i64, i64 addrspace(1)* %l, i64 %n64
  %now = load atomic i64, i64 addrspace(1)* %l.at monotonic, align 8
  %x = cmpxchg i64 addrspace(1)* %l.at, i64 %now, i64 %wide seq_cst monotonic
  %x.old = extractvalue { i64, i1 } %x, 0
  %x.done = extractvalue { i64, i1 } %x, 1
  %y = cmpxchg i64 addrspace(1)* %l.at, i64 -1, i64 7 monotonic monotonic
  %y.done = extractvalue { i64, i1 } %y, 1
  %same = icmp eq i64 %x.old, %now
  %good = and i1 %same, %x.done
  %bad = xor i1 %y.done, true
  %both = and i1 %good, %bad
  %failed = xor i1 %both, true
  %word = zext i1 %failed to i32
  %o4 = getelementptr i32, i32 addrspace(1)* %o.at, i64 4
  store i32 %word, i32 addrspace(1)* %o4, align 4
  br label %end
end:
  %o8 = getelementptr i32, i32 addrspace(1)* %o.at, i64 8
  store i32 1, i32 addrspace(1)* %o8, align 4
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
