target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@bytes = internal addrspace(3) global [8 x i8] undef, align 4

declare i32 @llvm.genx.group.id.x()

; Function Attrs: noinline nounwind
define spir_kernel void @exchange_loops(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %w, ptr addrspace(1) %c, ptr addrspace(1) %f, ptr addrspace(1) %h, ptr addrspace(1) %o) #0 {
  %n = call i32 @llvm.genx.group.id.x()
  %n64 = zext i32 %n to i64
  %a.at = getelementptr i32, ptr addrspace(1) %a, i64 %n64
  %v = load i32, ptr addrspace(1) %a.at, align 4
  %v8 = trunc i32 %v to i8
  %v16 = trunc i32 %v to i16
  %o.at = getelementptr i32, ptr addrspace(1) %o, i64 %n64
  %c.at = getelementptr i32, ptr addrspace(1) %c, i64 %n64
  %r0 = atomicrmw nand ptr addrspace(1) %c.at, i32 %v seq_cst, align 4
  store i32 %r0, ptr addrspace(1) %o.at, align 4
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 1
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 2
  %b3 = getelementptr i8, ptr addrspace(1) %b, i64 3
  %r1 = atomicrmw add ptr addrspace(1) %b, i8 %v8 monotonic, align 1
  %r2 = atomicrmw sub ptr addrspace(1) %b1, i8 %v8 acq_rel, align 1
  %r3 = atomicrmw xor ptr addrspace(1) %b2, i8 %v8 monotonic, align 1
  %r4 = atomicrmw max ptr addrspace(1) %b3, i8 %v8 monotonic, align 1
  %b.own = getelementptr i8, ptr addrspace(1) %b, i64 %n64
  %b4 = getelementptr i8, ptr addrspace(1) %b.own, i64 4
  %r5 = atomicrmw xchg ptr addrspace(1) %b4, i8 %v8 monotonic, align 1
  %r5.wide = zext i8 %r5 to i32
  %o4 = getelementptr i32, ptr addrspace(1) %o.at, i64 4
  store i32 %r5.wide, ptr addrspace(1) %o4, align 4
  %b8 = getelementptr i8, ptr addrspace(1) %b.own, i64 8
  %now = load i8, ptr addrspace(1) %b8, align 1
  %x = cmpxchg ptr addrspace(1) %b8, i8 %now, i8 %v8 seq_cst monotonic, align 1
  %x.old = extractvalue { i8, i1 } %x, 0
  %x.done = extractvalue { i8, i1 } %x, 1
  %x.wide = zext i8 %x.old to i32
  %x.bit = zext i1 %x.done to i32
  %x.high = shl i32 %x.bit, 8
  %x.both = or i32 %x.wide, %x.high
  %o8 = getelementptr i32, ptr addrspace(1) %o.at, i64 8
  store i32 %x.both, ptr addrspace(1) %o8, align 4
  %b12 = getelementptr i8, ptr addrspace(1) %b.own, i64 12
  %there = load i8, ptr addrspace(1) %b12, align 1
  %other = add i8 %there, 1
  %y = cmpxchg ptr addrspace(1) %b12, i8 %other, i8 7 monotonic monotonic, align 1
  %y.old = extractvalue { i8, i1 } %y, 0
  %y.done = extractvalue { i8, i1 } %y, 1
  %y.wide = zext i8 %y.old to i32
  %y.bit = zext i1 %y.done to i32
  %y.high = shl i32 %y.bit, 8
  %y.both = or i32 %y.wide, %y.high
  %o12 = getelementptr i32, ptr addrspace(1) %o.at, i64 12
  store i32 %y.both, ptr addrspace(1) %o12, align 4
  %w1 = getelementptr i16, ptr addrspace(1) %w, i64 1
  %w2 = getelementptr i16, ptr addrspace(1) %w, i64 2
  %w3 = getelementptr i16, ptr addrspace(1) %w, i64 3
  %r6 = atomicrmw add ptr addrspace(1) %w, i16 %v16 monotonic, align 2
  %r7 = atomicrmw umin ptr addrspace(1) %w1, i16 %v16 monotonic, align 2
  %r8 = atomicrmw or ptr addrspace(1) %w2, i16 %v16 release, align 2
  %r9 = atomicrmw and ptr addrspace(1) %w3, i16 %v16 acquire, align 2
  %w.own = getelementptr i16, ptr addrspace(1) %w, i64 %n64
  %w4 = getelementptr i16, ptr addrspace(1) %w.own, i64 4
  %r10 = atomicrmw nand ptr addrspace(1) %w4, i16 %v16 monotonic, align 2
  %r10.wide = zext i16 %r10 to i32
  %o16 = getelementptr i32, ptr addrspace(1) %o.at, i64 16
  store i32 %r10.wide, ptr addrspace(1) %o16, align 4
  %seven = and i8 %v8, 127
  %l1 = getelementptr [8 x i8], ptr addrspace(3) @bytes, i32 0, i32 1
  %l2 = getelementptr [8 x i8], ptr addrspace(3) @bytes, i32 0, i32 2
  store i8 -1, ptr addrspace(3) %l1, align 1
  store i8 %seven, ptr addrspace(3) %l2, align 1
  %r11 = atomicrmw add ptr addrspace(3) %l2, i8 3 monotonic, align 1
  %r12 = load i8, ptr addrspace(3) %l2, align 1
  %r12.wide = zext i8 %r12 to i32
  %o20 = getelementptr i32, ptr addrspace(1) %o.at, i64 20
  store i32 %r12.wide, ptr addrspace(1) %o20, align 4
  %number = uitofp i32 %n to float
  %step = fadd float %number, 5.000000e-01
  %sixty = fmul float %number, 6.000000e+01
  %f1 = getelementptr float, ptr addrspace(1) %f, i64 1
  %f2 = getelementptr float, ptr addrspace(1) %f, i64 2
  %r13 = atomicrmw fadd ptr addrspace(1) %f, float %step monotonic, align 4
  %r14 = atomicrmw fsub ptr addrspace(1) %f1, float %step seq_cst, align 4
  %r15 = atomicrmw fmax ptr addrspace(1) %f2, float %sixty monotonic, align 4
  %small = fptrunc float %number to half
  %h1 = getelementptr half, ptr addrspace(1) %h, i64 1
  %r16 = atomicrmw fadd ptr addrspace(1) %h, half %small monotonic, align 2
  %r17 = atomicrmw fmax ptr addrspace(1) %h1, half %small monotonic, align 2
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
