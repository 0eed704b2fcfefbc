; Arithmetic with a bit that says that the result does not fit.

declare i32 @llvm.genx.umulh.i32(i32, i32)
declare i32 @llvm.genx.smulh.i32(i32, i32)

define { i32, i1 } @uadd.i32(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  %over = icmp ult i32 %sum, %a
  %first = insertvalue { i32, i1 } undef, i32 %sum, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

; The sum's sign differs from those of both operands.
define { i32, i1 } @sadd.i32(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  %of.a = xor i32 %sum, %a
  %of.b = xor i32 %sum, %b
  %of.both = and i32 %of.a, %of.b
  %over = icmp slt i32 %of.both, 0
  %first = insertvalue { i32, i1 } undef, i32 %sum, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

define { i32, i1 } @usub.i32(i32 %a, i32 %b) {
  %rest = sub i32 %a, %b
  %over = icmp ult i32 %a, %b
  %first = insertvalue { i32, i1 } undef, i32 %rest, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

; The operands' signs differ, and the difference's is not that of the first.
define { i32, i1 } @ssub.i32(i32 %a, i32 %b) {
  %rest = sub i32 %a, %b
  %of.b = xor i32 %a, %b
  %of.rest = xor i32 %a, %rest
  %of.both = and i32 %of.b, %of.rest
  %over = icmp slt i32 %of.both, 0
  %first = insertvalue { i32, i1 } undef, i32 %rest, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

define { i32, i1 } @umul.i32(i32 %a, i32 %b) {
  %product = mul i32 %a, %b
  %upper = call i32 @umulh.i32(i32 %a, i32 %b)
  %over = icmp ne i32 %upper, 0
  %first = insertvalue { i32, i1 } undef, i32 %product, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

; The upper half is no extension of the product's sign.
define { i32, i1 } @smul.i32(i32 %a, i32 %b) {
  %product = mul i32 %a, %b
  %upper = call i32 @smulh.i32(i32 %a, i32 %b)
  %sign = ashr i32 %product, 31
  %over = icmp ne i32 %upper, %sign
  %first = insertvalue { i32, i1 } undef, i32 %product, 0
  %both = insertvalue { i32, i1 } %first, i1 %over, 1
  ret { i32, i1 } %both
}

define { i64, i1 } @uadd.i64(i64 %a, i64 %b) {
  %sum = add i64 %a, %b
  %over = icmp ult i64 %sum, %a
  %first = insertvalue { i64, i1 } undef, i64 %sum, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

; The sum's sign differs from those of both operands.
define { i64, i1 } @sadd.i64(i64 %a, i64 %b) {
  %sum = add i64 %a, %b
  %of.a = xor i64 %sum, %a
  %of.b = xor i64 %sum, %b
  %of.both = and i64 %of.a, %of.b
  %over = icmp slt i64 %of.both, 0
  %first = insertvalue { i64, i1 } undef, i64 %sum, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

define { i64, i1 } @usub.i64(i64 %a, i64 %b) {
  %rest = sub i64 %a, %b
  %over = icmp ult i64 %a, %b
  %first = insertvalue { i64, i1 } undef, i64 %rest, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

; The operands' signs differ, and the difference's is not that of the first.
define { i64, i1 } @ssub.i64(i64 %a, i64 %b) {
  %rest = sub i64 %a, %b
  %of.b = xor i64 %a, %b
  %of.rest = xor i64 %a, %rest
  %of.both = and i64 %of.b, %of.rest
  %over = icmp slt i64 %of.both, 0
  %first = insertvalue { i64, i1 } undef, i64 %rest, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

define { i64, i1 } @umul.i64(i64 %a, i64 %b) {
  %product = mul i64 %a, %b
  %upper = call i64 @umulh.i64(i64 %a, i64 %b)
  %over = icmp ne i64 %upper, 0
  %first = insertvalue { i64, i1 } undef, i64 %product, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

; The upper half is no extension of the product's sign.
define { i64, i1 } @smul.i64(i64 %a, i64 %b) {
  %product = mul i64 %a, %b
  %upper = call i64 @smulh.i64(i64 %a, i64 %b)
  %sign = ashr i64 %product, 63
  %over = icmp ne i64 %upper, %sign
  %first = insertvalue { i64, i1 } undef, i64 %product, 0
  %both = insertvalue { i64, i1 } %first, i1 %over, 1
  ret { i64, i1 } %both
}

define i32 @umulh.i32(i32 %a, i32 %b) {
  %upper = call i32 @llvm.genx.umulh.i32(i32 %a, i32 %b)
  ret i32 %upper
}

define i32 @smulh.i32(i32 %a, i32 %b) {
  %upper = call i32 @llvm.genx.smulh.i32(i32 %a, i32 %b)
  ret i32 %upper
}

; From products of halves, each of which fits.
define i64 @umulh.i64(i64 %a, i64 %b) {
  %a.low = and i64 %a, 4294967295
  %a.high = lshr i64 %a, 32
  %b.low = and i64 %b, 4294967295
  %b.high = lshr i64 %b, 32
  %low = mul i64 %a.low, %b.low
  %carry = lshr i64 %low, 32
  %product = mul i64 %a.low, %b.high
  %cross = add i64 %product, %carry
  %cross.low = and i64 %cross, 4294967295
  %product.2 = mul i64 %a.high, %b.low
  %other = add i64 %product.2, %cross.low
  %high = mul i64 %a.high, %b.high
  %of.cross = lshr i64 %cross, 32
  %sum = add i64 %high, %of.cross
  %of.other = lshr i64 %other, 32
  %upper = add i64 %sum, %of.other
  ret i64 %upper
}

; A negative factor counts as 2^64 more.
define i64 @smulh.i64(i64 %a, i64 %b) {
  %upper = call i64 @umulh.i64(i64 %a, i64 %b)
  %a.sign = ashr i64 %a, 63
  %a.more = and i64 %a.sign, %b
  %rest = sub i64 %upper, %a.more
  %b.sign = ashr i64 %b, 63
  %b.more = and i64 %b.sign, %a
  %result = sub i64 %rest, %b.more
  ret i64 %result
}

