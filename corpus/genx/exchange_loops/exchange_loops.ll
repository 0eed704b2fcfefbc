; Atomic operations that are loops of exchanges: of numbers that are parts of a dword, of floats, and one that no message has. Some
; numbers are each group's own, beside others in a dword; some are changed by all groups, in an order that does not matter.
; The reference compiler refuses the words, or makes operations of 32 bits of those of 8 and 16.
;! unlike
;! global 4
;! local 1
;! in a u32 4 bits 32
;! inout b u8 32 bits 8
;! inout w u16 16 bits 16
;! inout c u32 8 bits 32
;! inout f f32 4 list 1.5 -2.0 100.25 -7.0
;! inout h f16 4 list 1.0 2.0 -3.0 40.5
;! out o u32 24
;= def expect(args):
;=     a, b, w, c, f, h = (list(arg) for arg in args[:6])
;=     o = [0] * 24
;=     signed = lambda v, n: v - (1 << n) if v >> (n - 1) else v
;=     for n, v in enumerate(a):
;=         o[n] = c[n]
;=         c[n] = ~(c[n] & v) & 0xffffffff
;=         b[0] = (b[0] + v) & 255
;=         b[1] = (b[1] - v) & 255
;=         b[2] ^= v & 255
;=         b[3] = max(b[3], v & 255, key=lambda x: signed(x, 8))
;=         o[4 + n] = b[4 + n]
;=         b[4 + n] = v & 255
;=         o[8 + n] = b[8 + n] | 0x100
;=         b[8 + n] = v & 255
;=         o[12 + n] = b[12 + n]
;=         w[0] = (w[0] + v) & 0xffff
;=         w[1] = min(w[1], v & 0xffff)
;=         w[2] |= v & 0xffff
;=         w[3] &= v & 0xffff
;=         o[16 + n] = w[4 + n]
;=         w[4 + n] = ~(w[4 + n] & v) & 0xffff
;=         o[20 + n] = ((v & 0x7f) + 3) & 255
;=         f[0] += n + 0.5
;=         f[1] -= n + 0.5
;=         f[2] = max(f[2], 60.0 * n)
;=         h[0] += n
;=         h[1] = max(h[1], n)
;=     return {1: b, 2: w, 3: c, 4: f, 5: h, 6: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@bytes = internal addrspace(3) global [8 x i8] undef, align 4

declare i32 @llvm.genx.group.id.x()

define spir_kernel void @exchange_loops(i32 addrspace(1)* %a, i8 addrspace(1)* %b, i16 addrspace(1)* %w, i32 addrspace(1)* %c, float addrspace(1)* %f, half addrspace(1)* %h, i32 addrspace(1)* %o) #0 {
  %n = call i32 @llvm.genx.group.id.x()
  %n64 = zext i32 %n to i64
  %a.at = getelementptr i32, i32 addrspace(1)* %a, i64 %n64
  %v = load i32, i32 addrspace(1)* %a.at, align 4
  %v8 = trunc i32 %v to i8
  %v16 = trunc i32 %v to i16
  %o.at = getelementptr i32, i32 addrspace(1)* %o, i64 %n64
  %c.at = getelementptr i32, i32 addrspace(1)* %c, i64 %n64
  %r0 = atomicrmw nand i32 addrspace(1)* %c.at, i32 %v seq_cst
  store i32 %r0, i32 addrspace(1)* %o.at, align 4
  %b1 = getelementptr i8, i8 addrspace(1)* %b, i64 1
  %b2 = getelementptr i8, i8 addrspace(1)* %b, i64 2
  %b3 = getelementptr i8, i8 addrspace(1)* %b, i64 3
  %r1 = atomicrmw add i8 addrspace(1)* %b, i8 %v8 monotonic
  %r2 = atomicrmw sub i8 addrspace(1)* %b1, i8 %v8 acq_rel
  %r3 = atomicrmw xor i8 addrspace(1)* %b2, i8 %v8 monotonic
  %r4 = atomicrmw max i8 addrspace(1)* %b3, i8 %v8 monotonic
  %b.own = getelementptr i8, i8 addrspace(1)* %b, i64 %n64
  %b4 = getelementptr i8, i8 addrspace(1)* %b.own, i64 4
  %r5 = atomicrmw xchg i8 addrspace(1)* %b4, i8 %v8 monotonic
  %r5.wide = zext i8 %r5 to i32
  %o4 = getelementptr i32, i32 addrspace(1)* %o.at, i64 4
  store i32 %r5.wide, i32 addrspace(1)* %o4, align 4
  %b8 = getelementptr i8, i8 addrspace(1)* %b.own, i64 8
  %now = load i8, i8 addrspace(1)* %b8, align 1
  %x = cmpxchg i8 addrspace(1)* %b8, i8 %now, i8 %v8 seq_cst monotonic
  %x.old = extractvalue { i8, i1 } %x, 0
  %x.done = extractvalue { i8, i1 } %x, 1
  %x.wide = zext i8 %x.old to i32
  %x.bit = zext i1 %x.done to i32
  %x.high = shl i32 %x.bit, 8
  %x.both = or i32 %x.wide, %x.high
  %o8 = getelementptr i32, i32 addrspace(1)* %o.at, i64 8
  store i32 %x.both, i32 addrspace(1)* %o8, align 4
  %b12 = getelementptr i8, i8 addrspace(1)* %b.own, i64 12
  %there = load i8, i8 addrspace(1)* %b12, align 1
  %other = add i8 %there, 1
  %y = cmpxchg i8 addrspace(1)* %b12, i8 %other, i8 7 monotonic monotonic
  %y.old = extractvalue { i8, i1 } %y, 0
  %y.done = extractvalue { i8, i1 } %y, 1
  %y.wide = zext i8 %y.old to i32
  %y.bit = zext i1 %y.done to i32
  %y.high = shl i32 %y.bit, 8
  %y.both = or i32 %y.wide, %y.high
  %o12 = getelementptr i32, i32 addrspace(1)* %o.at, i64 12
  store i32 %y.both, i32 addrspace(1)* %o12, align 4
  %w1 = getelementptr i16, i16 addrspace(1)* %w, i64 1
  %w2 = getelementptr i16, i16 addrspace(1)* %w, i64 2
  %w3 = getelementptr i16, i16 addrspace(1)* %w, i64 3
  %r6 = atomicrmw add i16 addrspace(1)* %w, i16 %v16 monotonic
  %r7 = atomicrmw umin i16 addrspace(1)* %w1, i16 %v16 monotonic
  %r8 = atomicrmw or i16 addrspace(1)* %w2, i16 %v16 release
  %r9 = atomicrmw and i16 addrspace(1)* %w3, i16 %v16 acquire
  %w.own = getelementptr i16, i16 addrspace(1)* %w, i64 %n64
  %w4 = getelementptr i16, i16 addrspace(1)* %w.own, i64 4
  %r10 = atomicrmw nand i16 addrspace(1)* %w4, i16 %v16 monotonic
  %r10.wide = zext i16 %r10 to i32
  %o16 = getelementptr i32, i32 addrspace(1)* %o.at, i64 16
  store i32 %r10.wide, i32 addrspace(1)* %o16, align 4
  %seven = and i8 %v8, 127
  %l1 = getelementptr [8 x i8], [8 x i8] addrspace(3)* @bytes, i32 0, i32 1
  %l2 = getelementptr [8 x i8], [8 x i8] addrspace(3)* @bytes, i32 0, i32 2
  store i8 -1, i8 addrspace(3)* %l1, align 1
  store i8 %seven, i8 addrspace(3)* %l2, align 1
  %r11 = atomicrmw add i8 addrspace(3)* %l2, i8 3 monotonic
  %r12 = load i8, i8 addrspace(3)* %l2, align 1
  %r12.wide = zext i8 %r12 to i32
  %o20 = getelementptr i32, i32 addrspace(1)* %o.at, i64 20
  store i32 %r12.wide, i32 addrspace(1)* %o20, align 4
  %number = uitofp i32 %n to float
  %step = fadd float %number, 5.000000e-01
  %sixty = fmul float %number, 6.000000e+01
  %f1 = getelementptr float, float addrspace(1)* %f, i64 1
  %f2 = getelementptr float, float addrspace(1)* %f, i64 2
  %r13 = atomicrmw fadd float addrspace(1)* %f, float %step monotonic
  %r14 = atomicrmw fsub float addrspace(1)* %f1, float %step seq_cst
  %r15 = atomicrmw fmax float addrspace(1)* %f2, float %sixty monotonic
  %small = fptrunc float %number to half
  %h1 = getelementptr half, half addrspace(1)* %h, i64 1
  %r16 = atomicrmw fadd half addrspace(1)* %h, half %small monotonic
  %r17 = atomicrmw fmax half addrspace(1)* %h1, half %small monotonic
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
