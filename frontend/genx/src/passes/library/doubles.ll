; Functions of doubles. Series are those of Taylor, and constants of more than 53 bits are sums of two or three doubles.

declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minnum.f64(double, double)

; The integer that is nearest, of ties the even one: a sum with a number so large that its last bit is 1.
define double @rint(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %up = fadd double %size, 0x4330000000000000
  %near = fsub double %up, 0x4330000000000000
  %signed = call double @llvm.copysign.f64(double %near, double %x)
  %whole = fcmp oge double %size, 0x4330000000000000
  %result.of = select i1 %whole, double %x, double %signed
  %no = fcmp uno double %x, %x
  %result = select i1 %no, double %x, double %result.of
  ret double %result
}

; The integer that is next towards zero.
define double @trunc(double %x) {
  %near = call double @rint(double %x)
  %near.size = call double @llvm.fabs.f64(double %near)
  %size = call double @llvm.fabs.f64(double %x)
  %beyond = fcmp ogt double %near.size, %size
  %less = fsub double %near.size, 1.0e+00
  %magnitude = select i1 %beyond, double %less, double %near.size
  %result = call double @llvm.copysign.f64(double %magnitude, double %x)
  ret double %result
}

; (e^r - 1 - r) / r^2 for |r| up to half the logarithm of 2.
define double @exp.series(double %r) {
  %s0 = call double @llvm.fma.f64(double %r, double 0x3DA93974A8C07C9D, double 0x3DE6124613A86D09)
  %s1 = call double @llvm.fma.f64(double %r, double %s0, double 0x3E21EED8EFF8D898)
  %s2 = call double @llvm.fma.f64(double %r, double %s1, double 0x3E5AE64567F544E4)
  %s3 = call double @llvm.fma.f64(double %r, double %s2, double 0x3E927E4FB7789F5C)
  %s4 = call double @llvm.fma.f64(double %r, double %s3, double 0x3EC71DE3A556C734)
  %s5 = call double @llvm.fma.f64(double %r, double %s4, double 0x3EFA01A01A01A01A)
  %s6 = call double @llvm.fma.f64(double %r, double %s5, double 0x3F2A01A01A01A01A)
  %s7 = call double @llvm.fma.f64(double %r, double %s6, double 0x3F56C16C16C16C17)
  %s8 = call double @llvm.fma.f64(double %r, double %s7, double 0x3F81111111111111)
  %s9 = call double @llvm.fma.f64(double %r, double %s8, double 0x3FA5555555555555)
  %s10 = call double @llvm.fma.f64(double %r, double %s9, double 0x3FC5555555555555)
  %s11 = call double @llvm.fma.f64(double %r, double %s10, double 0x3FE0000000000000)
  ret double %s11
}

; (log((1 + t) / (1 - t)) - 2 t - 2 t^3 / 3) / t^5 for z = t^2 up to 0.03.
define double @log.series(double %z) {
  %s0 = call double @llvm.fma.f64(double %z, double 0x3FB642C8590B2164, double 0x3FB8618618618618)
  %s1 = call double @llvm.fma.f64(double %z, double %s0, double 0x3FBAF286BCA1AF28)
  %s2 = call double @llvm.fma.f64(double %z, double %s1, double 0x3FBE1E1E1E1E1E1E)
  %s3 = call double @llvm.fma.f64(double %z, double %s2, double 0x3FC1111111111111)
  %s4 = call double @llvm.fma.f64(double %z, double %s3, double 0x3FC3B13B13B13B14)
  %s5 = call double @llvm.fma.f64(double %z, double %s4, double 0x3FC745D1745D1746)
  %s6 = call double @llvm.fma.f64(double %z, double %s5, double 0x3FCC71C71C71C71C)
  %s7 = call double @llvm.fma.f64(double %z, double %s6, double 0x3FD2492492492492)
  %s8 = call double @llvm.fma.f64(double %z, double %s7, double 0x3FD999999999999A)
  ret double %s8
}

; (sin(r) - r) / r^3 for z = r^2, |r| up to a quarter of pi.
define double @sin.series(double %z) {
  %s0 = call double @llvm.fma.f64(double %z, double 0xBC62F49B46814157, double 0x3CE952C77030AD4A)
  %s1 = call double @llvm.fma.f64(double %z, double %s0, double 0xBD6AE7F3E733B81F)
  %s2 = call double @llvm.fma.f64(double %z, double %s1, double 0x3DE6124613A86D09)
  %s3 = call double @llvm.fma.f64(double %z, double %s2, double 0xBE5AE64567F544E4)
  %s4 = call double @llvm.fma.f64(double %z, double %s3, double 0x3EC71DE3A556C734)
  %s5 = call double @llvm.fma.f64(double %z, double %s4, double 0xBF2A01A01A01A01A)
  %s6 = call double @llvm.fma.f64(double %z, double %s5, double 0x3F81111111111111)
  %s7 = call double @llvm.fma.f64(double %z, double %s6, double 0xBFC5555555555555)
  ret double %s7
}

; (cos(r) - 1 + r^2 / 2) / r^4 for z = r^2.
define double @cos.series(double %z) {
  %s0 = call double @llvm.fma.f64(double %z, double 0xBCA6827863B97D97, double 0x3D2AE7F3E733B81F)
  %s1 = call double @llvm.fma.f64(double %z, double %s0, double 0xBDA93974A8C07C9D)
  %s2 = call double @llvm.fma.f64(double %z, double %s1, double 0x3E21EED8EFF8D898)
  %s3 = call double @llvm.fma.f64(double %z, double %s2, double 0xBE927E4FB7789F5C)
  %s4 = call double @llvm.fma.f64(double %z, double %s3, double 0x3EFA01A01A01A01A)
  %s5 = call double @llvm.fma.f64(double %z, double %s4, double 0xBF56C16C16C16C17)
  %s6 = call double @llvm.fma.f64(double %z, double %s5, double 0x3FA5555555555555)
  ret double %s6
}

; (atan(t) - t) / t^3 for z = t^2, |t| up to 0.415.
define double @atan.series(double %z) {
  %s0 = call double @llvm.fma.f64(double %z, double 0x3F96C16C16C16C17, double 0xBF97D05F417D05F4)
  %s1 = call double @llvm.fma.f64(double %z, double %s0, double 0x3F98F9C18F9C18FA)
  %s2 = call double @llvm.fma.f64(double %z, double %s1, double 0xBF9A41A41A41A41A)
  %s3 = call double @llvm.fma.f64(double %z, double %s2, double 0x3F9BACF914C1BAD0)
  %s4 = call double @llvm.fma.f64(double %z, double %s3, double 0xBF9D41D41D41D41D)
  %s5 = call double @llvm.fma.f64(double %z, double %s4, double 0x3F9F07C1F07C1F08)
  %s6 = call double @llvm.fma.f64(double %z, double %s5, double 0xBFA0842108421084)
  %s7 = call double @llvm.fma.f64(double %z, double %s6, double 0x3FA1A7B9611A7B96)
  %s8 = call double @llvm.fma.f64(double %z, double %s7, double 0xBFA2F684BDA12F68)
  %s9 = call double @llvm.fma.f64(double %z, double %s8, double 0x3FA47AE147AE147B)
  %s10 = call double @llvm.fma.f64(double %z, double %s9, double 0xBFA642C8590B2164)
  %s11 = call double @llvm.fma.f64(double %z, double %s10, double 0x3FA8618618618618)
  %s12 = call double @llvm.fma.f64(double %z, double %s11, double 0xBFAAF286BCA1AF28)
  %s13 = call double @llvm.fma.f64(double %z, double %s12, double 0x3FAE1E1E1E1E1E1E)
  %s14 = call double @llvm.fma.f64(double %z, double %s13, double 0xBFB1111111111111)
  %s15 = call double @llvm.fma.f64(double %z, double %s14, double 0x3FB3B13B13B13B14)
  %s16 = call double @llvm.fma.f64(double %z, double %s15, double 0xBFB745D1745D1746)
  %s17 = call double @llvm.fma.f64(double %z, double %s16, double 0x3FBC71C71C71C71C)
  %s18 = call double @llvm.fma.f64(double %z, double %s17, double 0xBFC2492492492492)
  %s19 = call double @llvm.fma.f64(double %z, double %s18, double 0x3FC999999999999A)
  %s20 = call double @llvm.fma.f64(double %z, double %s19, double 0xBFD5555555555555)
  ret double %s20
}

; A number times a power of two, in two steps, so that neither factor leaves the range of doubles: for powers of at most 2044.
define double @times.power(double %x, i32 %exponent) {
  %first = ashr i32 %exponent, 1
  %second = sub i32 %exponent, %first
  %first.biased = add i32 %first, 1023
  %second.biased = add i32 %second, 1023
  %first.wide = zext i32 %first.biased to i64
  %second.wide = zext i32 %second.biased to i64
  %first.bits = shl i64 %first.wide, 52
  %second.bits = shl i64 %second.wide, 52
  %a = bitcast i64 %first.bits to double
  %b = bitcast i64 %second.bits to double
  %half = fmul double %x, %a
  %result = fmul double %half, %b
  ret double %result
}

; The first number, within two limits; one that is no number becomes the least.
define double @limited(double %x, double %least, double %most) {
  %above = fcmp ogt double %x, %least
  %from = select i1 %above, double %x, double %least
  %below = fcmp olt double %from, %most
  %result = select i1 %below, double %from, double %most
  ret double %result
}

; e^r - 1 for |r| up to half the logarithm of 2, of a sum of two parts.
define double @exp.near(double %r, double %low) {
  %series = call double @exp.series(double %r)
  %square = fmul double %r, %r
  %rest = call double @llvm.fma.f64(double %square, double %series, double %low)
  %result = fadd double %r, %rest
  ret double %result
}

; e^(x + low) times a power of two, for a low part below the last bit of x.
define double @exp.times(double %whole, double %low, i32 %power) {
  %x = call double @limited(double %whole, double -1.0e+03, double 1.0e+03)
  %scaled = fmul double %x, 0x3FF71547652B82FE
  %n = call double @rint(double %scaled)
  %minus = fneg double %n
  %high = call double @llvm.fma.f64(double %minus, double 0x3FE62E42FEFA3800, double %x)
  %tail = fmul double %n, 0x3D2EF35793C76730
  %less = fsub double %low, %tail
  %r = fadd double %high, %less
  %back = fsub double %r, %high
  %rest = fsub double %less, %back
  %part = call double @exp.near(double %r, double %rest)
  %one = fadd double %part, 1.0e+00
  %integer = fptosi double %n to i32
  %exponent = add i32 %integer, %power
  %result.of = call double @times.power(double %one, i32 %exponent)
  %no = fcmp uno double %whole, %whole
  %result = select i1 %no, double %whole, double %result.of
  ret double %result
}

define double @exp.f64(double %x) {
  %result = call double @exp.times(double %x, double 0.0e+00, i32 0)
  ret double %result
}

define double @exp2.f64(double %whole) {
  %x = call double @limited(double %whole, double -1.2e+03, double 1.1e+03)
  %n = call double @rint(double %x)
  %part = fsub double %x, %n
  %r = fmul double %part, 0x3FE62E42FEFA39EF
  %minus = fneg double %r
  %error = call double @llvm.fma.f64(double %part, double 0x3FE62E42FEFA39EF, double %minus)
  %low = call double @llvm.fma.f64(double %part, double 0x3C7ABC9E3B39803F, double %error)
  %near = call double @exp.near(double %r, double %low)
  %one = fadd double %near, 1.0e+00
  %exponent = fptosi double %n to i32
  %power = call double @times.power(double %one, i32 %exponent)
  %no = fcmp uno double %whole, %whole
  %result = select i1 %no, double %whole, double %power
  ret double %result
}

define double @exp10.f64(double %whole) {
  %x = call double @limited(double %whole, double -4.0e+02, double 4.0e+02)
  %scaled = fmul double %x, 0x400A934F0979A371
  %n = call double @rint(double %scaled)
  %minus = fneg double %n
  %high = call double @llvm.fma.f64(double %minus, double 0x3FD34413509F7800, double %x)
  %part = call double @llvm.fma.f64(double %minus, double 0x3D1FEF311F12B358, double %high)
  %lost = fsub double %high, %part
  %part.low = call double @llvm.fma.f64(double %minus, double 0x3D1FEF311F12B358, double %lost)
  %r = fmul double %part, 0x40026BB1BBB55516
  %minus.r = fneg double %r
  %error = call double @llvm.fma.f64(double %part, double 0x40026BB1BBB55516, double %minus.r)
  %more = call double @llvm.fma.f64(double %part, double 0xBCAF48AD494EA3E9, double %error)
  %low = call double @llvm.fma.f64(double %part.low, double 0x40026BB1BBB55516, double %more)
  %near = call double @exp.near(double %r, double %low)
  %one = fadd double %near, 1.0e+00
  %exponent = fptosi double %n to i32
  %power = call double @times.power(double %one, i32 %exponent)
  %no = fcmp uno double %whole, %whole
  %result = select i1 %no, double %whole, double %power
  ret double %result
}

; e^x - 1 for numbers that are not negative.
define double @exp.less.one(double %whole) {
  %x = call double @limited(double %whole, double 0.0e+00, double 8.0e+02)
  %scaled = fmul double %x, 0x3FF71547652B82FE
  %n = call double @rint(double %scaled)
  %minus = fneg double %n
  %high = call double @llvm.fma.f64(double %minus, double 0x3FE62E42FEFA3800, double %x)
  %tail = fmul double %n, 0x3D2EF35793C76730
  %r = fsub double %high, %tail
  %lost = fsub double %high, %r
  %rest = fsub double %lost, %tail
  %part = call double @exp.near(double %r, double %rest)
  %exponent = fptosi double %n to i32
  %power = call double @times.power(double 1.0e+00, i32 %exponent)
  %grown = call double @times.power(double %part, i32 %exponent)
  %less = fsub double %power, 1.0e+00
  %sum = fadd double %less, %grown
  %far = fcmp ogt double %whole, 5.0e+01
  %far.value = call double @exp.f64(double %whole)
  %result = select i1 %far, double %far.value, double %sum
  ret double %result
}

; The logarithm of a number that is positive and finite: an exponent, and the logarithm of the rest as a sum of two parts.
define { double, double, double } @log.parts(double %whole) {
  %small = fcmp olt double %whole, 0x0010000000000000
  %large = fmul double %whole, 0x4350000000000000
  %x = select i1 %small, double %large, double %whole
  %bits = bitcast double %x to i64
  %from = sub i64 %bits, 4604544271217802189
  %exponent.bits = ashr i64 %from, 52
  %shifted = shl i64 %exponent.bits, 52
  %rest.bits = sub i64 %bits, %shifted
  %m = bitcast i64 %rest.bits to double
  %exponent.of = trunc i64 %exponent.bits to i32
  %correction = select i1 %small, i32 -54, i32 0
  %exponent = add i32 %exponent.of, %correction
  %e = sitofp i32 %exponent to double
  %numerator = fsub double %m, 1.0e+00
  %denominator = fadd double %m, 1.0e+00
  %denominator.back = fsub double %denominator, 1.0e+00
  %denominator.low = fsub double %m, %denominator.back
  %t = fdiv double %numerator, %denominator
  %minus.t = fneg double %t
  %rest.of = call double @llvm.fma.f64(double %minus.t, double %denominator, double %numerator)
  %rest = call double @llvm.fma.f64(double %minus.t, double %denominator.low, double %rest.of)
  %t.low = fdiv double %rest, %denominator
  %square = fmul double %t, %t
  %series = call double @log.series(double %square)
  %cube = fmul double %square, %t
  %minus.square = fneg double %square
  %square.low = call double @llvm.fma.f64(double %t, double %t, double %minus.square)
  %minus.cube = fneg double %cube
  %cube.of = call double @llvm.fma.f64(double %square, double %t, double %minus.cube)
  %cube.low = call double @llvm.fma.f64(double %square.low, double %t, double %cube.of)
  %third = fmul double %cube, 0x3FE5555555555555
  %minus.third = fneg double %third
  %third.of = call double @llvm.fma.f64(double %cube, double 0x3FE5555555555555, double %minus.third)
  %third.more = call double @llvm.fma.f64(double %cube, double 0x3C85555555555555, double %third.of)
  %third.low = call double @llvm.fma.f64(double %cube.low, double 0x3FE5555555555555, double %third.more)
  %fifth = fmul double %square, %series
  %others = call double @llvm.fma.f64(double %cube, double %fifth, double %third.low)
  %twice = fadd double %t, %t
  %twice.low = fadd double %t.low, %t.low
  %below = fadd double %others, %twice.low
  %low.part = fadd double %third, %below
  %third.back = fsub double %low.part, %third
  %below.low = fsub double %below, %third.back
  %high = fadd double %twice, %low.part
  %back = fsub double %high, %twice
  %low.of = fsub double %low.part, %back
  %low = fadd double %low.of, %below.low
  %one = insertvalue { double, double, double } undef, double %e, 0
  %two = insertvalue { double, double, double } %one, double %high, 1
  %three = insertvalue { double, double, double } %two, double %low, 2
  ret { double, double, double } %three
}

; A logarithm where it is none of a positive number that is finite.
define double @log.limits(double %x, double %log) {
  %zero = fcmp oeq double %x, 0.0e+00
  %a = select i1 %zero, double 0xFFF0000000000000, double %log
  %minus = fcmp olt double %x, 0.0e+00
  %b = select i1 %minus, double 0x7FF8000000000000, double %a
  %far = fcmp oeq double %x, 0x7FF0000000000000
  %c = select i1 %far, double %x, double %b
  %no = fcmp uno double %x, %x
  %result = select i1 %no, double %x, double %c
  ret double %result
}

define double @log.f64(double %x) {
  %parts = call { double, double, double } @log.parts(double %x)
  %e = extractvalue { double, double, double } %parts, 0
  %m = extractvalue { double, double, double } %parts, 1
  %l = extractvalue { double, double, double } %parts, 2
  %e.high = fmul double %e, 0x3FE62E42FEFA2000
  %whole = fadd double %e.high, %m
  %back = fsub double %whole, %e.high
  %lost = fsub double %m, %back
  %less = call double @llvm.fma.f64(double %e, double 0x3D69EF35793C7673, double %l)
  %rest = fadd double %lost, %less
  %log = fadd double %whole, %rest
  %result = call double @log.limits(double %x, double %log)
  ret double %result
}

define double @log2.f64(double %x) {
  %parts = call { double, double, double } @log.parts(double %x)
  %e = extractvalue { double, double, double } %parts, 0
  %m = extractvalue { double, double, double } %parts, 1
  %l = extractvalue { double, double, double } %parts, 2
  %high = fmul double %m, 0x3FF71547652B82FE
  %minus = fneg double %high
  %error = call double @llvm.fma.f64(double %m, double 0x3FF71547652B82FE, double %minus)
  %more = call double @llvm.fma.f64(double %m, double 0x3C7777D0FFDA0D24, double %error)
  %low = call double @llvm.fma.f64(double %l, double 0x3FF71547652B82FE, double %more)
  %whole = fadd double %e, %high
  %back = fsub double %whole, %e
  %lost = fsub double %high, %back
  %rest = fadd double %lost, %low
  %log = fadd double %whole, %rest
  %result = call double @log.limits(double %x, double %log)
  ret double %result
}

define double @log10.f64(double %x) {
  %parts = call { double, double, double } @log.parts(double %x)
  %e = extractvalue { double, double, double } %parts, 0
  %m = extractvalue { double, double, double } %parts, 1
  %l = extractvalue { double, double, double } %parts, 2
  %high = fmul double %m, 0x3FDBCB7B1526E50E
  %minus = fneg double %high
  %error = call double @llvm.fma.f64(double %m, double 0x3FDBCB7B1526E50E, double %minus)
  %more = call double @llvm.fma.f64(double %m, double 0x3C695355BAAAFAD3, double %error)
  %low = call double @llvm.fma.f64(double %l, double 0x3FDBCB7B1526E50E, double %more)
  %e.high = fmul double %e, 0x3FD34413509F6000
  %whole = fadd double %e.high, %high
  %back = fsub double %whole, %e.high
  %lost = fsub double %high, %back
  %less = call double @llvm.fma.f64(double %e, double 0x3D59FEF311F12B36, double %low)
  %rest = fadd double %lost, %less
  %log = fadd double %whole, %rest
  %result = call double @log.limits(double %x, double %log)
  ret double %result
}

; The logarithm of the magnitude times y, as a sum of two parts, and e^ of that.
define double @pow.f64(double %x, double %y) {
  %magnitude = call double @llvm.fabs.f64(double %x)
  %parts = call { double, double, double } @log.parts(double %magnitude)
  %e = extractvalue { double, double, double } %parts, 0
  %m = extractvalue { double, double, double } %parts, 1
  %l = extractvalue { double, double, double } %parts, 2
  %e.high = fmul double %e, 0x3FE62E42FEFA2000
  %whole = fadd double %e.high, %m
  %back = fsub double %whole, %e.high
  %lost = fsub double %m, %back
  %less = call double @llvm.fma.f64(double %e, double 0x3D69EF35793C7673, double %l)
  %rest = fadd double %lost, %less
  %log.high = fadd double %whole, %rest
  %log.back = fsub double %log.high, %whole
  %log.low = fsub double %rest, %log.back
  %product = fmul double %log.high, %y
  %minus = fneg double %product
  %error = call double @llvm.fma.f64(double %log.high, double %y, double %minus)
  %low.of = call double @llvm.fma.f64(double %log.low, double %y, double %error)
  %size = call double @llvm.fabs.f64(double %product)
  %within = fcmp olt double %size, 1.0e+03
  %low = select i1 %within, double %low.of, double 0.0e+00
  %power = call double @exp.times(double %product, double %low, i32 0)
  ; Zero and infinity as bases.
  %zero = fcmp oeq double %magnitude, 0.0e+00
  %far = fcmp oeq double %magnitude, 0x7FF0000000000000
  %falls = fcmp olt double %y, 0.0e+00
  %of.zero = select i1 %falls, double 0x7FF0000000000000, double 0.0e+00
  %of.far = select i1 %falls, double 0.0e+00, double 0x7FF0000000000000
  %a = select i1 %zero, double %of.zero, double %power
  %b = select i1 %far, double %of.far, double %a
  ; The sign is that of an odd power.
  %y.size = call double @llvm.fabs.f64(double %y)
  %y.whole = call double @rint(double %y)
  %is.whole = fcmp oeq double %y, %y.whole
  %half = fmul double %y, 5.0e-01
  %half.whole = call double @rint(double %half)
  %not.even = fcmp une double %half, %half.whole
  %is.odd = and i1 %is.whole, %not.even
  %signed = call double @llvm.copysign.f64(double %b, double %x)
  %c = select i1 %is.odd, double %signed, double %b
  %negative = fcmp olt double %x, 0.0e+00
  %finite = xor i1 %far, true
  %real = and i1 %negative, %finite
  %not.whole = xor i1 %is.whole, true
  %none = and i1 %real, %not.whole
  %d = select i1 %none, double 0x7FF8000000000000, double %c
  ; Infinite exponents: magnitudes of one stay, others vanish or grow.
  %y.far = fcmp oeq double %y.size, 0x7FF0000000000000
  %above = fcmp ogt double %magnitude, 1.0e+00
  %one.size = fcmp oeq double %magnitude, 1.0e+00
  %grows = xor i1 %above, %falls
  %end = select i1 %grows, double 0x7FF0000000000000, double 0.0e+00
  %end.of = select i1 %one.size, double 1.0e+00, double %end
  %f = select i1 %y.far, double %end.of, double %d
  %no.x = fcmp uno double %x, %x
  %g = select i1 %no.x, double %x, double %f
  %no.y = fcmp uno double %y, %y
  %i = select i1 %no.y, double %y, double %g
  %one = fcmp oeq double %x, 1.0e+00
  %none.of = fcmp oeq double %y, 0.0e+00
  %is.one = or i1 %one, %none.of
  %result = select i1 %is.one, double 1.0e+00, double %i
  ret double %result
}

; An angle less the multiple of a quarter turn that is nearest, as a sum of two parts, and the number of the quarter: for angles of at most
; 2^30 quarters.
define { double, double, i32 } @quarters(double %x) {
  %scaled = fmul double %x, 0x3FE45F306DC9C883
  %n = call double @rint(double %scaled)
  %minus = fneg double %n
  %a = call double @llvm.fma.f64(double %minus, double 0x3FF921FB54442D18, double %x)
  %r.of = call double @llvm.fma.f64(double %minus, double 0x3C91A62633145C07, double %a)
  %product = fmul double %n, 0x3C91A62633145C07
  %minus.product = fneg double %product
  %product.low = call double @llvm.fma.f64(double %n, double 0x3C91A62633145C07, double %minus.product)
  %apart = fsub double %a, %r.of
  %lost = fsub double %apart, %product
  %less = fsub double %lost, %product.low
  %low.of = call double @llvm.fma.f64(double %minus, double 0xB91F1976B7ED8FBC, double %less)
  %r = fadd double %r.of, %low.of
  %back = fsub double %r, %r.of
  %low = fsub double %low.of, %back
  %quarter = fptosi double %n to i32
  %one = insertvalue { double, double, i32 } undef, double %r, 0
  %two = insertvalue { double, double, i32 } %one, double %low, 1
  %three = insertvalue { double, double, i32 } %two, i32 %quarter, 2
  ret { double, double, i32 } %three
}

define double @sin.near(double %r, double %low) {
  %square = fmul double %r, %r
  %series = call double @sin.series(double %square)
  %cube = fmul double %square, %r
  %half = fmul double %square, 5.0e-01
  %cos = fsub double 1.0e+00, %half
  %part = fmul double %low, %cos
  %rest = call double @llvm.fma.f64(double %cube, double %series, double %part)
  %result = fadd double %r, %rest
  ret double %result
}

define double @cos.near(double %r, double %low) {
  %square = fmul double %r, %r
  %minus = fneg double %square
  %error = call double @llvm.fma.f64(double %r, double %r, double %minus)
  %half = fmul double %square, 5.0e-01
  %one = fsub double 1.0e+00, %half
  %back = fsub double 1.0e+00, %one
  %lost = fsub double %back, %half
  %series = call double @cos.series(double %square)
  %fourth = fmul double %square, %square
  %more = call double @llvm.fma.f64(double %fourth, double %series, double %lost)
  %minus.low = fneg double %low
  %part = call double @llvm.fma.f64(double %minus.low, double %r, double %more)
  %half.error = call double @llvm.fma.f64(double %error, double -5.0e-01, double %part)
  %result = fadd double %one, %half.error
  ret double %result
}

; The sine of an angle and so many quarters of a turn.
define double @sin.after(double %x, i32 %more) {
  %parts = call { double, double, i32 } @quarters(double %x)
  %r = extractvalue { double, double, i32 } %parts, 0
  %low = extractvalue { double, double, i32 } %parts, 1
  %n = extractvalue { double, double, i32 } %parts, 2
  %quarter = add i32 %n, %more
  %sin = call double @sin.near(double %r, double %low)
  %cos = call double @cos.near(double %r, double %low)
  %odd = and i32 %quarter, 1
  %is.odd = icmp ne i32 %odd, 0
  %a = select i1 %is.odd, double %cos, double %sin
  %half = and i32 %quarter, 2
  %is.half = icmp ne i32 %half, 0
  %minus = fneg double %a
  %result = select i1 %is.half, double %minus, double %a
  ret double %result
}

; An infinite angle has no sine, and one that is too far from zero has one that is not computed.
define double @angle.limits(double %x, double %y) {
  %size = call double @llvm.fabs.f64(double %x)
  %finite = fcmp olt double %size, 1.6e+09
  %result = select i1 %finite, double %y, double 0x7FF8000000000000
  ret double %result
}

define double @sin.f64(double %x) {
  %sin = call double @sin.after(double %x, i32 0)
  %result.of = call double @angle.limits(double %x, double %sin)
  %zero = fcmp oeq double %x, 0.0e+00
  %result = select i1 %zero, double %x, double %result.of
  ret double %result
}

define double @cos.f64(double %x) {
  %cos = call double @sin.after(double %x, i32 1)
  %result = call double @angle.limits(double %x, double %cos)
  ret double %result
}

define double @tan.f64(double %x) {
  %parts = call { double, double, i32 } @quarters(double %x)
  %r = extractvalue { double, double, i32 } %parts, 0
  %low = extractvalue { double, double, i32 } %parts, 1
  %n = extractvalue { double, double, i32 } %parts, 2
  %sin = call double @sin.near(double %r, double %low)
  %cos = call double @cos.near(double %r, double %low)
  %odd = and i32 %n, 1
  %is.odd = icmp ne i32 %odd, 0
  %minus = fneg double %cos
  %a = select i1 %is.odd, double %minus, double %sin
  %b = select i1 %is.odd, double %sin, double %cos
  %tan = fdiv double %a, %b
  %result.of = call double @angle.limits(double %x, double %tan)
  %zero = fcmp oeq double %x, 0.0e+00
  %result = select i1 %zero, double %x, double %result.of
  ret double %result
}

define double @sinh.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %near = call double @exp.less.one(double %size)
  %more = fadd double %near, 1.0e+00
  %quotient = fdiv double %near, %more
  %sum = fadd double %near, %quotient
  %half = fmul double %sum, 5.0e-01
  %far.value = call double @exp.times(double %size, double 0.0e+00, i32 -1)
  %far = fcmp ogt double %size, 2.2e+01
  %a = select i1 %far, double %far.value, double %half
  %no = fcmp uno double %x, %x
  %b = select i1 %no, double %x, double %a
  %result = call double @llvm.copysign.f64(double %b, double %x)
  ret double %result
}

define double @cosh.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %half = call double @exp.times(double %size, double 0.0e+00, i32 -1)
  %quotient = fdiv double 2.5e-01, %half
  %result = fadd double %half, %quotient
  ret double %result
}

define double @tanh.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %twice = fadd double %size, %size
  %near = call double @exp.less.one(double %twice)
  %more = fadd double %near, 2.0e+00
  %quotient = fdiv double %near, %more
  %far = fcmp ogt double %size, 2.2e+01
  %a = select i1 %far, double 1.0e+00, double %quotient
  %no = fcmp uno double %x, %x
  %b = select i1 %no, double %x, double %a
  %result = call double @llvm.copysign.f64(double %b, double %x)
  ret double %result
}

; The angle of a quotient of two numbers that are not negative, and not both zero or infinite.
define double @atan.quotient(double %a, double %b) {
  ; In the middle third the quotient is that of a turn by an eighth.
  %low.side = fmul double %b, 4.0e-01
  %high.side = fmul double %b, 2.5e+00
  %above = fcmp ogt double %a, %low.side
  %beyond = fcmp ogt double %a, %high.side
  %difference = fsub double %a, %b
  %sum = fadd double %a, %b
  %minus.b = fneg double %b
  %top.of = select i1 %above, double %difference, double %a
  %top = select i1 %beyond, double %minus.b, double %top.of
  %bottom.of = select i1 %above, double %sum, double %b
  %bottom = select i1 %beyond, double %a, double %bottom.of
  %t = fdiv double %top, %bottom
  %square = fmul double %t, %t
  %series = call double @atan.series(double %square)
  %cube = fmul double %square, %t
  %turn.of = select i1 %above, double 0x3FE921FB54442D18, double 0.0e+00
  %turn = select i1 %beyond, double 0x3FF921FB54442D18, double %turn.of
  %turn.low.of = select i1 %above, double 0x3C81A62633145C07, double 0.0e+00
  %turn.low = select i1 %beyond, double 0x3C91A62633145C07, double %turn.low.of
  %rest = call double @llvm.fma.f64(double %cube, double %series, double %turn.low)
  %first = fadd double %turn, %t
  %back = fsub double %first, %turn
  %lost = fsub double %t, %back
  %more = fadd double %lost, %rest
  %result = fadd double %first, %more
  ret double %result
}

define double @atan.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %angle = call double @atan.quotient(double %size, double 1.0e+00)
  %far = fcmp oeq double %size, 0x7FF0000000000000
  %a = select i1 %far, double 0x3FF921FB54442D18, double %angle
  %result = call double @llvm.copysign.f64(double %a, double %x)
  ret double %result
}

define double @asin.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %less = fsub double 1.0e+00, %size
  %more = fadd double 1.0e+00, %size
  %product = fmul double %less, %more
  %other = call double @llvm.sqrt.f64(double %product)
  %angle = call double @atan.quotient(double %size, double %other)
  %result = call double @llvm.copysign.f64(double %angle, double %x)
  ret double %result
}

define double @acos.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %less = fsub double 1.0e+00, %size
  %more = fadd double 1.0e+00, %size
  %product = fmul double %less, %more
  %other = call double @llvm.sqrt.f64(double %product)
  %angle = call double @atan.quotient(double %other, double %size)
  %apart = fsub double 0x400921FB54442D18, %angle
  %minus.of = fadd double %apart, 0x3CA1A62633145C07
  %minus = fcmp olt double %x, 0.0e+00
  %a = select i1 %minus, double %minus.of, double %angle
  %one = fcmp oeq double %x, 1.0e+00
  %result = select i1 %one, double 0.0e+00, double %a
  ret double %result
}

define double @atan2.f64(double %y, double %x) {
  %top.of = call double @llvm.fabs.f64(double %y)
  %bottom.of = call double @llvm.fabs.f64(double %x)
  ; Numbers at the ends of the range, without a change of their quotient.
  %top.large = fcmp ogt double %top.of, 0x7FC0000000000000
  %bottom.large = fcmp ogt double %bottom.of, 0x7FC0000000000000
  %large = or i1 %top.large, %bottom.large
  %top.small = fcmp olt double %top.of, 0x0200000000000000
  %bottom.small = fcmp olt double %bottom.of, 0x0200000000000000
  %small = and i1 %top.small, %bottom.small
  %up = select i1 %small, double 0x4350000000000000, double 1.0e+00
  %scale = select i1 %large, double 0x3C90000000000000, double %up
  %top = fmul double %top.of, %scale
  %bottom = fmul double %bottom.of, %scale
  %angle.of = call double @atan.quotient(double %top, double %bottom)
  %top.zero = fcmp oeq double %top.of, 0.0e+00
  %angle.a = select i1 %top.zero, double 0.0e+00, double %angle.of
  %top.far = fcmp oeq double %top.of, 0x7FF0000000000000
  %bottom.far = fcmp oeq double %bottom.of, 0x7FF0000000000000
  %both = select i1 %bottom.far, double 0x3FE921FB54442D18, double 0x3FF921FB54442D18
  %only = select i1 %bottom.far, double 0.0e+00, double %angle.a
  %angle = select i1 %top.far, double %both, double %only
  %bits = bitcast double %x to i64
  %minus = icmp slt i64 %bits, 0
  %apart = fsub double 0x400921FB54442D18, %angle
  %around = fadd double %apart, 0x3CA1A62633145C07
  %a = select i1 %minus, double %around, double %angle
  %signed = call double @llvm.copysign.f64(double %a, double %y)
  %no.y = fcmp uno double %y, %y
  %b = select i1 %no.y, double %y, double %signed
  %no.x = fcmp uno double %x, %x
  %result = select i1 %no.x, double %x, double %b
  ret double %result
}

define double @expm1.f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %near = call double @exp.less.one(double %size)
  %more = fadd double %near, 1.0e+00
  %quotient = fdiv double %near, %more
  %far = fcmp ogt double %size, 5.0e+01
  %fallen = select i1 %far, double 1.0e+00, double %quotient
  %falls = fneg double %fallen
  %minus = fcmp olt double %x, 0.0e+00
  %a = select i1 %minus, double %falls, double %near
  %no = fcmp uno double %x, %x
  %b = select i1 %no, double %x, double %a
  %zero = fcmp oeq double %x, 0.0e+00
  %result = select i1 %zero, double %x, double %b
  ret double %result
}

define double @log1p.f64(double %x) {
  %sum = fadd double %x, 1.0e+00
  %back = fsub double %sum, 1.0e+00
  %lost = fsub double %x, %back
  %log = call double @log.f64(double %sum)
  %rest = fdiv double %lost, %sum
  %near = fadd double %log, %rest
  %whole = fcmp oeq double %sum, 1.0e+00
  %a = select i1 %whole, double %x, double %near
  %far = fcmp ogt double %sum, 0x4350000000000000
  %b = select i1 %far, double %log, double %a
  %ends = fcmp ole double %sum, 0.0e+00
  %result = select i1 %ends, double %log, double %b
  ret double %result
}

define double @round.f64(double %x) {
  %whole = call double @trunc(double %x)
  %part = fsub double %x, %whole
  %magnitude = call double @llvm.fabs.f64(double %part)
  %up = fcmp oge double %magnitude, 5.0e-01
  %step = select i1 %up, double 1.0e+00, double 0.0e+00
  %signed = call double @llvm.copysign.f64(double %step, double %x)
  %sum = fadd double %whole, %signed
  %result = call double @llvm.copysign.f64(double %sum, double %x)
  ret double %result
}

; The extremes of numbers whose zeros have an order: of equal numbers, the bits of both or of one.
define double @maximumnum.f64(double %a, double %b) {
  %most = call double @llvm.maxnum.f64(double %a, double %b)
  %a.bits = bitcast double %a to i64
  %b.bits = bitcast double %b to i64
  %bits = and i64 %a.bits, %b.bits
  %both = bitcast i64 %bits to double
  %equal = fcmp oeq double %a, %b
  %result = select i1 %equal, double %both, double %most
  ret double %result
}

define double @minimumnum.f64(double %a, double %b) {
  %least = call double @llvm.minnum.f64(double %a, double %b)
  %a.bits = bitcast double %a to i64
  %b.bits = bitcast double %b to i64
  %bits = or i64 %a.bits, %b.bits
  %both = bitcast i64 %bits to double
  %equal = fcmp oeq double %a, %b
  %result = select i1 %equal, double %both, double %least
  ret double %result
}

define double @maximum.f64(double %a, double %b) {
  %most = call double @maximumnum.f64(double %a, double %b)
  %no = fcmp uno double %a, %b
  %result = select i1 %no, double 0x7FF8000000000000, double %most
  ret double %result
}

define double @minimum.f64(double %a, double %b) {
  %least = call double @minimumnum.f64(double %a, double %b)
  %no = fcmp uno double %a, %b
  %result = select i1 %no, double 0x7FF8000000000000, double %least
  ret double %result
}
