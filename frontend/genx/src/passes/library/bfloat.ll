; Conversions of bfloats, which are the upper halves of floats with the same value.

; The bits of the bfloat next to a float, ties to even. A NaN stays one and becomes quiet.
define i16 @bfloat.rounded(float %x) {
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %half = add i32 %bits, 32767
  %sum = add i32 %half, %odd
  %near = lshr i32 %sum, 16
  %quiet = or i32 %upper, 64
  %nan = fcmp uno float %x, %x
  %chosen = select i1 %nan, i32 %quiet, i32 %near
  %result = trunc i32 %chosen to i16
  ret i16 %result
}

define float @bfloat.extended(i16 %bits) {
  %wide = zext i16 %bits to i32
  %moved = shl i32 %wide, 16
  %result = bitcast i32 %moved to float
  ret float %result
}

; A double as a float whose rounding to a bfloat is that of the double: rounded to odd. Magnitudes without their signs are in
; the order of their bits.
define float @bfloat.odd(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %bits = bitcast float %near to i32
  %back.bits = bitcast double %back to i64
  %back.magnitude = and i64 %back.bits, 9223372036854775807
  %a = bitcast i64 %back.magnitude to double
  %x.bits = bitcast double %x to i64
  %x.magnitude = and i64 %x.bits, 9223372036854775807
  %b = bitcast i64 %x.magnitude to double
  %beyond = fcmp ogt double %a, %b
  %less = add i32 %bits, -1
  %below = select i1 %beyond, i32 %less, i32 %bits
  %odd = or i32 %below, 1
  %inexact = fcmp une double %back, %x
  %chosen = select i1 %inexact, i32 %odd, i32 %below
  %result = bitcast i32 %chosen to float
  ret float %result
}

