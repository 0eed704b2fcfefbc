; Conversions between integers of 64 bits and floats, for platforms that have no such integers.

declare i32 @llvm.genx.lzd.i32(i32)
declare i64 @llvm.genx.absi.i64(i64)
declare float @llvm.trunc.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)

; The upper 32 bits from the first that is set, the lowest of them set if a lower one is: they round as the whole does. The power
; of two that they lack is exact.
define float @uitofp.i64.f32(i64 %x) {
  %upper = lshr i64 %x, 32
  %high = trunc i64 %upper to i32
  %low = trunc i64 %x to i32
  %small = icmp eq i32 %high, 0
  %first = select i1 %small, i32 %low, i32 %high
  %second = select i1 %small, i32 0, i32 %low
  %zeros = call i32 @llvm.genx.lzd.i32(i32 %first)
  %shift = and i32 %zeros, 31
  %left = sub i32 31, %shift
  %a = shl i32 %first, %shift
  %half = lshr i32 %second, 1
  %b = lshr i32 %half, %left
  %bits = or i32 %a, %b
  %rest = shl i32 %second, %shift
  %lacks = icmp ne i32 %rest, 0
  %sticky = zext i1 %lacks to i32
  %rounds = or i32 %bits, %sticky
  %float = uitofp i32 %rounds to float
  %base = select i1 %small, i32 127, i32 159
  %biased = sub i32 %base, %shift
  %power.bits = shl i32 %biased, 23
  %power = bitcast i32 %power.bits to float
  %result = fmul float %float, %power
  ret float %result
}

define float @sitofp.i64.f32(i64 %x) {
  %magnitude = call i64 @llvm.genx.absi.i64(i64 %x)
  %float = call float @uitofp.i64.f32(i64 %magnitude)
  %upper = lshr i64 %x, 32
  %high = trunc i64 %upper to i32
  %sign = and i32 %high, -2147483648
  %bits = bitcast float %float to i32
  %signed = or i32 %bits, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define i64 @fptoui.f32.i64(float %x) {
  %scaled = fmul float %x, 0x3DF0000000000000
  %high.whole = call float @llvm.trunc.f32(float %scaled)
  %high = fptoui float %high.whole to i32
  %minus = fneg float %high.whole
  %rest = call float @llvm.fma.f32(float %minus, float 0x41F0000000000000, float %x)
  %low = fptoui float %rest to i32
  %high.long = zext i32 %high to i64
  %upper = shl i64 %high.long, 32
  %low.long = zext i32 %low to i64
  %result = or i64 %upper, %low.long
  ret i64 %result
}

define i64 @fptosi.f32.i64(float %x) {
  %magnitude = call float @llvm.fabs.f32(float %x)
  %whole = call i64 @fptoui.f32.i64(float %magnitude)
  %negative = fcmp olt float %x, 0.0e+00
  %minus = sub i64 0, %whole
  %result = select i1 %negative, i64 %minus, i64 %whole
  ret i64 %result
}
