; Sums of singles: denormals are kept in the kernel, which says nothing; a subroutine rounds to zero, a function that is
; called with a stack flushes denormals, and the kernel's mode is back behind each call. The reference compiler for earlier
; platforms flushes them in the kernel, too.
;! global 4
;! local 1
;! unlike skl bxt icllp
;! in a u32 32 bits 32
;! in b u32 32 bits 32
;! out o u32 160
;= from fractions import Fraction
;= def number(bits, flush=False):
;=     e, m = bits >> 23 & 255, bits & 0x7fffff
;=     if e == 0: v = Fraction(0 if flush else m, 1 << 149)
;=     else: v = Fraction((m | 1 << 23) << e, 1 << 150)
;=     return -v if bits >> 31 else v
;= def rounded(v, flush=False, zero=False):
;=     sign, v = (1 << 31 if v < 0 else 0), abs(v)
;=     e = 1
;=     while v >= Fraction(1 << 24 + e, 1 << 150): e += 1
;=     units = v * (1 << 150) / (1 << e)
;=     m, rest = units.numerator // units.denominator, units - units.numerator // units.denominator
;=     if not zero and (rest > Fraction(1, 2) or rest == Fraction(1, 2) and m & 1): m += 1
;=     if m < 1 << 23: return sign if flush else sign | m
;=     return sign | (e << 23) + (m - (1 << 23))
;= def given(x):
;=     # Small numbers of either sign: of four, two are denormal.
;=     return x & 0x807fffff | (x >> 25 & 3) << 23 if x & 1 << 28 else x & 0x807fffff
;= def expect(args):
;=     a, b = [given(x) for x in args[0]], [given(x) & 0x7fffffff for x in args[1]]
;=     o = []
;=     for g in range(4):
;=         for x, y in list(zip(a, b))[8 * g:8 * g + 8]: o.append(rounded(number(x) + number(y)))
;=         for x, y in list(zip(a, b))[8 * g:8 * g + 8]: o.append(rounded(number(x) * Fraction(3, 4), zero=True))
;=         for x, y in list(zip(a, b))[8 * g:8 * g + 8]: o.append(rounded(number(x) * Fraction(3, 4)))
;=         for x, y in list(zip(a, b))[8 * g:8 * g + 8]: o.append(rounded(number(x, True) * 2 + number(y, True), flush=True))
;=         for x, y in list(zip(a, b))[8 * g:8 * g + 8]: o.append(rounded(number(y) * Fraction(3, 4)))
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8f32(i64, <8 x float>)

; Numbers with small exponents of what any bits are.
define internal spir_func <8 x float> @small(<8 x i32> %x) #1 {
  %shifted = lshr <8 x i32> %x, <i32 25, i32 25, i32 25, i32 25, i32 25, i32 25, i32 25, i32 25>
  %low = and <8 x i32> %shifted, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %exponent = shl <8 x i32> %low, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %bit = and <8 x i32> %x, <i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456, i32 268435456>
  %has = icmp ne <8 x i32> %bit, zeroinitializer
  %high = select <8 x i1> %has, <8 x i32> %exponent, <8 x i32> zeroinitializer
  %rest = and <8 x i32> %x, <i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041, i32 -2139095041>
  %bits = or <8 x i32> %rest, %high
  %result = bitcast <8 x i32> %bits to <8 x float>
  ret <8 x float> %result
}

; To zero, denormals kept: 0x4f0.
define internal spir_func <8 x float> @to_zero(<8 x float> %x) #2 {
  %result = fmul <8 x float> %x, <float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75>
  ret <8 x float> %result
}

define internal spir_func <8 x float> @flushed(<8 x float> %x, <8 x float> %y) #3 {
  %twice = fmul <8 x float> %x, <float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0>
  %result = fadd <8 x float> %twice, %y
  ret <8 x float> %result
}

define spir_kernel void @float_modes(i32 addrspace(1)* %a, i32 addrspace(1)* %b, float addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b.base, %offset
  %five = mul i64 %offset, 5
  %o.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %five
  %a.bits = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %b.bits = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %b.at)
  %b.plus = and <8 x i32> %b.bits, <i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647>
  %x = call spir_func <8 x float> @small(<8 x i32> %a.bits)
  %y = call spir_func <8 x float> @small(<8 x i32> %b.plus)
  %sum = fadd <8 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %o.at, <8 x float> %sum)
  %zero = call spir_func <8 x float> @to_zero(<8 x float> %x)
  %t1 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t1, <8 x float> %zero)
  %near = fmul <8 x float> %x, <float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75>
  %t2 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t2, <8 x float> %near)
  %none = call spir_func <8 x float> @flushed(<8 x float> %x, <8 x float> %y)
  %t3 = add i64 %o.at, 96
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t3, <8 x float> %none)
  %again = fmul <8 x float> %y, <float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75, float 0.75>
  %t4 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %t4, <8 x float> %again)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" }
attributes #2 = { noinline nounwind "VCFunction" "VCFloatControl"="1264" }
attributes #3 = { noinline nounwind "VCFunction" "VCStackCall" "VCFloatControl"="0" }
