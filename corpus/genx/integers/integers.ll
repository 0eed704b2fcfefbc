; Integer arithmetic of words and dwords: all instructions, with signs.
;! global 2
;! local 1
;! in a u32 32 edges
;! in b u32 32 edges 4
;! out o u32 320
;! out p u16 224
;= def sgn(v, n):
;=     return v - 2**n if v >= 2**(n - 1) else v
;= def div(x, y):
;=     q = abs(x) // abs(y)
;=     return q if (x < 0) == (y < 0) else -q
;= def expect(args):
;=     o, p = [], []
;=     for g in range(2):
;=         x, y = args[0][16 * g:16 * g + 16], args[1][16 * g:16 * g + 16]
;=         y1 = [v | 1 for v in y]
;=         two = lambda f: [f(u, v) % 2**32 for u, v in zip(x, y)]
;=         o += two(lambda u, v: u + v) + two(lambda u, v: u - v) + two(lambda u, v: u * v)
;=         o += two(lambda u, v: u << (v & 31)) + two(lambda u, v: u >> (v & 31)) + two(lambda u, v: sgn(u, 32) >> (v & 31))
;=         o += [u // v for u, v in zip(x, y1)] + [u % v for u, v in zip(x, y1)]
;=         q = [div(sgn(u, 32) >> 1, sgn(v, 32)) for u, v in zip(x, y1)]
;=         o += [v % 2**32 for v in q]
;=         o += [((sgn(u, 32) >> 1) - sgn(v, 32) * k) % 2**32 for u, v, k in zip(x, y1, q)]
;=         x, y = [v % 2**16 for v in x], [v % 2**16 for v in y]
;=         two = lambda f: [f(u, v) % 2**16 for u, v in zip(x, y)]
;=         p += two(lambda u, v: u + v) + two(lambda u, v: u - v) + two(lambda u, v: u * v)
;=         p += two(lambda u, v: u << (v & 15)) + two(lambda u, v: u >> (v & 15)) + two(lambda u, v: sgn(u, 16) >> (v & 15))
;=         p += two(lambda u, v: (u & v) | (u ^ 0xffff))
;=     return {2: o, 3: p}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v16i16(i64, <16 x i16>)

define spir_kernel void @integers(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i32 addrspace(1)* %o, i16 addrspace(1)* %p) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %ten = mul i64 %offset, 10
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %ten
  %group.wide = zext i32 %group to i64
  %seven = mul i64 %group.wide, 224
  %p.at.base = ptrtoint i16 addrspace(1)* %p to i64
  %p.at = add i64 %p.at.base, %seven
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %y1 = or <16 x i32> %y, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %amount = and <16 x i32> %y, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %o0 = add <16 x i32> %x, %y
  %o1 = sub <16 x i32> %x, %y
  %o2 = mul <16 x i32> %x, %y
  %o3 = shl <16 x i32> %x, %amount
  %o4 = lshr <16 x i32> %x, %amount
  %o5 = ashr <16 x i32> %x, %amount
  %o6 = udiv <16 x i32> %x, %y1
  %o7 = urem <16 x i32> %x, %y1
  %half = ashr <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %o8 = sdiv <16 x i32> %half, %y1
  %o9 = srem <16 x i32> %half, %y1
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %o3)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %o4)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %o5)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %o6)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %o7)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %o8)
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t9, <16 x i32> %o9)
  %xs = trunc <16 x i32> %x to <16 x i16>
  %ys = trunc <16 x i32> %y to <16 x i16>
  %small = and <16 x i16> %ys, <i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15, i16 15>
  %p0 = add <16 x i16> %xs, %ys
  %p1 = sub <16 x i16> %xs, %ys
  %p2 = mul <16 x i16> %xs, %ys
  %p3 = shl <16 x i16> %xs, %small
  %p4 = lshr <16 x i16> %xs, %small
  %p5 = ashr <16 x i16> %xs, %small
  %and = and <16 x i16> %xs, %ys
  %not = xor <16 x i16> %xs, <i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1, i16 -1>
  %p6 = or <16 x i16> %and, %not
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %p.at, <16 x i16> %p0)
  %s1 = add i64 %p.at, 32
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s1, <16 x i16> %p1)
  %s2 = add i64 %p.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s2, <16 x i16> %p2)
  %s3 = add i64 %p.at, 96
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s3, <16 x i16> %p3)
  %s4 = add i64 %p.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s4, <16 x i16> %p4)
  %s5 = add i64 %p.at, 160
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s5, <16 x i16> %p5)
  %s6 = add i64 %p.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i16(i64 %s6, <16 x i16> %p6)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
