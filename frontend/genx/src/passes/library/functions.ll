; Functions of several types of numbers, or with several results. Exponents are dwords; functions of halves are those of floats.

declare float @llvm.rint.f32(float)
declare float @llvm.trunc.f32(float)
declare double @llvm.trunc.f64(double)
declare float @llvm.floor.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.copysign.f64(double, double)
declare float @llvm.sin.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.asin.f32(float)
declare float @llvm.acos.f32(float)
declare float @llvm.atan.f32(float)
declare float @llvm.atan2.f32(float, float)
declare float @llvm.exp.f32(float)
declare float @llvm.log.f32(float)
declare float @llvm.pow.f32(float, float)
declare float @llvm.kiln.log1p.f32(float)
declare i8 @llvm.smax.i8(i8, i8)
declare i8 @llvm.smin.i8(i8, i8)
declare i8 @llvm.umax.i8(i8, i8)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.fshl.i8(i8, i8, i8)
declare i16 @llvm.smax.i16(i16, i16)
declare i16 @llvm.smin.i16(i16, i16)
declare i16 @llvm.umax.i16(i16, i16)
declare i16 @llvm.umin.i16(i16, i16)
declare i16 @llvm.fshl.i16(i16, i16, i16)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i1 @llvm.genx.any.v1i1(i1)

; --- powers of two and their exponents ---

; The power in up to three factors; the last is the only one that rounds.
define float @ldexp.f32(float %x, i32 %n) {
  %above = icmp sgt i32 %n, 127
  %x.up = fmul float %x, 0x47E0000000000000
  %n.up = sub i32 %n, 127
  %x.1 = select i1 %above, float %x.up, float %x
  %n.1 = select i1 %above, i32 %n.up, i32 %n
  %above.2 = icmp sgt i32 %n.1, 127
  %x.up.2 = fmul float %x.1, 0x47E0000000000000
  %n.up.2 = sub i32 %n.1, 127
  %x.2 = select i1 %above.2, float %x.up.2, float %x.1
  %n.2 = select i1 %above.2, i32 %n.up.2, i32 %n.1
  %most = icmp slt i32 %n.2, 127
  %n.3 = select i1 %most, i32 %n.2, i32 127
  %below = icmp slt i32 %n.3, -126
  %x.down = fmul float %x.2, 0x3990000000000000
  %n.down = add i32 %n.3, 102
  %x.4 = select i1 %below, float %x.down, float %x.2
  %n.4 = select i1 %below, i32 %n.down, i32 %n.3
  %below.2 = icmp slt i32 %n.4, -126
  %x.down.2 = fmul float %x.4, 0x3990000000000000
  %n.down.2 = add i32 %n.4, 102
  %x.5 = select i1 %below.2, float %x.down.2, float %x.4
  %n.5 = select i1 %below.2, i32 %n.down.2, i32 %n.4
  %least = icmp sgt i32 %n.5, -126
  %n.6 = select i1 %least, i32 %n.5, i32 -126
  %exponent = add i32 %n.6, 127
  %bits = shl i32 %exponent, 23
  %power = bitcast i32 %bits to float
  %result = fmul float %x.5, %power
  ret float %result
}

; The power in up to three factors; the last is the only one that rounds.
define double @ldexp.f64(double %x, i32 %n) {
  %above = icmp sgt i32 %n, 1023
  %x.up = fmul double %x, 0x7FE0000000000000
  %n.up = sub i32 %n, 1023
  %x.1 = select i1 %above, double %x.up, double %x
  %n.1 = select i1 %above, i32 %n.up, i32 %n
  %above.2 = icmp sgt i32 %n.1, 1023
  %x.up.2 = fmul double %x.1, 0x7FE0000000000000
  %n.up.2 = sub i32 %n.1, 1023
  %x.2 = select i1 %above.2, double %x.up.2, double %x.1
  %n.2 = select i1 %above.2, i32 %n.up.2, i32 %n.1
  %most = icmp slt i32 %n.2, 1023
  %n.3 = select i1 %most, i32 %n.2, i32 1023
  %below = icmp slt i32 %n.3, -1022
  %x.down = fmul double %x.2, 0x0360000000000000
  %n.down = add i32 %n.3, 969
  %x.4 = select i1 %below, double %x.down, double %x.2
  %n.4 = select i1 %below, i32 %n.down, i32 %n.3
  %below.2 = icmp slt i32 %n.4, -1022
  %x.down.2 = fmul double %x.4, 0x0360000000000000
  %n.down.2 = add i32 %n.4, 969
  %x.5 = select i1 %below.2, double %x.down.2, double %x.4
  %n.5 = select i1 %below.2, i32 %n.down.2, i32 %n.4
  %least = icmp sgt i32 %n.5, -1022
  %n.6 = select i1 %least, i32 %n.5, i32 -1022
  %exponent = add i32 %n.6, 1023
  %wide = zext i32 %exponent to i64
  %bits = shl i64 %wide, 52
  %power = bitcast i64 %bits to double
  %result = fmul double %x.5, %power
  ret double %result
}

define { float, i32 } @frexp.f32(float %x) {
  %x.bits = bitcast float %x to i32
  %abs = and i32 %x.bits, 2147483647
  %small = icmp ult i32 %abs, 8388608
  %scaled = fmul float %x, 0x4180000000000000
  %whole = select i1 %small, float %scaled, float %x
  %bits = bitcast float %whole to i32
  %up = lshr i32 %bits, 23
  %up.32 = or i32 %up, 0
  %exponent = and i32 %up.32, 255
  %less = select i1 %small, i32 151, i32 126
  %n = sub i32 %exponent, %less
  %fraction = and i32 %bits, -2139095041
  %half = or i32 %fraction, 1056964608
  %value = bitcast i32 %half to float
  ; Zeros, infinities and NaNs have no exponent.
  %beyond = sub i32 %abs, 1
  %regular = icmp ult i32 %beyond, 2139095039
  %result = select i1 %regular, float %value, float %x
  %number = select i1 %regular, i32 %n, i32 0
  %first = insertvalue { float, i32 } undef, float %result, 0
  %both = insertvalue { float, i32 } %first, i32 %number, 1
  ret { float, i32 } %both
}

define { double, i32 } @frexp.f64(double %x) {
  %x.bits = bitcast double %x to i64
  %abs = and i64 %x.bits, 9223372036854775807
  %small = icmp ult i64 %abs, 4503599627370496
  %scaled = fmul double %x, 0x4350000000000000
  %whole = select i1 %small, double %scaled, double %x
  %bits = bitcast double %whole to i64
  %up = lshr i64 %bits, 52
  %up.32 = trunc i64 %up to i32
  %exponent = and i32 %up.32, 2047
  %less = select i1 %small, i32 1076, i32 1022
  %n = sub i32 %exponent, %less
  %fraction = and i64 %bits, -9218868437227405313
  %half = or i64 %fraction, 4602678819172646912
  %value = bitcast i64 %half to double
  ; Zeros, infinities and NaNs have no exponent.
  %beyond = sub i64 %abs, 1
  %regular = icmp ult i64 %beyond, 9218868437227405311
  %result = select i1 %regular, double %value, double %x
  %number = select i1 %regular, i32 %n, i32 0
  %first = insertvalue { double, i32 } undef, double %result, 0
  %both = insertvalue { double, i32 } %first, i32 %number, 1
  ret { double, i32 } %both
}

define { float, float } @modf.f32(float %x) {
  %whole = call float @llvm.trunc.f32(float %x)
  %rest = fsub float %x, %whole
  ; Nothing is left of an infinity.
  %bits = bitcast float %x to i32
  %abs = and i32 %bits, 2147483647
  %infinite = icmp eq i32 %abs, 2139095040
  %part = select i1 %infinite, float 0.0e+00, float %rest
  %signed = call float @llvm.copysign.f32(float %part, float %x)
  %first = insertvalue { float, float } undef, float %signed, 0
  %both = insertvalue { float, float } %first, float %whole, 1
  ret { float, float } %both
}

; Squares of the base for the bits of the exponent, and the reciprocal of the product for one below 0.
define float @powi.f32(float %x, i32 %n) {
  %minus = icmp slt i32 %n, 0
  %opposite = sub i32 0, %n
  %left.0 = select i1 %minus, i32 %opposite, i32 %n
  br label %again
again:
  %left = phi i32 [ %left.0, %0 ], [ %left.next, %body ]
  %base = phi float [ %x, %0 ], [ %base.next, %body ]
  %product = phi float [ 1.0e+00, %0 ], [ %product.next, %body ]
  %open = icmp ne i32 %left, 0
  %some = call i1 @llvm.genx.any.v1i1(i1 %open)
  br i1 %some, label %body, label %done
body:
  %lowest = and i32 %left, 1
  %odd = icmp ne i32 %lowest, 0
  %more = fmul float %product, %base
  %product.next = select i1 %odd, float %more, float %product
  %base.next = fmul float %base, %base
  %left.next = lshr i32 %left, 1
  br label %again
done:
  %inverse = fdiv arcp float 1.0e+00, %product
  %result = select i1 %minus, float %inverse, float %product
  ret float %result
}

define { double, double } @modf.f64(double %x) {
  %whole = call double @llvm.trunc.f64(double %x)
  %rest = fsub double %x, %whole
  ; Nothing is left of an infinity.
  %bits = bitcast double %x to i64
  %abs = and i64 %bits, 9223372036854775807
  %infinite = icmp eq i64 %abs, 9218868437227405312
  %part = select i1 %infinite, double 0.0e+00, double %rest
  %signed = call double @llvm.copysign.f64(double %part, double %x)
  %first = insertvalue { double, double } undef, double %signed, 0
  %both = insertvalue { double, double } %first, double %whole, 1
  ret { double, double } %both
}

; Squares of the base for the bits of the exponent, and the reciprocal of the product for one below 0.
define double @powi.f64(double %x, i32 %n) {
  %minus = icmp slt i32 %n, 0
  %opposite = sub i32 0, %n
  %left.0 = select i1 %minus, i32 %opposite, i32 %n
  br label %again
again:
  %left = phi i32 [ %left.0, %0 ], [ %left.next, %body ]
  %base = phi double [ %x, %0 ], [ %base.next, %body ]
  %product = phi double [ 1.0e+00, %0 ], [ %product.next, %body ]
  %open = icmp ne i32 %left, 0
  %some = call i1 @llvm.genx.any.v1i1(i1 %open)
  br i1 %some, label %body, label %done
body:
  %lowest = and i32 %left, 1
  %odd = icmp ne i32 %lowest, 0
  %more = fmul double %product, %base
  %product.next = select i1 %odd, double %more, double %product
  %base.next = fmul double %base, %base
  %left.next = lshr i32 %left, 1
  br label %again
done:
  %inverse = fdiv double 1.0e+00, %product
  %result = select i1 %minus, double %inverse, double %product
  ret double %result
}

; A root of a number below 0 has a sign if it is odd.
define float @rootn.f32(float %x, i32 %n) {
  %odd.bit = and i32 %n, 1
  %odd = icmp ne i32 %odd.bit, 0
  %magnitude = call float @llvm.fabs.f32(float %x)
  %base = select i1 %odd, float %magnitude, float %x
  %number = sitofp i32 %n to float
  %inverse = fdiv arcp float 1.0e+00, %number
  %root = call float @llvm.pow.f32(float %base, float %inverse)
  %signed = call float @llvm.copysign.f32(float %root, float %x)
  %even = call float @llvm.fabs.f32(float %root)
  %result = select i1 %odd, float %signed, float %even
  %none = icmp eq i32 %n, 0
  %checked = select i1 %none, float 0x7FF8000000000000, float %result
  ret float %checked
}

; A third of the logarithm, and one step of Newton's method.
define float @cbrt.f32(float %x) {
  %abs = call float @llvm.fabs.f32(float %x)
  %near = call float @llvm.pow.f32(float %abs, float 0x3FD5555560000000)
  %square = fmul float %near, %near
  %other = fdiv arcp float %abs, %square
  %twice = fadd float %near, %near
  %sum = fadd float %twice, %other
  %better = fmul float %sum, 0x3FD5555560000000
  ; Neither zeros and infinities nor what is squared to one of them gets better.
  %finite = fcmp ord float %better, %better
  %large = fcmp ogt float %abs, 0x3810000000000000
  %infinite = fcmp oeq float %abs, 0x7FF0000000000000
  %some = and i1 %finite, %large
  %none = xor i1 %infinite, true
  %regular = and i1 %some, %none
  %root = select i1 %regular, float %better, float %near
  %signed = call float @llvm.copysign.f32(float %root, float %x)
  ret float %signed
}

define i32 @ilogb.f32(float %x) {
  %pair = call { float, i32 } @frexp.f32(float %x)
  %n = extractvalue { float, i32 } %pair, 1
  %less = sub i32 %n, 1
  %zero = fcmp oeq float %x, 0.0e+00
  %abs = call float @llvm.fabs.f32(float %x)
  %finite = fcmp olt float %abs, 0x7FF0000000000000
  %most = select i1 %finite, i32 %less, i32 2147483647
  %result = select i1 %zero, i32 -2147483648, i32 %most
  ret i32 %result
}

define float @logb.f32(float %x) {
  %n = call i32 @ilogb.f32(float %x)
  %number = sitofp i32 %n to float
  %zero = fcmp oeq float %x, 0.0e+00
  %abs = call float @llvm.fabs.f32(float %x)
  %finite = fcmp olt float %abs, 0x7FF0000000000000
  %most = select i1 %finite, float %number, float %abs
  %result = select i1 %zero, float 0xFFF0000000000000, float %most
  ret float %result
}

define float @nextafter.f32(float %x, float %y) {
  %bits = bitcast float %x to i32
  %zero = fcmp oeq float %x, 0.0e+00
  %up = fcmp olt float %x, %y
  %plus = icmp sge i32 %bits, 0
  %away = xor i1 %up, %plus
  %step = select i1 %away, i32 -1, i32 1
  %moved = add i32 %bits, %step
  %least = call float @llvm.copysign.f32(float 0x36A0000000000000, float %y)
  %next = bitcast i32 %moved to float
  %other = select i1 %zero, float %least, float %next
  %same = fcmp oeq float %x, %y
  %kept = select i1 %same, float %y, float %other
  %no = fcmp uno float %x, %y
  %result = select i1 %no, float 0x7FF8000000000000, float %kept
  ret float %result
}

; --- angles ---

define { float, float } @sincos.f32(float %x) {
  %sin = call float @llvm.sin.f32(float %x)
  %cos = call float @llvm.cos.f32(float %x)
  %first = insertvalue { float, float } undef, float %sin, 0
  %both = insertvalue { float, float } %first, float %cos, 1
  ret { float, float } %both
}

define { double, double } @sincos.f64(double %x) {
  %sin = call double @llvm.sin.f64(double %x)
  %cos = call double @llvm.cos.f64(double %x)
  %first = insertvalue { double, double } undef, double %sin, 0
  %both = insertvalue { double, double } %first, double %cos, 1
  ret { double, double } %both
}

; The rest of a division by two is exact, and is turned to at most a half.
define float @turned(float %x) {
  %half = fmul float %x, 5.0e-01
  %whole = call float @llvm.rint.f32(float %half)
  %rest = call float @llvm.fma.f32(float %whole, float -2.0e+00, float %x)
  ret float %rest
}

define float @sinpi.f32(float %x) {
  %rest = call float @turned(float %x)
  %abs = call float @llvm.fabs.f32(float %rest)
  %other = fsub float 1.0e+00, %abs
  %far = fcmp ogt float %abs, 5.0e-01
  %near = select i1 %far, float %other, float %abs
  %angle = fmul float %near, 0x400921FB60000000
  %sin = call float @llvm.sin.f32(float %angle)
  %signed = call float @llvm.copysign.f32(float %sin, float %rest)
  ; Whole numbers give zeros with their signs.
  %zero = fcmp oeq float %near, 0.0e+00
  %none = call float @llvm.copysign.f32(float 0.0e+00, float %x)
  %result = select i1 %zero, float %none, float %signed
  ret float %result
}

define float @cospi.f32(float %x) {
  %rest = call float @turned(float %x)
  %abs = call float @llvm.fabs.f32(float %rest)
  %above = fsub float 5.0e-01, %abs
  %result = call float @sinpi.f32(float %above)
  %zero = fcmp oeq float %above, 0.0e+00
  %plus = select i1 %zero, float 0.0e+00, float %result
  ret float %plus
}

define { float, float } @sincospi.f32(float %x) {
  %sin = call float @sinpi.f32(float %x)
  %cos = call float @cospi.f32(float %x)
  %first = insertvalue { float, float } undef, float %sin, 0
  %both = insertvalue { float, float } %first, float %cos, 1
  ret { float, float } %both
}

define float @tanpi.f32(float %x) {
  %sin = call float @sinpi.f32(float %x)
  %cos = call float @cospi.f32(float %x)
  %result = fdiv arcp float %sin, %cos
  ret float %result
}

define float @asinpi.f32(float %x) {
  %angle = call float @llvm.asin.f32(float %x)
  %result = fmul float %angle, 0x3FD45F3060000000
  ret float %result
}

define float @acospi.f32(float %x) {
  %angle = call float @llvm.acos.f32(float %x)
  %result = fmul float %angle, 0x3FD45F3060000000
  ret float %result
}

define float @atanpi.f32(float %x) {
  %angle = call float @llvm.atan.f32(float %x)
  %result = fmul float %angle, 0x3FD45F3060000000
  ret float %result
}

define float @atan2pi.f32(float %y, float %x) {
  %angle = call float @llvm.atan2.f32(float %y, float %x)
  %result = fmul float %angle, 0x3FD45F3060000000
  ret float %result
}

; --- inverses of hyperbolic functions ---

define float @asinh.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %square = fmul float %a, %a
  %root.of = fadd float %square, 1.0e+00
  %root = call afn float @llvm.sqrt.f32(float %root.of)
  %below = fadd float %root, 1.0e+00
  %part = fdiv arcp float %square, %below
  %sum = fadd float %a, %part
  %small = call float @llvm.kiln.log1p.f32(float %sum)
  %log = call float @llvm.log.f32(float %a)
  %large = fadd float %log, 0x3FE62E4300000000
  %far = fcmp ogt float %a, 1.0e+08
  %value = select i1 %far, float %large, float %small
  %signed = call float @llvm.copysign.f32(float %value, float %x)
  ret float %signed
}

define float @acosh.f32(float %x) {
  %t = fsub float %x, 1.0e+00
  %twice = fadd float %t, %t
  %inside = call float @llvm.fma.f32(float %t, float %t, float %twice)
  %root = call afn float @llvm.sqrt.f32(float %inside)
  %sum = fadd float %t, %root
  %small = call float @llvm.kiln.log1p.f32(float %sum)
  %log = call float @llvm.log.f32(float %x)
  %large = fadd float %log, 0x3FE62E4300000000
  %far = fcmp ogt float %x, 1.0e+08
  %value = select i1 %far, float %large, float %small
  ret float %value
}

define float @atanh.f32(float %x) {
  %a = call float @llvm.fabs.f32(float %x)
  %rest = fsub float 1.0e+00, %a
  %twice = fadd float %a, %a
  %quotient = fdiv arcp float %twice, %rest
  %log = call float @llvm.kiln.log1p.f32(float %quotient)
  %half = fmul float %log, 5.0e-01
  %signed = call float @llvm.copysign.f32(float %half, float %x)
  ret float %signed
}

; --- others of OpenCL C ---

define float @hypot.f32(float %x, float %y) {
  %a = call float @llvm.fabs.f32(float %x)
  %b = call float @llvm.fabs.f32(float %y)
  %most = call float @llvm.maxnum.f32(float %a, float %b)
  %least = call float @llvm.minnum.f32(float %a, float %b)
  %quotient = fdiv arcp float %least, %most
  %inside = call float @llvm.fma.f32(float %quotient, float %quotient, float 1.0e+00)
  %root = call afn float @llvm.sqrt.f32(float %inside)
  %length = fmul float %most, %root
  %some = fcmp ogt float %most, 0.0e+00
  %finite = fcmp olt float %most, 0x7FF0000000000000
  %regular = and i1 %some, %finite
  %value = select i1 %regular, float %length, float %most
  %sum = fadd float %x, %y
  %no = fcmp uno float %sum, %sum
  %infinite = fcmp oeq float %most, 0x7FF0000000000000
  %known = xor i1 %infinite, true
  %unknown = and i1 %no, %known
  %result = select i1 %unknown, float %sum, float %value
  ret float %result
}

define float @fdim.f32(float %x, float %y) {
  %above = fcmp ogt float %x, %y
  %difference = fsub float %x, %y
  %value = select i1 %above, float %difference, float 0.0e+00
  %no = fcmp uno float %x, %y
  %result = select i1 %no, float %difference, float %value
  ret float %result
}

define float @maxmag.f32(float %x, float %y) {
  %a = call float @llvm.fabs.f32(float %x)
  %b = call float @llvm.fabs.f32(float %y)
  %first = fcmp ogt float %a, %b
  %second = fcmp olt float %a, %b
  %most = call float @llvm.maxnum.f32(float %x, float %y)
  %other = select i1 %second, float %y, float %most
  %result = select i1 %first, float %x, float %other
  ret float %result
}

define float @minmag.f32(float %x, float %y) {
  %a = call float @llvm.fabs.f32(float %x)
  %b = call float @llvm.fabs.f32(float %y)
  %first = fcmp olt float %a, %b
  %second = fcmp ogt float %a, %b
  %least = call float @llvm.minnum.f32(float %x, float %y)
  %other = select i1 %second, float %y, float %least
  %result = select i1 %first, float %x, float %other
  ret float %result
}

; The part after the point is below 1, and the whole one.
define { float, float } @fract.f32(float %x) {
  %whole = call float @llvm.floor.f32(float %x)
  %rest = fsub float %x, %whole
  %below = call float @llvm.minnum.f32(float %rest, float 0x3FEFFFFFE0000000)
  %abs = call float @llvm.fabs.f32(float %x)
  %infinite = fcmp oeq float %abs, 0x7FF0000000000000
  %part = select i1 %infinite, float 0.0e+00, float %below
  %signed = call float @llvm.copysign.f32(float %part, float %x)
  %zero = fcmp oeq float %part, 0.0e+00
  %known = select i1 %zero, float %signed, float %part
  %no = fcmp uno float %x, %x
  %result = select i1 %no, float %x, float %known
  %first = insertvalue { float, float } undef, float %result, 0
  %both = insertvalue { float, float } %first, float %whole, 1
  ret { float, float } %both
}

define { double, double } @fract.f64(double %x) {
  %whole = call double @llvm.floor.f64(double %x)
  %rest = fsub double %x, %whole
  %below = call double @llvm.minnum.f64(double %rest, double 0x3FEFFFFFFFFFFFFF)
  %abs = call double @llvm.fabs.f64(double %x)
  %infinite = fcmp oeq double %abs, 0x7FF0000000000000
  %part = select i1 %infinite, double 0.0e+00, double %below
  %signed = call double @llvm.copysign.f64(double %part, double %x)
  %zero = fcmp oeq double %part, 0.0e+00
  %known = select i1 %zero, double %signed, double %part
  %no = fcmp uno double %x, %x
  %result = select i1 %no, double %x, double %known
  %first = insertvalue { double, double } undef, double %result, 0
  %both = insertvalue { double, double } %first, double %whole, 1
  ret { double, double } %both
}

; The rest of the nearest multiple: of the remainder and its complement, the smaller one; of halves, that of an even multiple.
define float @remainder.f32(float %x, float %y) {
  %b = call float @llvm.fabs.f32(float %y)
  %twice = fadd float %b, %b
  %some = frem float %x, %twice
  %fits = fcmp olt float %b, 0x47D0000000000000
  %a = select i1 %fits, float %some, float %x
  %rest = call float @llvm.fabs.f32(float %a)
  %half = fmul float %b, 5.0e-01
  %over = fcmp ogt float %rest, %half
  %less = fsub float %rest, %b
  %first = select i1 %over, float %less, float %rest
  %again = fcmp oge float %first, %half
  %lesser = fsub float %first, %b
  %more = and i1 %over, %again
  %value = select i1 %more, float %lesser, float %first
  %bits = bitcast float %value to i32
  %x.bits = bitcast float %x to i32
  %sign = and i32 %x.bits, -2147483648
  %turned = xor i32 %bits, %sign
  %result = bitcast i32 %turned to float
  ret float %result
}

define float @sign.f32(float %x) {
  %one = call float @llvm.copysign.f32(float 1.0e+00, float %x)
  %zero = fcmp oeq float %x, 0.0e+00
  %value = select i1 %zero, float %x, float %one
  %no = fcmp uno float %x, %x
  %result = select i1 %no, float 0.0e+00, float %value
  ret float %result
}

define float @degrees.f32(float %x) {
  %result = fmul float %x, 0x404CA5DC20000000
  ret float %result
}

define float @radians.f32(float %x) {
  %result = fmul float %x, 0x3F91DF46A0000000
  ret float %result
}

define float @mix.f32(float %x, float %y, float %a) {
  %step = fsub float %y, %x
  %result = call float @llvm.fma.f32(float %step, float %a, float %x)
  ret float %result
}

define float @step.f32(float %edge, float %x) {
  %below = fcmp olt float %x, %edge
  %result = select i1 %below, float 0.0e+00, float 1.0e+00
  ret float %result
}

define float @smoothstep.f32(float %least, float %most, float %x) {
  %above = fsub float %x, %least
  %width = fsub float %most, %least
  %quotient = fdiv arcp float %above, %width
  %positive = call float @llvm.maxnum.f32(float %quotient, float 0.0e+00)
  %t = call float @llvm.minnum.f32(float %positive, float 1.0e+00)
  %square = fmul float %t, %t
  %rest = call float @llvm.fma.f32(float %t, float -2.0e+00, float 3.0e+00)
  %result = fmul float %square, %rest
  ret float %result
}

; --- remainders, integers ---

define float @fmod.f32(float %x, float %y) {
  %result = frem float %x, %y
  ret float %result
}

define double @fmod.f64(double %x, double %y) {
  %result = frem double %x, %y
  ret double %result
}

define float @fclamp.f32(float %x, float %least, float %most) {
  %above = call float @llvm.maxnum.f32(float %x, float %least)
  %result = call float @llvm.minnum.f32(float %above, float %most)
  ret float %result
}

define i8 @s.abs.diff.i8(i8 %a, i8 %b) {
  %most = call i8 @llvm.smax.i8(i8 %a, i8 %b)
  %least = call i8 @llvm.smin.i8(i8 %a, i8 %b)
  %result = sub i8 %most, %least
  ret i8 %result
}

define i8 @s.clamp.i8(i8 %x, i8 %least, i8 %most) {
  %above = call i8 @llvm.smax.i8(i8 %x, i8 %least)
  %result = call i8 @llvm.smin.i8(i8 %above, i8 %most)
  ret i8 %result
}

define i8 @u.abs.diff.i8(i8 %a, i8 %b) {
  %most = call i8 @llvm.umax.i8(i8 %a, i8 %b)
  %least = call i8 @llvm.umin.i8(i8 %a, i8 %b)
  %result = sub i8 %most, %least
  ret i8 %result
}

define i8 @u.clamp.i8(i8 %x, i8 %least, i8 %most) {
  %above = call i8 @llvm.umax.i8(i8 %x, i8 %least)
  %result = call i8 @llvm.umin.i8(i8 %above, i8 %most)
  ret i8 %result
}

define i8 @rotate.i8(i8 %x, i8 %by) {
  %result = call i8 @llvm.fshl.i8(i8 %x, i8 %x, i8 %by)
  ret i8 %result
}

define i16 @s.abs.diff.i16(i16 %a, i16 %b) {
  %most = call i16 @llvm.smax.i16(i16 %a, i16 %b)
  %least = call i16 @llvm.smin.i16(i16 %a, i16 %b)
  %result = sub i16 %most, %least
  ret i16 %result
}

define i16 @s.clamp.i16(i16 %x, i16 %least, i16 %most) {
  %above = call i16 @llvm.smax.i16(i16 %x, i16 %least)
  %result = call i16 @llvm.smin.i16(i16 %above, i16 %most)
  ret i16 %result
}

define i16 @u.abs.diff.i16(i16 %a, i16 %b) {
  %most = call i16 @llvm.umax.i16(i16 %a, i16 %b)
  %least = call i16 @llvm.umin.i16(i16 %a, i16 %b)
  %result = sub i16 %most, %least
  ret i16 %result
}

define i16 @u.clamp.i16(i16 %x, i16 %least, i16 %most) {
  %above = call i16 @llvm.umax.i16(i16 %x, i16 %least)
  %result = call i16 @llvm.umin.i16(i16 %above, i16 %most)
  ret i16 %result
}

define i16 @rotate.i16(i16 %x, i16 %by) {
  %result = call i16 @llvm.fshl.i16(i16 %x, i16 %x, i16 %by)
  ret i16 %result
}

define i32 @s.abs.diff.i32(i32 %a, i32 %b) {
  %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %result = sub i32 %most, %least
  ret i32 %result
}

define i32 @s.clamp.i32(i32 %x, i32 %least, i32 %most) {
  %above = call i32 @llvm.smax.i32(i32 %x, i32 %least)
  %result = call i32 @llvm.smin.i32(i32 %above, i32 %most)
  ret i32 %result
}

define i32 @u.abs.diff.i32(i32 %a, i32 %b) {
  %most = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %least = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  %result = sub i32 %most, %least
  ret i32 %result
}

define i32 @u.clamp.i32(i32 %x, i32 %least, i32 %most) {
  %above = call i32 @llvm.umax.i32(i32 %x, i32 %least)
  %result = call i32 @llvm.umin.i32(i32 %above, i32 %most)
  ret i32 %result
}

define i32 @rotate.i32(i32 %x, i32 %by) {
  %result = call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 %by)
  ret i32 %result
}

define i64 @s.abs.diff.i64(i64 %a, i64 %b) {
  %most = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  %least = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  %result = sub i64 %most, %least
  ret i64 %result
}

define i64 @s.clamp.i64(i64 %x, i64 %least, i64 %most) {
  %above = call i64 @llvm.smax.i64(i64 %x, i64 %least)
  %result = call i64 @llvm.smin.i64(i64 %above, i64 %most)
  ret i64 %result
}

define i64 @u.abs.diff.i64(i64 %a, i64 %b) {
  %most = call i64 @llvm.umax.i64(i64 %a, i64 %b)
  %least = call i64 @llvm.umin.i64(i64 %a, i64 %b)
  %result = sub i64 %most, %least
  ret i64 %result
}

define i64 @u.clamp.i64(i64 %x, i64 %least, i64 %most) {
  %above = call i64 @llvm.umax.i64(i64 %x, i64 %least)
  %result = call i64 @llvm.umin.i64(i64 %above, i64 %most)
  ret i64 %result
}

define i64 @rotate.i64(i64 %x, i64 %by) {
  %result = call i64 @llvm.fshl.i64(i64 %x, i64 %x, i64 %by)
  ret i64 %result
}

define i32 @mul24.i32(i32 %a, i32 %b) {
  %result = mul i32 %a, %b
  ret i32 %result
}

define i32 @mad24.i32(i32 %a, i32 %b, i32 %c) {
  %product = mul i32 %a, %b
  %result = add i32 %product, %c
  ret i32 %result
}

; Halves of sums, down and up.

define i8 @s.hadd.i8(i8 %a, i8 %b) {
  %both = and i8 %a, %b
  %either = xor i8 %a, %b
  %half = ashr i8 %either, 1
  %result = add i8 %both, %half
  ret i8 %result
}

define i8 @s.rhadd.i8(i8 %a, i8 %b) {
  %any = or i8 %a, %b
  %either = xor i8 %a, %b
  %half = ashr i8 %either, 1
  %result = sub i8 %any, %half
  ret i8 %result
}

define i8 @u.hadd.i8(i8 %a, i8 %b) {
  %both = and i8 %a, %b
  %either = xor i8 %a, %b
  %half = lshr i8 %either, 1
  %result = add i8 %both, %half
  ret i8 %result
}

define i8 @u.rhadd.i8(i8 %a, i8 %b) {
  %any = or i8 %a, %b
  %either = xor i8 %a, %b
  %half = lshr i8 %either, 1
  %result = sub i8 %any, %half
  ret i8 %result
}

define i16 @s.hadd.i16(i16 %a, i16 %b) {
  %both = and i16 %a, %b
  %either = xor i16 %a, %b
  %half = ashr i16 %either, 1
  %result = add i16 %both, %half
  ret i16 %result
}

define i16 @s.rhadd.i16(i16 %a, i16 %b) {
  %any = or i16 %a, %b
  %either = xor i16 %a, %b
  %half = ashr i16 %either, 1
  %result = sub i16 %any, %half
  ret i16 %result
}

define i16 @u.hadd.i16(i16 %a, i16 %b) {
  %both = and i16 %a, %b
  %either = xor i16 %a, %b
  %half = lshr i16 %either, 1
  %result = add i16 %both, %half
  ret i16 %result
}

define i16 @u.rhadd.i16(i16 %a, i16 %b) {
  %any = or i16 %a, %b
  %either = xor i16 %a, %b
  %half = lshr i16 %either, 1
  %result = sub i16 %any, %half
  ret i16 %result
}

define i32 @s.hadd.i32(i32 %a, i32 %b) {
  %both = and i32 %a, %b
  %either = xor i32 %a, %b
  %half = ashr i32 %either, 1
  %result = add i32 %both, %half
  ret i32 %result
}

define i32 @s.rhadd.i32(i32 %a, i32 %b) {
  %any = or i32 %a, %b
  %either = xor i32 %a, %b
  %half = ashr i32 %either, 1
  %result = sub i32 %any, %half
  ret i32 %result
}

define i32 @u.hadd.i32(i32 %a, i32 %b) {
  %both = and i32 %a, %b
  %either = xor i32 %a, %b
  %half = lshr i32 %either, 1
  %result = add i32 %both, %half
  ret i32 %result
}

define i32 @u.rhadd.i32(i32 %a, i32 %b) {
  %any = or i32 %a, %b
  %either = xor i32 %a, %b
  %half = lshr i32 %either, 1
  %result = sub i32 %any, %half
  ret i32 %result
}

define i64 @s.hadd.i64(i64 %a, i64 %b) {
  %both = and i64 %a, %b
  %either = xor i64 %a, %b
  %half = ashr i64 %either, 1
  %result = add i64 %both, %half
  ret i64 %result
}

define i64 @s.rhadd.i64(i64 %a, i64 %b) {
  %any = or i64 %a, %b
  %either = xor i64 %a, %b
  %half = ashr i64 %either, 1
  %result = sub i64 %any, %half
  ret i64 %result
}

define i64 @u.hadd.i64(i64 %a, i64 %b) {
  %both = and i64 %a, %b
  %either = xor i64 %a, %b
  %half = lshr i64 %either, 1
  %result = add i64 %both, %half
  ret i64 %result
}

define i64 @u.rhadd.i64(i64 %a, i64 %b) {
  %any = or i64 %a, %b
  %either = xor i64 %a, %b
  %half = lshr i64 %either, 1
  %result = sub i64 %any, %half
  ret i64 %result
}

; --- others of SPIR-V ---

define float @divide.f32(float %a, float %b) {
  %result = fdiv arcp float %a, %b
  ret float %result
}

define float @sigmoid.f32(float %x) {
  %minus = fneg float %x
  %power = call float @llvm.exp.f32(float %minus)
  %sum = fadd float %power, 1.0e+00
  %result = fdiv arcp float 1.0e+00, %sum
  ret float %result
}

; The nearest float with 10 bits of fraction, ties to even; a NaN stays one.
define float @tf32.round.f32(float %x) {
  %bits = bitcast float %x to i32
  %above = lshr i32 %bits, 13
  %even = and i32 %above, 1
  %half = add i32 %even, 4095
  %sum = add i32 %bits, %half
  %no = fcmp uno float %x, %x
  %quiet = or i32 %bits, 4194304
  %chosen = select i1 %no, i32 %quiet, i32 %sum
  %cut = and i32 %chosen, -8192
  %result = bitcast i32 %cut to float
  ret float %result
}
