; Remainders of floats with the sign of the dividend.

declare i1 @llvm.genx.any.v1i1(i1)

; The significand of the dividend is divided bit by bit, which is exact. Numbers that are not normal have the least exponent.
define float @frem.f32(float %x, float %y) {
  %x.bits = bitcast float %x to i32
  %y.bits = bitcast float %y to i32
  %x.abs = and i32 %x.bits, 2147483647
  %y.abs = and i32 %y.bits, 2147483647
  %x.exponent = lshr i32 %x.abs, 23
  %x.fraction = and i32 %x.abs, 8388607
  %x.normal = icmp ne i32 %x.exponent, 0
  %x.whole = or i32 %x.fraction, 8388608
  %m.0 = select i1 %x.normal, i32 %x.whole, i32 %x.fraction
  %x.small = xor i1 %x.normal, true
  %n.0 = select i1 %x.small, i32 1, i32 %x.exponent
  %y.exponent = lshr i32 %y.abs, 23
  %y.fraction = and i32 %y.abs, 8388607
  %y.normal = icmp ne i32 %y.exponent, 0
  %y.whole = or i32 %y.fraction, 8388608
  %d.0 = select i1 %y.normal, i32 %y.whole, i32 %y.fraction
  %y.small = xor i1 %y.normal, true
  %e.0 = select i1 %y.small, i32 1, i32 %y.exponent
  ; The divisor moves up until it has the hidden bit.
  %d.low.16 = icmp ult i32 %d.0, 256
  %d.up.16 = shl i32 %d.0, 16
  %d.1 = select i1 %d.low.16, i32 %d.up.16, i32 %d.0
  %e.down.16 = sub i32 %e.0, 16
  %e.1 = select i1 %d.low.16, i32 %e.down.16, i32 %e.0
  %d.low.8 = icmp ult i32 %d.1, 65536
  %d.up.8 = shl i32 %d.1, 8
  %d.2 = select i1 %d.low.8, i32 %d.up.8, i32 %d.1
  %e.down.8 = sub i32 %e.1, 8
  %e.2 = select i1 %d.low.8, i32 %e.down.8, i32 %e.1
  %d.low.4 = icmp ult i32 %d.2, 1048576
  %d.up.4 = shl i32 %d.2, 4
  %d.3 = select i1 %d.low.4, i32 %d.up.4, i32 %d.2
  %e.down.4 = sub i32 %e.2, 4
  %e.3 = select i1 %d.low.4, i32 %e.down.4, i32 %e.2
  %d.low.2 = icmp ult i32 %d.3, 4194304
  %d.up.2 = shl i32 %d.3, 2
  %d.4 = select i1 %d.low.2, i32 %d.up.2, i32 %d.3
  %e.down.2 = sub i32 %e.3, 2
  %e.4 = select i1 %d.low.2, i32 %e.down.2, i32 %e.3
  %d.low.1 = icmp ult i32 %d.4, 8388608
  %d.up.1 = shl i32 %d.4, 1
  %d.5 = select i1 %d.low.1, i32 %d.up.1, i32 %d.4
  %e.down.1 = sub i32 %e.4, 1
  %e.5 = select i1 %d.low.1, i32 %e.down.1, i32 %e.4
  %steps.0 = sub i32 %n.0, %e.5
  %large.0 = icmp uge i32 %m.0, %d.5
  %m.less.0 = sub i32 %m.0, %d.5
  %m.1 = select i1 %large.0, i32 %m.less.0, i32 %m.0
  br label %again
again:
  %m = phi i32 [ %m.1, %0 ], [ %m.next, %body ]
  %steps = phi i32 [ %steps.0, %0 ], [ %steps.next, %body ]
  %open = icmp sgt i32 %steps, 0
  %some = call i1 @llvm.genx.any.v1i1(i1 %open)
  br i1 %some, label %body, label %end
body:
  %m.up = shl i32 %m, 1
  %m.moved = select i1 %open, i32 %m.up, i32 %m
  %large = icmp uge i32 %m.moved, %d.5
  %m.less = sub i32 %m.moved, %d.5
  %m.next = select i1 %large, i32 %m.less, i32 %m.moved
  %fewer = sub i32 %steps, 1
  %steps.next = select i1 %open, i32 %fewer, i32 %steps
  br label %again
end:
  ; The exponent may be below the least one.
  %below = icmp slt i32 %e.5, 1
  %down = sub i32 1, %e.5
  %m.down = lshr i32 %m, %down
  %s.0 = select i1 %below, i32 %m.down, i32 %m
  %f.0 = select i1 %below, i32 1, i32 %e.5
  %s.low.16 = icmp ult i32 %s.0, 256
  %f.high.16 = icmp ugt i32 %f.0, 16
  %moves.16 = and i1 %s.low.16, %f.high.16
  %s.up.16 = shl i32 %s.0, 16
  %s.1 = select i1 %moves.16, i32 %s.up.16, i32 %s.0
  %f.down.16 = sub i32 %f.0, 16
  %f.1 = select i1 %moves.16, i32 %f.down.16, i32 %f.0
  %s.low.8 = icmp ult i32 %s.1, 65536
  %f.high.8 = icmp ugt i32 %f.1, 8
  %moves.8 = and i1 %s.low.8, %f.high.8
  %s.up.8 = shl i32 %s.1, 8
  %s.2 = select i1 %moves.8, i32 %s.up.8, i32 %s.1
  %f.down.8 = sub i32 %f.1, 8
  %f.2 = select i1 %moves.8, i32 %f.down.8, i32 %f.1
  %s.low.4 = icmp ult i32 %s.2, 1048576
  %f.high.4 = icmp ugt i32 %f.2, 4
  %moves.4 = and i1 %s.low.4, %f.high.4
  %s.up.4 = shl i32 %s.2, 4
  %s.3 = select i1 %moves.4, i32 %s.up.4, i32 %s.2
  %f.down.4 = sub i32 %f.2, 4
  %f.3 = select i1 %moves.4, i32 %f.down.4, i32 %f.2
  %s.low.2 = icmp ult i32 %s.3, 4194304
  %f.high.2 = icmp ugt i32 %f.3, 2
  %moves.2 = and i1 %s.low.2, %f.high.2
  %s.up.2 = shl i32 %s.3, 2
  %s.4 = select i1 %moves.2, i32 %s.up.2, i32 %s.3
  %f.down.2 = sub i32 %f.3, 2
  %f.4 = select i1 %moves.2, i32 %f.down.2, i32 %f.3
  %s.low.1 = icmp ult i32 %s.4, 8388608
  %f.high.1 = icmp ugt i32 %f.4, 1
  %moves.1 = and i1 %s.low.1, %f.high.1
  %s.up.1 = shl i32 %s.4, 1
  %s.5 = select i1 %moves.1, i32 %s.up.1, i32 %s.4
  %f.down.1 = sub i32 %f.4, 1
  %f.5 = select i1 %moves.1, i32 %f.down.1, i32 %f.4
  ; The hidden bit adds one to the exponent; without it the number is not normal.
  %f.less = sub i32 %f.5, 1
  %f.place = shl i32 %f.less, 23
  %number = add i32 %s.5, %f.place
  %zero = icmp eq i32 %s.5, 0
  %magnitude = select i1 %zero, i32 0, i32 %number
  %x.sign = and i32 %x.bits, -2147483648
  %with.sign = or i32 %magnitude, %x.sign
  %smaller = icmp ult i32 %x.abs, %y.abs
  %result.1 = select i1 %smaller, i32 %x.bits, i32 %with.sign
  %no.x = icmp uge i32 %x.abs, 2139095040
  %result.2 = select i1 %no.x, i32 2143289344, i32 %result.1
  %no.y = icmp ugt i32 %y.abs, 2139095040
  %result.3 = select i1 %no.y, i32 2143289344, i32 %result.2
  %y.zero = icmp eq i32 %y.abs, 0
  %result.4 = select i1 %y.zero, i32 2143289344, i32 %result.3
  %result = bitcast i32 %result.4 to float
  ret float %result
}

; The significand of the dividend is divided bit by bit, which is exact. Numbers that are not normal have the least exponent.
define double @frem.f64(double %x, double %y) {
  %x.bits = bitcast double %x to i64
  %y.bits = bitcast double %y to i64
  %x.abs = and i64 %x.bits, 9223372036854775807
  %y.abs = and i64 %y.bits, 9223372036854775807
  %x.exponent = lshr i64 %x.abs, 52
  %x.fraction = and i64 %x.abs, 4503599627370495
  %x.normal = icmp ne i64 %x.exponent, 0
  %x.whole = or i64 %x.fraction, 4503599627370496
  %m.0 = select i1 %x.normal, i64 %x.whole, i64 %x.fraction
  %x.small = xor i1 %x.normal, true
  %n.0 = select i1 %x.small, i64 1, i64 %x.exponent
  %y.exponent = lshr i64 %y.abs, 52
  %y.fraction = and i64 %y.abs, 4503599627370495
  %y.normal = icmp ne i64 %y.exponent, 0
  %y.whole = or i64 %y.fraction, 4503599627370496
  %d.0 = select i1 %y.normal, i64 %y.whole, i64 %y.fraction
  %y.small = xor i1 %y.normal, true
  %e.0 = select i1 %y.small, i64 1, i64 %y.exponent
  ; The divisor moves up until it has the hidden bit.
  %d.low.32 = icmp ult i64 %d.0, 2097152
  %d.up.32 = shl i64 %d.0, 32
  %d.1 = select i1 %d.low.32, i64 %d.up.32, i64 %d.0
  %e.down.32 = sub i64 %e.0, 32
  %e.1 = select i1 %d.low.32, i64 %e.down.32, i64 %e.0
  %d.low.16 = icmp ult i64 %d.1, 137438953472
  %d.up.16 = shl i64 %d.1, 16
  %d.2 = select i1 %d.low.16, i64 %d.up.16, i64 %d.1
  %e.down.16 = sub i64 %e.1, 16
  %e.2 = select i1 %d.low.16, i64 %e.down.16, i64 %e.1
  %d.low.8 = icmp ult i64 %d.2, 35184372088832
  %d.up.8 = shl i64 %d.2, 8
  %d.3 = select i1 %d.low.8, i64 %d.up.8, i64 %d.2
  %e.down.8 = sub i64 %e.2, 8
  %e.3 = select i1 %d.low.8, i64 %e.down.8, i64 %e.2
  %d.low.4 = icmp ult i64 %d.3, 562949953421312
  %d.up.4 = shl i64 %d.3, 4
  %d.4 = select i1 %d.low.4, i64 %d.up.4, i64 %d.3
  %e.down.4 = sub i64 %e.3, 4
  %e.4 = select i1 %d.low.4, i64 %e.down.4, i64 %e.3
  %d.low.2 = icmp ult i64 %d.4, 2251799813685248
  %d.up.2 = shl i64 %d.4, 2
  %d.5 = select i1 %d.low.2, i64 %d.up.2, i64 %d.4
  %e.down.2 = sub i64 %e.4, 2
  %e.5 = select i1 %d.low.2, i64 %e.down.2, i64 %e.4
  %d.low.1 = icmp ult i64 %d.5, 4503599627370496
  %d.up.1 = shl i64 %d.5, 1
  %d.6 = select i1 %d.low.1, i64 %d.up.1, i64 %d.5
  %e.down.1 = sub i64 %e.5, 1
  %e.6 = select i1 %d.low.1, i64 %e.down.1, i64 %e.5
  %steps.0 = sub i64 %n.0, %e.6
  %large.0 = icmp uge i64 %m.0, %d.6
  %m.less.0 = sub i64 %m.0, %d.6
  %m.1 = select i1 %large.0, i64 %m.less.0, i64 %m.0
  br label %again
again:
  %m = phi i64 [ %m.1, %0 ], [ %m.next, %body ]
  %steps = phi i64 [ %steps.0, %0 ], [ %steps.next, %body ]
  %open = icmp sgt i64 %steps, 0
  %some = call i1 @llvm.genx.any.v1i1(i1 %open)
  br i1 %some, label %body, label %end
body:
  %m.up = shl i64 %m, 1
  %m.moved = select i1 %open, i64 %m.up, i64 %m
  %large = icmp uge i64 %m.moved, %d.6
  %m.less = sub i64 %m.moved, %d.6
  %m.next = select i1 %large, i64 %m.less, i64 %m.moved
  %fewer = sub i64 %steps, 1
  %steps.next = select i1 %open, i64 %fewer, i64 %steps
  br label %again
end:
  ; The exponent may be below the least one.
  %below = icmp slt i64 %e.6, 1
  %down = sub i64 1, %e.6
  %m.down = lshr i64 %m, %down
  %s.0 = select i1 %below, i64 %m.down, i64 %m
  %f.0 = select i1 %below, i64 1, i64 %e.6
  %s.low.32 = icmp ult i64 %s.0, 2097152
  %f.high.32 = icmp ugt i64 %f.0, 32
  %moves.32 = and i1 %s.low.32, %f.high.32
  %s.up.32 = shl i64 %s.0, 32
  %s.1 = select i1 %moves.32, i64 %s.up.32, i64 %s.0
  %f.down.32 = sub i64 %f.0, 32
  %f.1 = select i1 %moves.32, i64 %f.down.32, i64 %f.0
  %s.low.16 = icmp ult i64 %s.1, 137438953472
  %f.high.16 = icmp ugt i64 %f.1, 16
  %moves.16 = and i1 %s.low.16, %f.high.16
  %s.up.16 = shl i64 %s.1, 16
  %s.2 = select i1 %moves.16, i64 %s.up.16, i64 %s.1
  %f.down.16 = sub i64 %f.1, 16
  %f.2 = select i1 %moves.16, i64 %f.down.16, i64 %f.1
  %s.low.8 = icmp ult i64 %s.2, 35184372088832
  %f.high.8 = icmp ugt i64 %f.2, 8
  %moves.8 = and i1 %s.low.8, %f.high.8
  %s.up.8 = shl i64 %s.2, 8
  %s.3 = select i1 %moves.8, i64 %s.up.8, i64 %s.2
  %f.down.8 = sub i64 %f.2, 8
  %f.3 = select i1 %moves.8, i64 %f.down.8, i64 %f.2
  %s.low.4 = icmp ult i64 %s.3, 562949953421312
  %f.high.4 = icmp ugt i64 %f.3, 4
  %moves.4 = and i1 %s.low.4, %f.high.4
  %s.up.4 = shl i64 %s.3, 4
  %s.4 = select i1 %moves.4, i64 %s.up.4, i64 %s.3
  %f.down.4 = sub i64 %f.3, 4
  %f.4 = select i1 %moves.4, i64 %f.down.4, i64 %f.3
  %s.low.2 = icmp ult i64 %s.4, 2251799813685248
  %f.high.2 = icmp ugt i64 %f.4, 2
  %moves.2 = and i1 %s.low.2, %f.high.2
  %s.up.2 = shl i64 %s.4, 2
  %s.5 = select i1 %moves.2, i64 %s.up.2, i64 %s.4
  %f.down.2 = sub i64 %f.4, 2
  %f.5 = select i1 %moves.2, i64 %f.down.2, i64 %f.4
  %s.low.1 = icmp ult i64 %s.5, 4503599627370496
  %f.high.1 = icmp ugt i64 %f.5, 1
  %moves.1 = and i1 %s.low.1, %f.high.1
  %s.up.1 = shl i64 %s.5, 1
  %s.6 = select i1 %moves.1, i64 %s.up.1, i64 %s.5
  %f.down.1 = sub i64 %f.5, 1
  %f.6 = select i1 %moves.1, i64 %f.down.1, i64 %f.5
  ; The hidden bit adds one to the exponent; without it the number is not normal.
  %f.less = sub i64 %f.6, 1
  %f.place = shl i64 %f.less, 52
  %number = add i64 %s.6, %f.place
  %zero = icmp eq i64 %s.6, 0
  %magnitude = select i1 %zero, i64 0, i64 %number
  %x.sign = and i64 %x.bits, -9223372036854775808
  %with.sign = or i64 %magnitude, %x.sign
  %smaller = icmp ult i64 %x.abs, %y.abs
  %result.1 = select i1 %smaller, i64 %x.bits, i64 %with.sign
  %no.x = icmp uge i64 %x.abs, 9218868437227405312
  %result.2 = select i1 %no.x, i64 9221120237041090560, i64 %result.1
  %no.y = icmp ugt i64 %y.abs, 9218868437227405312
  %result.3 = select i1 %no.y, i64 9221120237041090560, i64 %result.2
  %y.zero = icmp eq i64 %y.abs, 0
  %result.4 = select i1 %y.zero, i64 9221120237041090560, i64 %result.3
  %result = bitcast i64 %result.4 to double
  ret double %result
}
