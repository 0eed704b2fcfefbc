; Functions on the bits of integers, by those of dwords that vISA has. `genx.lzd` of 0 is 32; `genx.fbl` of 0 has all bits.

declare i32 @llvm.genx.cbit.i32(i32)
declare i32 @llvm.genx.lzd.i32(i32)
declare i32 @llvm.genx.fbl.i32(i32)
declare i32 @llvm.genx.bfrev.i32(i32)

define i32 @ctpop.i32(i32 %x) {
  %n = call i32 @llvm.genx.cbit.i32(i32 %x)
  ret i32 %n
}

define i8 @ctpop.i8(i8 %x) {
  %wide = zext i8 %x to i32
  %n = call i32 @llvm.genx.cbit.i32(i32 %wide)
  %result = trunc i32 %n to i8
  ret i8 %result
}

define i16 @ctpop.i16(i16 %x) {
  %wide = zext i16 %x to i32
  %n = call i32 @llvm.genx.cbit.i32(i32 %wide)
  %result = trunc i32 %n to i16
  ret i16 %result
}

define i64 @ctpop.i64(i64 %x) {
  %halves = bitcast i64 %x to <2 x i32>
  %low = extractelement <2 x i32> %halves, i32 0
  %high = extractelement <2 x i32> %halves, i32 1
  %a = call i32 @llvm.genx.cbit.i32(i32 %low)
  %b = call i32 @llvm.genx.cbit.i32(i32 %high)
  %sum = add i32 %a, %b
  %result = zext i32 %sum to i64
  ret i64 %result
}

define i32 @ctlz.i32(i32 %x) {
  %n = call i32 @llvm.genx.lzd.i32(i32 %x)
  ret i32 %n
}

define i8 @ctlz.i8(i8 %x) {
  %wide = zext i8 %x to i32
  %n = call i32 @llvm.genx.lzd.i32(i32 %wide)
  %own = sub i32 %n, 24
  %result = trunc i32 %own to i8
  ret i8 %result
}

define i16 @ctlz.i16(i16 %x) {
  %wide = zext i16 %x to i32
  %n = call i32 @llvm.genx.lzd.i32(i32 %wide)
  %own = sub i32 %n, 16
  %result = trunc i32 %own to i16
  ret i16 %result
}

; The lower half counts only if the upper one is 0.
define i64 @ctlz.i64(i64 %x) {
  %halves = bitcast i64 %x to <2 x i32>
  %low = extractelement <2 x i32> %halves, i32 0
  %high = extractelement <2 x i32> %halves, i32 1
  %of.low = call i32 @llvm.genx.lzd.i32(i32 %low)
  %both = add i32 %of.low, 32
  %is.high = icmp ne i32 %high, 0
  %of.high = call i32 @llvm.genx.lzd.i32(i32 %high)
  %n = select i1 %is.high, i32 %of.high, i32 %both
  %result = zext i32 %n to i64
  ret i64 %result
}

define i32 @cttz.i32(i32 %x) {
  %n = call i32 @llvm.genx.fbl.i32(i32 %x)
  %none = icmp eq i32 %x, 0
  %result = select i1 %none, i32 32, i32 %n
  ret i32 %result
}

; A bit above the last ends the search.
define i8 @cttz.i8(i8 %x) {
  %wide = zext i8 %x to i32
  %marked = or i32 %wide, 256
  %n = call i32 @llvm.genx.fbl.i32(i32 %marked)
  %result = trunc i32 %n to i8
  ret i8 %result
}

define i16 @cttz.i16(i16 %x) {
  %wide = zext i16 %x to i32
  %marked = or i32 %wide, 65536
  %n = call i32 @llvm.genx.fbl.i32(i32 %marked)
  %result = trunc i32 %n to i16
  ret i16 %result
}

define i64 @cttz.i64(i64 %x) {
  %halves = bitcast i64 %x to <2 x i32>
  %low = extractelement <2 x i32> %halves, i32 0
  %high = extractelement <2 x i32> %halves, i32 1
  %of.high = call i32 @llvm.genx.fbl.i32(i32 %high)
  %after.low = add i32 %of.high, 32
  %no.high = icmp eq i32 %high, 0
  %upper = select i1 %no.high, i32 64, i32 %after.low
  %of.low = call i32 @llvm.genx.fbl.i32(i32 %low)
  %no.low = icmp eq i32 %low, 0
  %n = select i1 %no.low, i32 %upper, i32 %of.low
  %result = zext i32 %n to i64
  ret i64 %result
}

define i32 @bitreverse.i32(i32 %x) {
  %result = call i32 @llvm.genx.bfrev.i32(i32 %x)
  ret i32 %result
}

define i8 @bitreverse.i8(i8 %x) {
  %wide = zext i8 %x to i32
  %reversed = call i32 @llvm.genx.bfrev.i32(i32 %wide)
  %own = lshr i32 %reversed, 24
  %result = trunc i32 %own to i8
  ret i8 %result
}

define i16 @bitreverse.i16(i16 %x) {
  %wide = zext i16 %x to i32
  %reversed = call i32 @llvm.genx.bfrev.i32(i32 %wide)
  %own = lshr i32 %reversed, 16
  %result = trunc i32 %own to i16
  ret i16 %result
}

define i64 @bitreverse.i64(i64 %x) {
  %halves = bitcast i64 %x to <2 x i32>
  %low = extractelement <2 x i32> %halves, i32 0
  %high = extractelement <2 x i32> %halves, i32 1
  %a = call i32 @llvm.genx.bfrev.i32(i32 %high)
  %b = call i32 @llvm.genx.bfrev.i32(i32 %low)
  %first = insertelement <2 x i32> undef, i32 %a, i32 0
  %both = insertelement <2 x i32> %first, i32 %b, i32 1
  %result = bitcast <2 x i32> %both to i64
  ret i64 %result
}

define i16 @bswap.i16(i16 %x) {
  %bytes = bitcast i16 %x to <2 x i8>
  %b0 = extractelement <2 x i8> %bytes, i32 0
  %b1 = extractelement <2 x i8> %bytes, i32 1
  %r0 = insertelement <2 x i8> undef, i8 %b1, i32 0
  %r1 = insertelement <2 x i8> %r0, i8 %b0, i32 1
  %result = bitcast <2 x i8> %r1 to i16
  ret i16 %result
}

define i32 @bswap.i32(i32 %x) {
  %bytes = bitcast i32 %x to <4 x i8>
  %b0 = extractelement <4 x i8> %bytes, i32 0
  %b1 = extractelement <4 x i8> %bytes, i32 1
  %b2 = extractelement <4 x i8> %bytes, i32 2
  %b3 = extractelement <4 x i8> %bytes, i32 3
  %r0 = insertelement <4 x i8> undef, i8 %b3, i32 0
  %r1 = insertelement <4 x i8> %r0, i8 %b2, i32 1
  %r2 = insertelement <4 x i8> %r1, i8 %b1, i32 2
  %r3 = insertelement <4 x i8> %r2, i8 %b0, i32 3
  %result = bitcast <4 x i8> %r3 to i32
  ret i32 %result
}

define i64 @bswap.i64(i64 %x) {
  %bytes = bitcast i64 %x to <8 x i8>
  %b0 = extractelement <8 x i8> %bytes, i32 0
  %b1 = extractelement <8 x i8> %bytes, i32 1
  %b2 = extractelement <8 x i8> %bytes, i32 2
  %b3 = extractelement <8 x i8> %bytes, i32 3
  %b4 = extractelement <8 x i8> %bytes, i32 4
  %b5 = extractelement <8 x i8> %bytes, i32 5
  %b6 = extractelement <8 x i8> %bytes, i32 6
  %b7 = extractelement <8 x i8> %bytes, i32 7
  %r0 = insertelement <8 x i8> undef, i8 %b7, i32 0
  %r1 = insertelement <8 x i8> %r0, i8 %b6, i32 1
  %r2 = insertelement <8 x i8> %r1, i8 %b5, i32 2
  %r3 = insertelement <8 x i8> %r2, i8 %b4, i32 3
  %r4 = insertelement <8 x i8> %r3, i8 %b3, i32 4
  %r5 = insertelement <8 x i8> %r4, i8 %b2, i32 5
  %r6 = insertelement <8 x i8> %r5, i8 %b1, i32 6
  %r7 = insertelement <8 x i8> %r6, i8 %b0, i32 7
  %result = bitcast <8 x i8> %r7 to i64
  ret i64 %result
}

