; Quotients and remainders of integers, where vISA does not divide them.

declare float @llvm.genx.inv.f32(float)
declare i32 @llvm.genx.umulh.i32(i32, i32)
declare i32 @llvm.genx.absi.i32(i32)
declare i64 @llvm.genx.absi.i64(i64)

define i32 @magnitude.i32(i32 %x) {
  %result = call i32 @llvm.genx.absi.i32(i32 %x)
  ret i32 %result
}

; A number with its sign changed where another one is negative.
define i32 @signed.i32(i32 %x, i32 %by) {
  %negative = icmp slt i32 %by, 0
  %minus = sub i32 0, %x
  %result = select i1 %negative, i32 %minus, i32 %x
  ret i32 %result
}

define i64 @magnitude.i64(i64 %x) {
  %result = call i64 @llvm.genx.absi.i64(i64 %x)
  ret i64 %result
}

; A number with its sign changed where another one is negative.
define i64 @signed.i64(i64 %x, i64 %by) {
  %negative = icmp slt i64 %by, 0
  %minus = sub i64 0, %x
  %result = select i1 %negative, i64 %minus, i64 %x
  ret i64 %result
}

; Reciprocal in units of 2^-32, from that of a float by one step of Newton's method. The scale is 2^32 less a margin, so that
; the product is never above the exact reciprocal. In parts of 2^-32 the margin is 1536. The conversion of the divisor to a
; float adds at most 256; `inv`, which may be one unit in the last place off the correctly rounded float, 768; the rounding
; of the product 256. In a mode of rounding that is not to the nearest, one of the first and the last adds 512, and the other
; none. The floats below 2^32 are 256 apart, and 1280 would leave nothing for products of the errors.
define i32 @reciprocal.i32(i32 %d) {
  %float = uitofp i32 %d to float
  %inverse = call float @llvm.genx.inv.f32(float %float)
  %scaled = fmul float %inverse, 0x41EFFFFF40000000
  %estimate = fptoui float %scaled to i32
  %product = mul i32 %d, %estimate
  %lacks = sub i32 0, %product
  %more = call i32 @llvm.genx.umulh.i32(i32 %estimate, i32 %lacks)
  %result = add i32 %estimate, %more
  ret i32 %result
}

; By a constant whose reciprocal is rounded down: the quotient lacks at most one.
define i32 @udiv.by.i32(i32 %n, i32 %d, i32 %reciprocal) {
  %q = call i32 @llvm.genx.umulh.i32(i32 %n, i32 %reciprocal)
  %taken = mul i32 %q, %d
  %r = sub i32 %n, %taken
  %more = icmp uge i32 %r, %d
  %q.next = add i32 %q, 1
  %result = select i1 %more, i32 %q.next, i32 %q
  ret i32 %result
}

define i32 @urem.by.i32(i32 %n, i32 %d, i32 %reciprocal) {
  %q = call i32 @llvm.genx.umulh.i32(i32 %n, i32 %reciprocal)
  %taken = mul i32 %q, %d
  %r = sub i32 %n, %taken
  %more = icmp uge i32 %r, %d
  %r.next = sub i32 %r, %d
  %result = select i1 %more, i32 %r.next, i32 %r
  ret i32 %result
}

; The quotient lacks at most two.
define i32 @udiv.i32(i32 %n, i32 %d) {
  %reciprocal = call i32 @reciprocal.i32(i32 %d)
  %q = call i32 @llvm.genx.umulh.i32(i32 %n, i32 %reciprocal)
  %taken = mul i32 %q, %d
  %r = sub i32 %n, %taken
  %more = icmp uge i32 %r, %d
  %q.more = add i32 %q, 1
  %q.next = select i1 %more, i32 %q.more, i32 %q
  %r.less = sub i32 %r, %d
  %r.next = select i1 %more, i32 %r.less, i32 %r
  %last = icmp uge i32 %r.next, %d
  %q.last = add i32 %q.next, 1
  %result = select i1 %last, i32 %q.last, i32 %q.next
  ret i32 %result
}

define i32 @urem.i32(i32 %n, i32 %d) {
  %reciprocal = call i32 @reciprocal.i32(i32 %d)
  %q = call i32 @llvm.genx.umulh.i32(i32 %n, i32 %reciprocal)
  %taken = mul i32 %q, %d
  %r = sub i32 %n, %taken
  %more = icmp uge i32 %r, %d
  %r.less = sub i32 %r, %d
  %r.next = select i1 %more, i32 %r.less, i32 %r
  %last = icmp uge i32 %r.next, %d
  %r.last = sub i32 %r.next, %d
  %result = select i1 %last, i32 %r.last, i32 %r.next
  ret i32 %result
}

; By the reciprocal as a double, a little too small: its product with the dividend is a quotient that lacks less than 2^16;
; that of what remains lacks at most one. The factor slightly below 1 makes no quotient too large. In units of 2^-53 its margin
; is 16. At most four roundings make a quotient larger, by one unit each, or by two if the mode of rounding is upwards: the
; reciprocal, which is rounded correctly, its product with this number, the conversion of the dividend, and their product.
; The conversion of the divisor, which makes it larger where it rounds down, adds one, or two in a mode where the other four
; add none.
define { i64, i64 } @divided.i64(i64 %n, i64 %d) {
  %divisor = uitofp i64 %d to double
  %exact = fdiv double 1.0, %divisor
  %reciprocal = fmul double %exact, 0x3FEFFFFFFFFFFFF0
  %n.wide = uitofp i64 %n to double
  %n.part = fmul double %n.wide, %reciprocal
  %q = fptoui double %n.part to i64
  %taken = mul i64 %q, %d
  %r = sub i64 %n, %taken
  %r.wide = uitofp i64 %r to double
  %r.part = fmul double %r.wide, %reciprocal
  %more = fptoui double %r.part to i64
  %q.2 = add i64 %q, %more
  %taken.2 = mul i64 %more, %d
  %r.2 = sub i64 %r, %taken.2
  %first = insertvalue { i64, i64 } undef, i64 %q.2, 0
  %both = insertvalue { i64, i64 } %first, i64 %r.2, 1
  ret { i64, i64 } %both
}

define i64 @udiv.i64(i64 %n, i64 %d) {
  %both = call { i64, i64 } @divided.i64(i64 %n, i64 %d)
  %q = extractvalue { i64, i64 } %both, 0
  %r = extractvalue { i64, i64 } %both, 1
  %more = icmp uge i64 %r, %d
  %q.next = add i64 %q, 1
  %result = select i1 %more, i64 %q.next, i64 %q
  ret i64 %result
}

define i64 @urem.i64(i64 %n, i64 %d) {
  %both = call { i64, i64 } @divided.i64(i64 %n, i64 %d)
  %r = extractvalue { i64, i64 } %both, 1
  %more = icmp uge i64 %r, %d
  %r.next = sub i64 %r, %d
  %result = select i1 %more, i64 %r.next, i64 %r
  ret i64 %result
}

; Bit by bit, without doubles. The bits of the dividend leave at the top, and those of the quotient come in at the bottom. A
; remainder that overflows 64 bits is above the divisor, and below it after one subtraction.
define { i64, i64 } @bits.divided.i64(i64 %n, i64 %d) {
  br label %again
again:
  %left = phi i32 [ 64, %0 ], [ %fewer, %again ]
  %q = phi i64 [ %n, %0 ], [ %q.next, %again ]
  %r = phi i64 [ 0, %0 ], [ %r.next, %again ]
  %top = lshr i64 %q, 63
  %r.up = shl i64 %r, 1
  %r.in = or i64 %r.up, %top
  %q.up = shl i64 %q, 1
  %over = icmp slt i64 %r, 0
  %fits.own = icmp uge i64 %r.in, %d
  %fits = or i1 %over, %fits.own
  %r.less = sub i64 %r.in, %d
  %r.next = select i1 %fits, i64 %r.less, i64 %r.in
  %q.in = or i64 %q.up, 1
  %q.next = select i1 %fits, i64 %q.in, i64 %q.up
  %fewer = sub i32 %left, 1
  %more = icmp ne i32 %fewer, 0
  br i1 %more, label %again, label %end
end:
  %first = insertvalue { i64, i64 } undef, i64 %q.next, 0
  %both = insertvalue { i64, i64 } %first, i64 %r.next, 1
  ret { i64, i64 } %both
}

define i64 @bits.udiv.i64(i64 %n, i64 %d) {
  %both = call { i64, i64 } @bits.divided.i64(i64 %n, i64 %d)
  %q = extractvalue { i64, i64 } %both, 0
  ret i64 %q
}

define i64 @bits.urem.i64(i64 %n, i64 %d) {
  %both = call { i64, i64 } @bits.divided.i64(i64 %n, i64 %d)
  %r = extractvalue { i64, i64 } %both, 1
  ret i64 %r
}
