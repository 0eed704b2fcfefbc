target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @unrolled_loops(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
entry:
  %cells = alloca [12 x i32], align 4
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  br label %sum

sum:                                              ; preds = %sum.body, %entry
  %i = phi i32 [ 0, %entry ], [ %i.next, %sum.body ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %sum.body ]
  %last = phi i32 [ 0, %entry ], [ %i, %sum.body ]
  %sum.more = icmp slt i32 %i, 8
  br i1 %sum.more, label %sum.body, label %down.before

sum.body:                                         ; preds = %sum
  %x.i = extractelement <8 x i32> %x, i32 %i
  %s.3 = mul i32 %s, 3
  %s.next = add i32 %s.3, %x.i
  %i.next = add i32 %i, 1
  br label %sum

down.before:                                      ; preds = %sum
  br label %down

down:                                             ; preds = %down, %down.before
  %n = phi i8 [ 5, %down.before ], [ %n.next, %down ]
  %d = phi i32 [ 1, %down.before ], [ %d.next, %down ]
  %n.wide = zext i8 %n to i32
  %d.7 = mul i32 %d, 7
  %d.next = add i32 %d.7, %n.wide
  %n.next = add i8 %n, -1
  %down.done = icmp eq i8 %n.next, 0
  br i1 %down.done, label %twice.before, label %down

twice.before:                                     ; preds = %down
  br label %twice

twice:                                            ; preds = %twice.body, %twice.before
  %p = phi i32 [ 1, %twice.before ], [ %p.next, %twice.body ]
  %t = phi i32 [ 0, %twice.before ], [ %t.next, %twice.body ]
  %twice.done = icmp uge i32 %p, 200
  br i1 %twice.done, label %rows.before, label %twice.body

twice.body:                                       ; preds = %twice
  %p.low = and i32 %p, 7
  %x.p = extractelement <8 x i32> %x, i32 %p.low
  %x.sum = add i32 %x.p, %p
  %t.next = xor i32 %t, %x.sum
  %p.next = shl i32 %p, 1
  br label %twice

rows.before:                                      ; preds = %twice
  br label %rows

rows:                                             ; preds = %rows.end, %rows.before
  %r = phi i32 [ 0, %rows.before ], [ %r.next, %rows.end ]
  br label %columns

columns:                                          ; preds = %columns, %rows
  %c = phi i32 [ 0, %rows ], [ %c.next, %columns ]
  %r.4 = shl i32 %r, 2
  %cell = add i32 %r.4, %c
  %both = add i32 %r, %c
  %both.low = and i32 %both, 7
  %x.both = extractelement <8 x i32> %x, i32 %both.low
  %value = xor i32 %cell, %x.both
  %place = getelementptr [12 x i32], ptr %cells, i32 0, i32 %cell
  store i32 %value, ptr %place, align 4
  %c.next = add i32 %c, 1
  %columns.more = icmp ne i32 %c.next, 4
  br i1 %columns.more, label %columns, label %rows.end

rows.end:                                         ; preds = %columns
  %r.next = add i32 %r, 1
  %rows.more = icmp ult i32 %r.next, 3
  br i1 %rows.more, label %rows, label %read.before

read.before:                                      ; preds = %rows.end
  br label %read

read:                                             ; preds = %read.end, %read.before
  %q = phi i64 [ 0, %read.before ], [ %q.next, %read.end ]
  %total = phi i32 [ 0, %read.before ], [ %total.end, %read.end ]
  br label %cells.read

cells.read:                                       ; preds = %cells.next, %read
  %e = phi i64 [ 0, %read ], [ %e.next, %cells.next ]
  %total.in = phi i32 [ %total, %read ], [ %total.next, %cells.next ]
  %q.4 = mul i64 %q, 4
  %index = add i64 %q.4, %e
  %from = getelementptr [12 x i32], ptr %cells, i64 0, i64 %index
  %v = load i32, ptr %from, align 4
  %v.low = and i32 %v, 1
  %v.odd = icmp ne i32 %v.low, 0
  br i1 %v.odd, label %odd, label %even

odd:                                              ; preds = %cells.read
  %v.5 = mul i32 %v, 5
  br label %cells.next

even:                                             ; preds = %cells.read
  %e.narrow = trunc i64 %e to i32
  %v.e = add i32 %v, %e.narrow
  br label %cells.next

cells.next:                                       ; preds = %even, %odd
  %more = phi i32 [ %v.5, %odd ], [ %v.e, %even ]
  %total.next = add i32 %total.in, %more
  %e.next = add i64 %e, 1
  %e.more = icmp slt i64 %e.next, 4
  br i1 %e.more, label %cells.read, label %read.end

read.end:                                         ; preds = %cells.next
  %total.end = phi i32 [ %total.next, %cells.next ]
  %q.next = add i64 %q, 1
  %read.more = icmp ne i64 %q.next, 3
  br i1 %read.more, label %read, label %bits.before

bits.before:                                      ; preds = %read.end
  br label %bits

bits:                                             ; preds = %bits.next, %bits.before
  %j = phi i32 [ 0, %bits.before ], [ %j.next, %bits.next ]
  %k = phi i32 [ 0, %bits.before ], [ %k.next, %bits.next ]
  %x.j = extractelement <8 x i32> %x, i32 %j
  %x.bit = and i32 %x.j, 4
  %x.set = icmp ne i32 %x.bit, 0
  br i1 %x.set, label %hundred, label %bits.next

hundred:                                          ; preds = %bits
  br label %bits.next

bits.next:                                        ; preds = %hundred, %bits
  %amount = phi i32 [ 100, %hundred ], [ %j, %bits ]
  %k.next = add i32 %k, %amount
  %j.next = add i32 %j, 1
  %bits.more = icmp sle i32 %j.next, 5
  br i1 %bits.more, label %bits, label %once.before

once.before:                                      ; preds = %bits.next
  br label %once

once:                                             ; preds = %once, %once.before
  %z = phi i32 [ 3, %once.before ], [ %z.next, %once ]
  %x.z = extractelement <8 x i32> %x, i32 %z
  %one = add i32 %x.z, 1
  %z.next = add i32 %z, 1
  %once.more = icmp ult i32 %z.next, 4
  br i1 %once.more, label %once, label %done

done:                                             ; preds = %once
  %o0 = insertelement <8 x i32> undef, i32 %s, i32 0
  %o1 = insertelement <8 x i32> %o0, i32 %last, i32 1
  %o2 = insertelement <8 x i32> %o1, i32 %d.next, i32 2
  %o3 = insertelement <8 x i32> %o2, i32 %t, i32 3
  %o4 = insertelement <8 x i32> %o3, i32 %total.end, i32 4
  %o5 = insertelement <8 x i32> %o4, i32 %k.next, i32 5
  %o6 = insertelement <8 x i32> %o5, i32 %one, i32 6
  %o7 = insertelement <8 x i32> %o6, i32 %p, i32 7
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %o7)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
