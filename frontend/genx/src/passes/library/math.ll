; Functions of floats that vISA has no instruction for, or only one that approximates. Coefficients are those of polynomials fitted
; at the nodes of Chebyshev, rounded to floats.

declare float @llvm.rint.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.genx.inv.f32(float)
declare float @llvm.genx.exp.f32(float)
declare float @llvm.genx.log.f32(float)
declare float @llvm.genx.sin.f32(float)
declare float @llvm.genx.cos.f32(float)
declare i1 @llvm.genx.any.v1i1(i1)
declare i32 @llvm.genx.umulh.i32(i32, i32)

; --- approximations: the instructions with their arguments scaled ---

define float @native.exp.f32(float %x) {
  %scaled = fmul float %x, 0x3FF7154760000000
  %result = call float @llvm.genx.exp.f32(float %scaled)
  ret float %result
}

define float @native.exp10.f32(float %x) {
  %scaled = fmul float %x, 0x400A934F00000000
  %result = call float @llvm.genx.exp.f32(float %scaled)
  ret float %result
}

define float @native.log.f32(float %x) {
  %log = call float @llvm.genx.log.f32(float %x)
  %result = fmul float %log, 0x3FE62E4300000000
  ret float %result
}

define float @native.log10.f32(float %x) {
  %log = call float @llvm.genx.log.f32(float %x)
  %result = fmul float %log, 0x3FD3441360000000
  ret float %result
}

define float @native.tan.f32(float %x) {
  %sin = call float @llvm.genx.sin.f32(float %x)
  %cos = call float @llvm.genx.cos.f32(float %x)
  %inverse = call float @llvm.genx.inv.f32(float %cos)
  %result = fmul float %sin, %inverse
  ret float %result
}

; --- quotients, powers of two ---

; A quotient by the approximated reciprocal and one step of correction.
define float @quotient(float %a, float %b) {
  %inverse = call float @llvm.genx.inv.f32(float %b)
  %near = fmul float %a, %inverse
  %minus = fneg float %near
  %rest = call float @llvm.fma.f32(float %minus, float %b, float %a)
  %result = call float @llvm.fma.f32(float %rest, float %inverse, float %near)
  ret float %result
}

; A number times a power of two, in two steps, so that neither factor leaves the range of floats: for exponents of at most 252.
define float @times.power(float %x, float %n) {
  %exponent = fptosi float %n to i32
  %first = ashr i32 %exponent, 1
  %second = sub i32 %exponent, %first
  %first.biased = add i32 %first, 127
  %second.biased = add i32 %second, 127
  %first.bits = shl i32 %first.biased, 23
  %second.bits = shl i32 %second.biased, 23
  %a = bitcast i32 %first.bits to float
  %b = bitcast i32 %second.bits to float
  %half = fmul float %x, %a
  %result = fmul float %half, %b
  ret float %result
}

; --- exponentials ---

; e^r - 1 for |r| up to half the logarithm of 2.
define float @exp.near(float %r) {
  %p4 = call float @llvm.fma.f32(float %r, float 0x3F2A12A420000000, float 0x3F56D49200000000)
  %p3 = call float @llvm.fma.f32(float %r, float %p4, float 0x3F81110E00000000)
  %p2 = call float @llvm.fma.f32(float %r, float %p3, float 0x3FA5554E40000000)
  %p1 = call float @llvm.fma.f32(float %r, float %p2, float 0x3FC5555560000000)
  %p0 = call float @llvm.fma.f32(float %r, float %p1, float 5.0e-01)
  %square = fmul float %r, %r
  %result = call float @llvm.fma.f32(float %square, float %p0, float %r)
  ret float %result
}

; The first number, within two limits; `maxnum` and `minnum` give a limit for what is no number.
define float @limited(float %x, float %least, float %most) {
  %above = call float @llvm.maxnum.f32(float %x, float %least)
  %result = call float @llvm.minnum.f32(float %above, float %most)
  ret float %result
}

; e^x times a power of two.
define float @exp.times(float %whole, float %power) {
  %x = call float @limited(float %whole, float -1.2e+02, float 1.0e+02)
  %scaled = fmul float %x, 0x3FF7154760000000
  %n = call float @llvm.rint.f32(float %scaled)
  %minus = fneg float %n
  %high = call float @llvm.fma.f32(float %minus, float 0x3FE62E4000000000, float %x)
  %r = call float @llvm.fma.f32(float %minus, float 0x3EB7F7D1C0000000, float %high)
  %part = call float @exp.near(float %r)
  %one = fadd float %part, 1.0e+00
  %exponent = fadd float %n, %power
  %power.of.e = call float @times.power(float %one, float %exponent)
  %no = fcmp uno float %whole, %whole
  %result = select i1 %no, float %whole, float %power.of.e
  ret float %result
}

define float @exp.f32(float %x) {
  %result = call float @exp.times(float %x, float 0.0e+00)
  ret float %result
}

define float @exp2.f32(float %whole) {
  %x = call float @limited(float %whole, float -1.6e+02, float 1.3e+02)
  %n = call float @llvm.rint.f32(float %x)
  %part = fsub float %x, %n
  %r = fmul float %part, 0x3FE62E4300000000
  %near = call float @exp.near(float %r)
  %one = fadd float %near, 1.0e+00
  %power = call float @times.power(float %one, float %n)
  %no = fcmp uno float %whole, %whole
  %result = select i1 %no, float %whole, float %power
  ret float %result
}

define float @exp10.f32(float %whole) {
  %x = call float @limited(float %whole, float -5.0e+01, float 4.0e+01)
  %scaled = fmul float %x, 0x400A934F00000000
  %n = call float @llvm.rint.f32(float %scaled)
  %minus = fneg float %n
  %high = call float @llvm.fma.f32(float %minus, float 0x3FD3440000000000, float %x)
  %rest = call float @llvm.fma.f32(float %minus, float 0x3ED3509F80000000, float %high)
  %r = fmul float %rest, 0x40026BB1C0000000
  %near = call float @exp.near(float %r)
  %one = fadd float %near, 1.0e+00
  %power = call float @times.power(float %one, float %n)
  %no = fcmp uno float %whole, %whole
  %result = select i1 %no, float %whole, float %power
  ret float %result
}

define float @expm1.f32(float %x) {
  %small = call float @exp.near(float %x)
  %power = call float @exp.times(float %x, float 0.0e+00)
  %less = fsub float %power, 1.0e+00
  %magnitude = call float @llvm.fabs.f32(float %x)
  %near = fcmp olt float %magnitude, 0x3FD62E4300000000
  %result = select i1 %near, float %small, float %less
  ret float %result
}

; --- logarithms ---

; A positive number as one from the root of a half to that of 2, less 1, and the exponent of its power of two.
define { float, float } @log.parts(float %x) {
  %small = fcmp olt float %x, 0x3810000000000000
  %larger = fmul float %x, 8.388608e+06
  %normal = select i1 %small, float %larger, float %x
  %less = select i1 %small, float -2.3e+01, float 0.0e+00
  %bits = bitcast float %normal to i32
  %above = sub i32 %bits, 1060439283
  %exponent = ashr i32 %above, 23
  %fraction = and i32 %above, 8388607
  %near.bits = add i32 %fraction, 1060439283
  %near = bitcast i32 %near.bits to float
  %f = fsub float %near, 1.0e+00
  %whole = sitofp i32 %exponent to float
  %e = fadd float %whole, %less
  %with = insertvalue { float, float } undef, float %f, 0
  %result = insertvalue { float, float } %with, float %e, 1
  ret { float, float } %result
}

; The logarithm of 1 + f, less f, from the root of a half to that of 2.
define float @log.rest(float %f) {
  %p8 = call float @llvm.fma.f32(float %f, float 0xBFAFC085A0000000, float 0x3FBAF593E0000000)
  %p7 = call float @llvm.fma.f32(float %f, float %p8, float 0xBFBB411B20000000)
  %p6 = call float @llvm.fma.f32(float %f, float %p7, float 0x3FBC41B680000000)
  %p5 = call float @llvm.fma.f32(float %f, float %p6, float 0xBFBFDFB760000000)
  %p4 = call float @llvm.fma.f32(float %f, float %p5, float 0x3FC24968A0000000)
  %p3 = call float @llvm.fma.f32(float %f, float %p4, float 0xBFC555C560000000)
  %p2 = call float @llvm.fma.f32(float %f, float %p3, float 0x3FC9999A80000000)
  %p1 = call float @llvm.fma.f32(float %f, float %p2, float 0xBFCFFFFF20000000)
  %p0 = call float @llvm.fma.f32(float %f, float %p1, float 0x3FD5555560000000)
  %square = fmul float %f, %f
  %cube = fmul float %square, %f
  %half = fmul float %square, -5.0e-01
  %result = call float @llvm.fma.f32(float %cube, float %p0, float %half)
  ret float %result
}

; The logarithm, with what it is of numbers that are not positive, or too large.
define float @log.of(float %x, float %log) {
  %negative = fcmp olt float %x, 0.0e+00
  %zero = fcmp oeq float %x, 0.0e+00
  %large = fcmp ueq float %x, 0x7FF0000000000000
  %a = select i1 %negative, float 0x7FF8000000000000, float %log
  %b = select i1 %zero, float 0xFFF0000000000000, float %a
  %result = select i1 %large, float %x, float %b
  ret float %result
}

define float @log.f32(float %x) {
  %parts = call { float, float } @log.parts(float %x)
  %f = extractvalue { float, float } %parts, 0
  %e = extractvalue { float, float } %parts, 1
  %rest = call float @log.rest(float %f)
  %low = call float @llvm.fma.f32(float %e, float 0x3EB7F7D1C0000000, float %rest)
  %near = fadd float %f, %low
  %log = call float @llvm.fma.f32(float %e, float 0x3FE62E4000000000, float %near)
  %result = call float @log.of(float %x, float %log)
  ret float %result
}

define float @log2.f32(float %x) {
  %parts = call { float, float } @log.parts(float %x)
  %f = extractvalue { float, float } %parts, 0
  %e = extractvalue { float, float } %parts, 1
  %rest = call float @log.rest(float %f)
  %near = fadd float %f, %rest
  %log = call float @llvm.fma.f32(float %near, float 0x3FF7154760000000, float %e)
  %result = call float @log.of(float %x, float %log)
  ret float %result
}

define float @log10.f32(float %x) {
  %parts = call { float, float } @log.parts(float %x)
  %f = extractvalue { float, float } %parts, 0
  %e = extractvalue { float, float } %parts, 1
  %rest = call float @log.rest(float %f)
  %near = fadd float %f, %rest
  %low = fmul float %e, 0x3ED3509F80000000
  %sum = call float @llvm.fma.f32(float %near, float 0x3FDBCB7B20000000, float %low)
  %log = call float @llvm.fma.f32(float %e, float 0x3FD3440000000000, float %sum)
  %result = call float @log.of(float %x, float %log)
  ret float %result
}

; Of a small number by itself, of others of the sum, with what its rounding lost.
define float @log1p.f32(float %x) {
  %rest = call float @log.rest(float %x)
  %small = fadd float %x, %rest
  %sum = fadd float %x, 1.0e+00
  %log = call float @log.f32(float %sum)
  %back = fsub float %sum, 1.0e+00
  %lost = fsub float %x, %back
  %inverse = call float @llvm.genx.inv.f32(float %sum)
  %corrected = call float @llvm.fma.f32(float %lost, float %inverse, float %log)
  %above = fcmp ogt float %x, -2.5e-01
  %below = fcmp olt float %x, 0x3FD99999A0000000
  %is.small = and i1 %above, %below
  %positive = fcmp ogt float %sum, 0.0e+00
  %loses = fcmp olt float %sum, 1.6777216e+07
  %right = and i1 %positive, %loses
  %large = select i1 %right, float %corrected, float %log
  %result = select i1 %is.small, float %small, float %large
  ret float %result
}

; --- powers ---

; The logarithm to the base 2 of a positive number, as the sum of two.
define { float, float } @log2.two(float %x) {
  %parts = call { float, float } @log.parts(float %x)
  %f = extractvalue { float, float } %parts, 0
  %e = extractvalue { float, float } %parts, 1
  %divisor = fadd float %f, 2.0e+00
  %divisor.back = fsub float %divisor, 2.0e+00
  %divisor.low = fsub float %f, %divisor.back
  %inverse = call float @llvm.genx.inv.f32(float %divisor)
  %s = fmul float %f, %inverse
  %minus.s = fneg float %s
  %rest = call float @llvm.fma.f32(float %minus.s, float %divisor, float %f)
  %rest.low = call float @llvm.fma.f32(float %minus.s, float %divisor.low, float %rest)
  %s.low = fmul float %rest.low, %inverse
  %square = fmul float %s, %s
  %p2 = call float @llvm.fma.f32(float %square, float 0x3FBDDD7C20000000, float 0x3FC245C1A0000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3FC9999EC0000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0x3FD5555560000000)
  %cube = fmul float %square, %s
  %tail = call float @llvm.fma.f32(float %cube, float %p0, float %s.low)
  %high = fmul float %s, 0x4007154760000000
  %minus.high = fneg float %high
  %lost = call float @llvm.fma.f32(float %s, float 0x4007154760000000, float %minus.high)
  %more = call float @llvm.fma.f32(float %s, float 0x3E64AE0C00000000, float %lost)
  %low = call float @llvm.fma.f32(float %tail, float 0x4007154760000000, float %more)
  %near = fadd float %high, %low
  %near.back = fsub float %near, %high
  %near.low = fsub float %low, %near.back
  %sum = fadd float %e, %near
  %sum.back = fsub float %sum, %e
  %sum.lost = fsub float %near, %sum.back
  %sum.low = fadd float %sum.lost, %near.low
  %with = insertvalue { float, float } undef, float %sum, 0
  %result = insertvalue { float, float } %with, float %sum.low, 1
  ret { float, float } %result
}

define float @pow.f32(float %x, float %y) {
  %magnitude = call float @llvm.fabs.f32(float %x)
  %logs = call { float, float } @log2.two(float %magnitude)
  %log = extractvalue { float, float } %logs, 0
  %log.low = extractvalue { float, float } %logs, 1
  %product = fmul float %log, %y
  %minus = fneg float %product
  %lost = call float @llvm.fma.f32(float %log, float %y, float %minus)
  %low = call float @llvm.fma.f32(float %log.low, float %y, float %lost)
  %within = call float @limited(float %product, float -2.0e+02, float 2.0e+02)
  %is.within = fcmp oeq float %within, %product
  %low.within = select i1 %is.within, float %low, float 0.0e+00
  %n = call float @llvm.rint.f32(float %within)
  %part = fsub float %within, %n
  %all = fadd float %part, %low.within
  %r = fmul float %all, 0x3FE62E4300000000
  %near = call float @exp.near(float %r)
  %one = fadd float %near, 1.0e+00
  %finite = call float @times.power(float %one, float %n)
  ; Of zero and of what is too large, by the sign of the exponent.
  %y.negative = fcmp olt float %y, 0.0e+00
  %zero = fcmp oeq float %x, 0.0e+00
  %infinite = fcmp oeq float %magnitude, 0x7FF0000000000000
  %inverted = select i1 %y.negative, float 0x7FF0000000000000, float 0.0e+00
  %kept = select i1 %y.negative, float 0.0e+00, float 0x7FF0000000000000
  %a = select i1 %zero, float %inverted, float %finite
  %b = select i1 %infinite, float %kept, float %a
  %is.one = fcmp oeq float %magnitude, 1.0e+00
  %c = select i1 %is.one, float 1.0e+00, float %b
  ; Of a negative number: of a whole exponent, with the sign of an odd one.
  %y.magnitude = call float @llvm.fabs.f32(float %y)
  %y.whole = call float @llvm.trunc.f32(float %y)
  %is.whole = fcmp oeq float %y.whole, %y
  %half = fmul float %y, 5.0e-01
  %half.whole = call float @llvm.trunc.f32(float %half)
  %is.half = fcmp une float %half.whole, %half
  %odd = and i1 %is.whole, %is.half
  %signed = call float @llvm.copysign.f32(float %c, float %x)
  %d = select i1 %odd, float %signed, float %c
  %negative = fcmp olt float %x, 0.0e+00
  %not.whole = fcmp one float %y.whole, %y
  %below.large = fcmp olt float %magnitude, 0x7FF0000000000000
  %no.a = and i1 %negative, %not.whole
  %no = and i1 %no.a, %below.large
  %e = select i1 %no, float 0x7FF8000000000000, float %d
  %no.number = fcmp uno float %x, %y
  %f = select i1 %no.number, float 0x7FF8000000000000, float %e
  %always = fcmp oeq float %x, 1.0e+00
  %never = fcmp oeq float %y, 0.0e+00
  %g = select i1 %always, float 1.0e+00, float %f
  %result = select i1 %never, float 1.0e+00, float %g
  ret float %result
}

; --- sine, cosine, tangent ---

; One of the parts of the bits of 2 / pi that begin at a dword, of five.
define i32 @chosen(i32 %place, i32 %a, i32 %b, i32 %c, i32 %d, i32 %e) {
  %is.1 = icmp eq i32 %place, 1
  %is.2 = icmp eq i32 %place, 2
  %is.3 = icmp eq i32 %place, 3
  %is.4 = icmp eq i32 %place, 4
  %v1 = select i1 %is.1, i32 %b, i32 %a
  %v2 = select i1 %is.2, i32 %c, i32 %v1
  %v3 = select i1 %is.3, i32 %d, i32 %v2
  %result = select i1 %is.4, i32 %e, i32 %v3
  ret i32 %result
}

; 32 bits of two dwords, from a bit on.
define i32 @window(i32 %high, i32 %low, i32 %bit) {
  %upper = shl i32 %high, %bit
  %half = lshr i32 %low, 1
  %left = sub i32 31, %bit
  %lower = lshr i32 %half, %left
  %result = or i32 %upper, %lower
  ret i32 %result
}

; The rest of a large magnitude by pi / 2, and the lower bits of the quotient (Payne and Hanek, "Radian reduction for trigonometric
; functions"): the bits of 2 / pi from the place where they still matter are multiplied by the digits of the number.
define { float, i32 } @reduced.large(float %x) {
  %bits = bitcast float %x to i32
  %biased = lshr i32 %bits, 23
  %fraction = and i32 %bits, 8388607
  %digits = or i32 %fraction, 8388608
  %first.raw = sub i32 %biased, 120
  %place.raw = lshr i32 %first.raw, 5
  %place = and i32 %place.raw, 7
  %bit = and i32 %first.raw, 31
  %d0 = call i32 @chosen(i32 %place, i32 0, i32 -1560706194, i32 1313084713, i32 -64530479, i32 -181084736)
  %d1 = call i32 @chosen(i32 %place, i32 -1560706194, i32 1313084713, i32 -64530479, i32 -181084736, i32 -614296167)
  %d2 = call i32 @chosen(i32 %place, i32 1313084713, i32 -64530479, i32 -181084736, i32 -614296167, i32 1011060801)
  %d3 = call i32 @chosen(i32 %place, i32 -64530479, i32 -181084736, i32 -614296167, i32 1011060801, i32 -28220501)
  %w0 = call i32 @window(i32 %d0, i32 %d1, i32 %bit)
  %w1 = call i32 @window(i32 %d1, i32 %d2, i32 %bit)
  %w2 = call i32 @window(i32 %d2, i32 %d3, i32 %bit)
  %p0 = mul i32 %digits, %w0
  %p1 = mul i32 %digits, %w1
  %h1 = call i32 @llvm.genx.umulh.i32(i32 %digits, i32 %w1)
  %h2 = call i32 @llvm.genx.umulh.i32(i32 %digits, i32 %w2)
  %middle = add i32 %p1, %h2
  %carries = icmp ult i32 %middle, %p1
  %sum = add i32 %p0, %h1
  %more = add i32 %sum, 1
  %top = select i1 %carries, i32 %more, i32 %sum
  ; Quarters of a turn, rounded; the rest has the two dwords below.
  %rounded = add i32 %top, 536870912
  %quarter = lshr i32 %rounded, 30
  %quarters = shl i32 %quarter, 30
  %rest = sub i32 %top, %quarters
  %carry = lshr i32 %middle, 31
  %rest.next = add i32 %rest, %carry
  %a = sitofp i32 %rest.next to float
  %b = sitofp i32 %middle to float
  %b.scaled = fmul float %b, 0x3DF0000000000000
  %both = fadd float %a, %b.scaled
  %r = fmul float %both, 0x3E1921FB60000000
  %with = insertvalue { float, i32 } undef, float %r, 0
  %result = insertvalue { float, i32 } %with, i32 %quarter, 1
  ret { float, i32 } %result
}

; The rest of a magnitude by pi / 2, at most half of it, and the lower bits of the quotient. Each product is exact, or as good as
; the rest, up to 65536.
define { float, i32 } @reduced(float %x) {
entry:
  %quotient = fmul float %x, 0x3FE45F3060000000
  %limited = call float @llvm.minnum.f32(float %quotient, float 6.5536e+04)
  %n = call float @llvm.rint.f32(float %limited)
  %minus = fneg float %n
  %r0 = call float @llvm.fma.f32(float %minus, float 0x3FF921FB60000000, float %x)
  %r1 = call float @llvm.fma.f32(float %minus, float 0xBE6777A5C0000000, float %r0)
  %r2 = call float @llvm.fma.f32(float %minus, float 0xBCDEE59DA0000000, float %r1)
  %q = fptosi float %n to i32
  %large = fcmp oge float %x, 6.5536e+04
  %some = call i1 @llvm.genx.any.v1i1(i1 %large)
  br i1 %some, label %far, label %done

far:
  %others = call { float, i32 } @reduced.large(float %x)
  %r.far = extractvalue { float, i32 } %others, 0
  %q.far = extractvalue { float, i32 } %others, 1
  br label %done

done:
  %r.large = phi float [ %r2, %entry ], [ %r.far, %far ]
  %q.large = phi i32 [ %q, %entry ], [ %q.far, %far ]
  %r = select i1 %large, float %r.large, float %r2
  %k = select i1 %large, i32 %q.large, i32 %q
  ; No number, and what is too large, have none.
  %none = fcmp uge float %x, 0x7FF0000000000000
  %rest = select i1 %none, float 0x7FF8000000000000, float %r
  %with = insertvalue { float, i32 } undef, float %rest, 0
  %result = insertvalue { float, i32 } %with, i32 %k, 1
  ret { float, i32 } %result
}

define float @sin.near(float %r) {
  %square = fmul float %r, %r
  %p2 = call float @llvm.fma.f32(float %square, float 0x3EC6DA8EC0000000, float 0xBF2A013660000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3F811110E0000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0xBFC5555560000000)
  %cube = fmul float %square, %r
  %result = call float @llvm.fma.f32(float %cube, float %p0, float %r)
  ret float %result
}

define float @cos.near(float %r) {
  %square = fmul float %r, %r
  %p2 = call float @llvm.fma.f32(float %square, float 0xBE92516360000000, float 0x3EFA015980000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0xBF56C16C00000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0x3FA5555560000000)
  %half = call float @llvm.fma.f32(float %square, float -5.0e-01, float 1.0e+00)
  %fourth = fmul float %square, %square
  %result = call float @llvm.fma.f32(float %fourth, float %p0, float %half)
  ret float %result
}

; The sine of a rest after so many quarters of a turn.
define float @sin.turned(float %r, i32 %quarters) {
  %sin = call float @sin.near(float %r)
  %cos = call float @cos.near(float %r)
  %odd = and i32 %quarters, 1
  %is.odd = icmp ne i32 %odd, 0
  %value = select i1 %is.odd, float %cos, float %sin
  %half = and i32 %quarters, 2
  %sign = shl i32 %half, 30
  %bits = bitcast float %value to i32
  %turned = xor i32 %bits, %sign
  %result = bitcast i32 %turned to float
  ret float %result
}

define float @sin.f32(float %x) {
  %magnitude = call float @llvm.fabs.f32(float %x)
  %parts = call { float, i32 } @reduced(float %magnitude)
  %r = extractvalue { float, i32 } %parts, 0
  %k = extractvalue { float, i32 } %parts, 1
  %value = call float @sin.turned(float %r, i32 %k)
  %bits = bitcast float %value to i32
  %x.bits = bitcast float %x to i32
  %sign = and i32 %x.bits, -2147483648
  %signed = xor i32 %bits, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define float @cos.f32(float %x) {
  %magnitude = call float @llvm.fabs.f32(float %x)
  %parts = call { float, i32 } @reduced(float %magnitude)
  %r = extractvalue { float, i32 } %parts, 0
  %k = extractvalue { float, i32 } %parts, 1
  %next = add i32 %k, 1
  %result = call float @sin.turned(float %r, i32 %next)
  ret float %result
}

define float @tan.f32(float %x) {
  %magnitude = call float @llvm.fabs.f32(float %x)
  %parts = call { float, i32 } @reduced(float %magnitude)
  %r = extractvalue { float, i32 } %parts, 0
  %k = extractvalue { float, i32 } %parts, 1
  %square = fmul float %r, %r
  %p6 = call float @llvm.fma.f32(float %square, float 0x3F5E0E2920000000, float 0xBF17D97060000000)
  %p5 = call float @llvm.fma.f32(float %square, float %p6, float 0x3F726B3CC0000000)
  %p4 = call float @llvm.fma.f32(float %square, float %p5, float 0x3F81933DA0000000)
  %p3 = call float @llvm.fma.f32(float %square, float %p4, float 0x3F96712D00000000)
  %p2 = call float @llvm.fma.f32(float %square, float %p3, float 0x3FABA13CA0000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3FC1111200000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0x3FD5555560000000)
  %cube = fmul float %square, %r
  %tan = call float @llvm.fma.f32(float %cube, float %p0, float %r)
  %inverse = call float @quotient(float -1.0e+00, float %tan)
  %odd = and i32 %k, 1
  %is.odd = icmp ne i32 %odd, 0
  %value = select i1 %is.odd, float %inverse, float %tan
  %bits = bitcast float %value to i32
  %x.bits = bitcast float %x to i32
  %sign = and i32 %x.bits, -2147483648
  %signed = xor i32 %bits, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

; --- their inverses ---

; The arc tangent, for magnitudes up to the tangent of pi / 8.
define float @atan.near(float %r) {
  %square = fmul float %r, %r
  %p3 = call float @llvm.fma.f32(float %square, float 0xBFB083C360000000, float 0x3FBB80D6C0000000)
  %p2 = call float @llvm.fma.f32(float %square, float %p3, float 0xBFC2420140000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3FC9997300000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0xBFD5555540000000)
  %cube = fmul float %square, %r
  %result = call float @llvm.fma.f32(float %cube, float %p0, float %r)
  ret float %result
}

define float @atan.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %far = fcmp ogt float %a, 0x4003504F40000000
  %middle = fcmp ogt float %a, 0x3FDA827A00000000
  %inverse = call float @quotient(float -1.0e+00, float %a)
  %infinite = fcmp oeq float %a, 0x7FF0000000000000
  %far.part = select i1 %infinite, float 0.0e+00, float %inverse
  %less = fsub float %a, 1.0e+00
  %more = fadd float %a, 1.0e+00
  %middle.part = call float @quotient(float %less, float %more)
  %near.part = select i1 %middle, float %middle.part, float %a
  %r = select i1 %far, float %far.part, float %near.part
  %base.near = select i1 %middle, float 0x3FE921FB60000000, float 0.0e+00
  %base = select i1 %far, float 0x3FF921FB60000000, float %base.near
  %angle = call float @atan.near(float %r)
  %sum = fadd float %base, %angle
  %result = call float @llvm.copysign.f32(float %sum, float %x)
  ret float %result
}

define float @atan2.f32(float %y, float %x) {
  %a = call float @llvm.fabs.f32(float %y)
  %b = call float @llvm.fabs.f32(float %x)
  %most = call float @llvm.maxnum.f32(float %a, float %b)
  %least = call float @llvm.minnum.f32(float %a, float %b)
  ; Both are scaled, so that neither the inverse nor the sum leaves the range of floats.
  %large = fcmp ogt float %most, 0x44F0000000000000
  %small = fcmp olt float %most, 0x3B00000000000000
  %up = select i1 %small, float 0x44F0000000000000, float 1.0e+00
  %scale = select i1 %large, float 0x3AF0000000000000, float %up
  %m = fmul float %most, %scale
  %l = fmul float %least, %scale
  %q = call float @quotient(float %l, float %m)
  %less = fsub float %l, %m
  %more = fadd float %l, %m
  %q.middle = call float @quotient(float %less, float %more)
  %middle = fcmp ogt float %q, 0x3FDA827A00000000
  %r.some = select i1 %middle, float %q.middle, float %q
  %base.some = select i1 %middle, float 0x3FE921FB60000000, float 0.0e+00
  %zero = fcmp oeq float %most, 0.0e+00
  %y.infinite = fcmp oeq float %a, 0x7FF0000000000000
  %x.infinite = fcmp oeq float %b, 0x7FF0000000000000
  %both = and i1 %y.infinite, %x.infinite
  %one = or i1 %y.infinite, %x.infinite
  %none = or i1 %zero, %one
  %r = select i1 %none, float 0.0e+00, float %r.some
  %base.one = select i1 %none, float 0.0e+00, float %base.some
  %base = select i1 %both, float 0x3FE921FB60000000, float %base.one
  %angle = call float @atan.near(float %r)
  %sum = fadd float %base, %angle
  %steep = fcmp ogt float %a, %b
  %other = fsub float 0x3FF921FB60000000, %sum
  %first = select i1 %steep, float %other, float %sum
  %x.bits = bitcast float %x to i32
  %left = icmp slt i32 %x.bits, 0
  %mirrored = fsub float 0x400921FB60000000, %first
  %half = select i1 %left, float %mirrored, float %first
  %signed = call float @llvm.copysign.f32(float %half, float %y)
  %no = fcmp uno float %x, %y
  %result = select i1 %no, float 0x7FF8000000000000, float %signed
  ret float %result
}

; The arc sine, for magnitudes up to a half.
define float @asin.near(float %r) {
  %square = fmul float %r, %r
  %p4 = call float @llvm.fma.f32(float %square, float 0x3FA14138C0000000, float 0x3F918E1F60000000)
  %p3 = call float @llvm.fma.f32(float %square, float %p4, float 0x3F9FD921A0000000)
  %p2 = call float @llvm.fma.f32(float %square, float %p3, float 0x3FA6D5B8E0000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3FB3334320000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0x3FC5555540000000)
  %cube = fmul float %square, %r
  %result = call float @llvm.fma.f32(float %cube, float %p0, float %r)
  ret float %result
}

; The arc sine of the root of half of what is left to 1, twice: the arc cosine of a magnitude above a half.
define float @acos.above(float %a) {
  %left = fsub float 1.0e+00, %a
  %half = fmul float %left, 5.0e-01
  %root = call float @root(float %half)
  %angle = call float @asin.near(float %root)
  %result = fmul float %angle, 2.0e+00
  ret float %result
}

declare float @llvm.genx.rsqrt.f32(float)

; A root by the approximated inverse root and one step of correction, of a number from 0 to 1.
define float @root(float %x) {
  %inverse = call float @llvm.genx.rsqrt.f32(float %x)
  %near = fmul float %x, %inverse
  %minus = fneg float %near
  %rest = call float @llvm.fma.f32(float %minus, float %near, float %x)
  %half = fmul float %inverse, 5.0e-01
  %better = call float @llvm.fma.f32(float %rest, float %half, float %near)
  %zero = fcmp oeq float %x, 0.0e+00
  %result = select i1 %zero, float %x, float %better
  ret float %result
}

define float @asin.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %near = call float @asin.near(float %a)
  %rest = call float @acos.above(float %a)
  %other = fsub float 0x3FF921FB60000000, %rest
  %above = fcmp ogt float %a, 5.0e-01
  %angle = select i1 %above, float %other, float %near
  %signed = call float @llvm.copysign.f32(float %angle, float %x)
  %no = fcmp ugt float %a, 1.0e+00
  %result = select i1 %no, float 0x7FF8000000000000, float %signed
  ret float %result
}

define float @acos.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %near = call float @asin.near(float %x)
  %between = fsub float 0x3FF921FB60000000, %near
  %rest = call float @acos.above(float %a)
  %mirrored = fsub float 0x400921FB60000000, %rest
  %negative = fcmp olt float %x, 0.0e+00
  %far = select i1 %negative, float %mirrored, float %rest
  %above = fcmp ogt float %a, 5.0e-01
  %angle = select i1 %above, float %far, float %between
  %no = fcmp ugt float %a, 1.0e+00
  %result = select i1 %no, float 0x7FF8000000000000, float %angle
  ret float %result
}

; --- hyperbolic functions ---

define float @sinh.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %square = fmul float %a, %a
  %p2 = call float @llvm.fma.f32(float %square, float 0x3EC78A70E0000000, float 0x3F2A009000000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3F811111E0000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0x3FC5555560000000)
  %cube = fmul float %square, %a
  %small = call float @llvm.fma.f32(float %cube, float %p0, float %a)
  %half = call float @exp.times(float %a, float -1.0e+00)
  %quarter = call float @quotient(float 2.5e-01, float %half)
  %large.enough = fcmp ogt float %a, 2.0e+01
  %other = select i1 %large.enough, float 0.0e+00, float %quarter
  %large = fsub float %half, %other
  %near = fcmp olt float %a, 1.0e+00
  %value = select i1 %near, float %small, float %large
  %result = call float @llvm.copysign.f32(float %value, float %x)
  ret float %result
}

define float @cosh.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %half = call float @exp.times(float %a, float -1.0e+00)
  %quarter = call float @quotient(float 2.5e-01, float %half)
  %large = fcmp ogt float %a, 2.0e+01
  %other = select i1 %large, float 0.0e+00, float %quarter
  %result = fadd float %half, %other
  ret float %result
}

define float @tanh.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %square = fmul float %a, %a
  %p4 = call float @llvm.fma.f32(float %square, float 0x3F62C7D780000000, float 0xBF81168B40000000)
  %p3 = call float @llvm.fma.f32(float %square, float %p4, float 0x3F964A9400000000)
  %p2 = call float @llvm.fma.f32(float %square, float %p3, float 0xBFABA08C20000000)
  %p1 = call float @llvm.fma.f32(float %square, float %p2, float 0x3FC1110EA0000000)
  %p0 = call float @llvm.fma.f32(float %square, float %p1, float 0xBFD5555560000000)
  %cube = fmul float %square, %a
  %small = call float @llvm.fma.f32(float %cube, float %p0, float %a)
  %twice = fadd float %a, %a
  %within = call float @llvm.minnum.f32(float %twice, float 4.0e+01)
  %power = call float @exp.f32(float %within)
  %more = fadd float %power, 1.0e+00
  %part = call float @quotient(float 2.0e+00, float %more)
  %large = fsub float 1.0e+00, %part
  %near = fcmp olt float %a, 6.25e-01
  %value = select i1 %near, float %small, float %large
  %signed = call float @llvm.copysign.f32(float %value, float %x)
  %no = fcmp uno float %x, %x
  %result = select i1 %no, float %x, float %signed
  ret float %result
}

; --- rounding, extremes ---

; To the nearest, halves away from zero.
define float @round.f32(float %x) {
  %whole = call float @llvm.trunc.f32(float %x)
  %part = fsub float %x, %whole
  %magnitude = call float @llvm.fabs.f32(float %part)
  %up = fcmp oge float %magnitude, 5.0e-01
  %step = select i1 %up, float 1.0e+00, float 0.0e+00
  %signed = call float @llvm.copysign.f32(float %step, float %x)
  %sum = fadd float %whole, %signed
  %result = call float @llvm.copysign.f32(float %sum, float %x)
  ret float %result
}

; The extremes of floats whose zeros have an order: of equal numbers, the bits of both or of one.
define float @maximumnum.f32(float %a, float %b) {
  %most = call float @llvm.maxnum.f32(float %a, float %b)
  %a.bits = bitcast float %a to i32
  %b.bits = bitcast float %b to i32
  %bits = and i32 %a.bits, %b.bits
  %both = bitcast i32 %bits to float
  %equal = fcmp oeq float %a, %b
  %result = select i1 %equal, float %both, float %most
  ret float %result
}

define float @minimumnum.f32(float %a, float %b) {
  %least = call float @llvm.minnum.f32(float %a, float %b)
  %a.bits = bitcast float %a to i32
  %b.bits = bitcast float %b to i32
  %bits = or i32 %a.bits, %b.bits
  %both = bitcast i32 %bits to float
  %equal = fcmp oeq float %a, %b
  %result = select i1 %equal, float %both, float %least
  ret float %result
}

define float @maximum.f32(float %a, float %b) {
  %most = call float @maximumnum.f32(float %a, float %b)
  %no = fcmp uno float %a, %b
  %result = select i1 %no, float 0x7FF8000000000000, float %most
  ret float %result
}

define float @minimum.f32(float %a, float %b) {
  %least = call float @minimumnum.f32(float %a, float %b)
  %no = fcmp uno float %a, %b
  %result = select i1 %no, float 0x7FF8000000000000, float %least
  ret float %result
}
