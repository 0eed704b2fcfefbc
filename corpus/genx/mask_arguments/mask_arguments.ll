; Masks of any width as arguments and results of subroutines and of functions that are called with a stack. The reference
; compiler ends without a message.
;! global 2
;! local 1
;! unlike
;! in a u32 128 bits 32
;! in b u32 128 bits 32
;! out o u32 1792
;= def expect(args):
;=     o = []
;=     for g in range(2):
;=         for n in [1, 2, 3, 5, 8, 12, 16, 17, 24, 32, 40, 64]:
;=             a, b = args[0][64 * g:64 * g + n], args[1][64 * g:64 * g + n]
;=             m = [x < y for x, y in zip(a, b)]
;=             for stack in (0, 1):
;=                 o += [(x + 5 if c else x ^ y) & 0xffffffff for c, x, y in zip(m, a, b)]
;=                 o += [(9 if c != (x & 1 == 1) else 4) + stack for c, x in zip(m, a)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

define internal spir_func { <1 x i1>, <1 x i32> } @f1_0(<1 x i1> %m, <1 x i32> %x, <1 x i32> %y) #1 {
  %more = add <1 x i32> %x, <i32 5>
  %other = xor <1 x i32> %x, %y
  %v = select <1 x i1> %m, <1 x i32> %more, <1 x i32> %other
  %odd = trunc <1 x i32> %x to <1 x i1>
  %r = xor <1 x i1> %m, %odd
  %p = insertvalue { <1 x i1>, <1 x i32> } undef, <1 x i1> %r, 0
  %q = insertvalue { <1 x i1>, <1 x i32> } %p, <1 x i32> %v, 1
  ret { <1 x i1>, <1 x i32> } %q
}

define internal spir_func { <1 x i1>, <1 x i32> } @f1_1(<1 x i1> %m, <1 x i32> %x, <1 x i32> %y) #2 {
  %more = add <1 x i32> %x, <i32 5>
  %other = xor <1 x i32> %x, %y
  %v = select <1 x i1> %m, <1 x i32> %more, <1 x i32> %other
  %odd = trunc <1 x i32> %x to <1 x i1>
  %r = xor <1 x i1> %m, %odd
  %p = insertvalue { <1 x i1>, <1 x i32> } undef, <1 x i1> %r, 0
  %q = insertvalue { <1 x i1>, <1 x i32> } %p, <1 x i32> %v, 1
  ret { <1 x i1>, <1 x i32> } %q
}

define internal spir_func { <2 x i1>, <2 x i32> } @f2_0(<2 x i1> %m, <2 x i32> %x, <2 x i32> %y) #1 {
  %more = add <2 x i32> %x, <i32 5, i32 5>
  %other = xor <2 x i32> %x, %y
  %v = select <2 x i1> %m, <2 x i32> %more, <2 x i32> %other
  %odd = trunc <2 x i32> %x to <2 x i1>
  %r = xor <2 x i1> %m, %odd
  %p = insertvalue { <2 x i1>, <2 x i32> } undef, <2 x i1> %r, 0
  %q = insertvalue { <2 x i1>, <2 x i32> } %p, <2 x i32> %v, 1
  ret { <2 x i1>, <2 x i32> } %q
}

define internal spir_func { <2 x i1>, <2 x i32> } @f2_1(<2 x i1> %m, <2 x i32> %x, <2 x i32> %y) #2 {
  %more = add <2 x i32> %x, <i32 5, i32 5>
  %other = xor <2 x i32> %x, %y
  %v = select <2 x i1> %m, <2 x i32> %more, <2 x i32> %other
  %odd = trunc <2 x i32> %x to <2 x i1>
  %r = xor <2 x i1> %m, %odd
  %p = insertvalue { <2 x i1>, <2 x i32> } undef, <2 x i1> %r, 0
  %q = insertvalue { <2 x i1>, <2 x i32> } %p, <2 x i32> %v, 1
  ret { <2 x i1>, <2 x i32> } %q
}

define internal spir_func { <3 x i1>, <3 x i32> } @f3_0(<3 x i1> %m, <3 x i32> %x, <3 x i32> %y) #1 {
  %more = add <3 x i32> %x, <i32 5, i32 5, i32 5>
  %other = xor <3 x i32> %x, %y
  %v = select <3 x i1> %m, <3 x i32> %more, <3 x i32> %other
  %odd = trunc <3 x i32> %x to <3 x i1>
  %r = xor <3 x i1> %m, %odd
  %p = insertvalue { <3 x i1>, <3 x i32> } undef, <3 x i1> %r, 0
  %q = insertvalue { <3 x i1>, <3 x i32> } %p, <3 x i32> %v, 1
  ret { <3 x i1>, <3 x i32> } %q
}

define internal spir_func { <3 x i1>, <3 x i32> } @f3_1(<3 x i1> %m, <3 x i32> %x, <3 x i32> %y) #2 {
  %more = add <3 x i32> %x, <i32 5, i32 5, i32 5>
  %other = xor <3 x i32> %x, %y
  %v = select <3 x i1> %m, <3 x i32> %more, <3 x i32> %other
  %odd = trunc <3 x i32> %x to <3 x i1>
  %r = xor <3 x i1> %m, %odd
  %p = insertvalue { <3 x i1>, <3 x i32> } undef, <3 x i1> %r, 0
  %q = insertvalue { <3 x i1>, <3 x i32> } %p, <3 x i32> %v, 1
  ret { <3 x i1>, <3 x i32> } %q
}

define internal spir_func { <5 x i1>, <5 x i32> } @f5_0(<5 x i1> %m, <5 x i32> %x, <5 x i32> %y) #1 {
  %more = add <5 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <5 x i32> %x, %y
  %v = select <5 x i1> %m, <5 x i32> %more, <5 x i32> %other
  %odd = trunc <5 x i32> %x to <5 x i1>
  %r = xor <5 x i1> %m, %odd
  %p = insertvalue { <5 x i1>, <5 x i32> } undef, <5 x i1> %r, 0
  %q = insertvalue { <5 x i1>, <5 x i32> } %p, <5 x i32> %v, 1
  ret { <5 x i1>, <5 x i32> } %q
}

define internal spir_func { <5 x i1>, <5 x i32> } @f5_1(<5 x i1> %m, <5 x i32> %x, <5 x i32> %y) #2 {
  %more = add <5 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <5 x i32> %x, %y
  %v = select <5 x i1> %m, <5 x i32> %more, <5 x i32> %other
  %odd = trunc <5 x i32> %x to <5 x i1>
  %r = xor <5 x i1> %m, %odd
  %p = insertvalue { <5 x i1>, <5 x i32> } undef, <5 x i1> %r, 0
  %q = insertvalue { <5 x i1>, <5 x i32> } %p, <5 x i32> %v, 1
  ret { <5 x i1>, <5 x i32> } %q
}

define internal spir_func { <8 x i1>, <8 x i32> } @f8_0(<8 x i1> %m, <8 x i32> %x, <8 x i32> %y) #1 {
  %more = add <8 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <8 x i32> %x, %y
  %v = select <8 x i1> %m, <8 x i32> %more, <8 x i32> %other
  %odd = trunc <8 x i32> %x to <8 x i1>
  %r = xor <8 x i1> %m, %odd
  %p = insertvalue { <8 x i1>, <8 x i32> } undef, <8 x i1> %r, 0
  %q = insertvalue { <8 x i1>, <8 x i32> } %p, <8 x i32> %v, 1
  ret { <8 x i1>, <8 x i32> } %q
}

define internal spir_func { <8 x i1>, <8 x i32> } @f8_1(<8 x i1> %m, <8 x i32> %x, <8 x i32> %y) #2 {
  %more = add <8 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <8 x i32> %x, %y
  %v = select <8 x i1> %m, <8 x i32> %more, <8 x i32> %other
  %odd = trunc <8 x i32> %x to <8 x i1>
  %r = xor <8 x i1> %m, %odd
  %p = insertvalue { <8 x i1>, <8 x i32> } undef, <8 x i1> %r, 0
  %q = insertvalue { <8 x i1>, <8 x i32> } %p, <8 x i32> %v, 1
  ret { <8 x i1>, <8 x i32> } %q
}

define internal spir_func { <12 x i1>, <12 x i32> } @f12_0(<12 x i1> %m, <12 x i32> %x, <12 x i32> %y) #1 {
  %more = add <12 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <12 x i32> %x, %y
  %v = select <12 x i1> %m, <12 x i32> %more, <12 x i32> %other
  %odd = trunc <12 x i32> %x to <12 x i1>
  %r = xor <12 x i1> %m, %odd
  %p = insertvalue { <12 x i1>, <12 x i32> } undef, <12 x i1> %r, 0
  %q = insertvalue { <12 x i1>, <12 x i32> } %p, <12 x i32> %v, 1
  ret { <12 x i1>, <12 x i32> } %q
}

define internal spir_func { <12 x i1>, <12 x i32> } @f12_1(<12 x i1> %m, <12 x i32> %x, <12 x i32> %y) #2 {
  %more = add <12 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <12 x i32> %x, %y
  %v = select <12 x i1> %m, <12 x i32> %more, <12 x i32> %other
  %odd = trunc <12 x i32> %x to <12 x i1>
  %r = xor <12 x i1> %m, %odd
  %p = insertvalue { <12 x i1>, <12 x i32> } undef, <12 x i1> %r, 0
  %q = insertvalue { <12 x i1>, <12 x i32> } %p, <12 x i32> %v, 1
  ret { <12 x i1>, <12 x i32> } %q
}

define internal spir_func { <16 x i1>, <16 x i32> } @f16_0(<16 x i1> %m, <16 x i32> %x, <16 x i32> %y) #1 {
  %more = add <16 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <16 x i32> %x, %y
  %v = select <16 x i1> %m, <16 x i32> %more, <16 x i32> %other
  %odd = trunc <16 x i32> %x to <16 x i1>
  %r = xor <16 x i1> %m, %odd
  %p = insertvalue { <16 x i1>, <16 x i32> } undef, <16 x i1> %r, 0
  %q = insertvalue { <16 x i1>, <16 x i32> } %p, <16 x i32> %v, 1
  ret { <16 x i1>, <16 x i32> } %q
}

define internal spir_func { <16 x i1>, <16 x i32> } @f16_1(<16 x i1> %m, <16 x i32> %x, <16 x i32> %y) #2 {
  %more = add <16 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <16 x i32> %x, %y
  %v = select <16 x i1> %m, <16 x i32> %more, <16 x i32> %other
  %odd = trunc <16 x i32> %x to <16 x i1>
  %r = xor <16 x i1> %m, %odd
  %p = insertvalue { <16 x i1>, <16 x i32> } undef, <16 x i1> %r, 0
  %q = insertvalue { <16 x i1>, <16 x i32> } %p, <16 x i32> %v, 1
  ret { <16 x i1>, <16 x i32> } %q
}

define internal spir_func { <17 x i1>, <17 x i32> } @f17_0(<17 x i1> %m, <17 x i32> %x, <17 x i32> %y) #1 {
  %more = add <17 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <17 x i32> %x, %y
  %v = select <17 x i1> %m, <17 x i32> %more, <17 x i32> %other
  %odd = trunc <17 x i32> %x to <17 x i1>
  %r = xor <17 x i1> %m, %odd
  %p = insertvalue { <17 x i1>, <17 x i32> } undef, <17 x i1> %r, 0
  %q = insertvalue { <17 x i1>, <17 x i32> } %p, <17 x i32> %v, 1
  ret { <17 x i1>, <17 x i32> } %q
}

define internal spir_func { <17 x i1>, <17 x i32> } @f17_1(<17 x i1> %m, <17 x i32> %x, <17 x i32> %y) #2 {
  %more = add <17 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <17 x i32> %x, %y
  %v = select <17 x i1> %m, <17 x i32> %more, <17 x i32> %other
  %odd = trunc <17 x i32> %x to <17 x i1>
  %r = xor <17 x i1> %m, %odd
  %p = insertvalue { <17 x i1>, <17 x i32> } undef, <17 x i1> %r, 0
  %q = insertvalue { <17 x i1>, <17 x i32> } %p, <17 x i32> %v, 1
  ret { <17 x i1>, <17 x i32> } %q
}

define internal spir_func { <24 x i1>, <24 x i32> } @f24_0(<24 x i1> %m, <24 x i32> %x, <24 x i32> %y) #1 {
  %more = add <24 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <24 x i32> %x, %y
  %v = select <24 x i1> %m, <24 x i32> %more, <24 x i32> %other
  %odd = trunc <24 x i32> %x to <24 x i1>
  %r = xor <24 x i1> %m, %odd
  %p = insertvalue { <24 x i1>, <24 x i32> } undef, <24 x i1> %r, 0
  %q = insertvalue { <24 x i1>, <24 x i32> } %p, <24 x i32> %v, 1
  ret { <24 x i1>, <24 x i32> } %q
}

define internal spir_func { <24 x i1>, <24 x i32> } @f24_1(<24 x i1> %m, <24 x i32> %x, <24 x i32> %y) #2 {
  %more = add <24 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <24 x i32> %x, %y
  %v = select <24 x i1> %m, <24 x i32> %more, <24 x i32> %other
  %odd = trunc <24 x i32> %x to <24 x i1>
  %r = xor <24 x i1> %m, %odd
  %p = insertvalue { <24 x i1>, <24 x i32> } undef, <24 x i1> %r, 0
  %q = insertvalue { <24 x i1>, <24 x i32> } %p, <24 x i32> %v, 1
  ret { <24 x i1>, <24 x i32> } %q
}

define internal spir_func { <32 x i1>, <32 x i32> } @f32_0(<32 x i1> %m, <32 x i32> %x, <32 x i32> %y) #1 {
  %more = add <32 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <32 x i32> %x, %y
  %v = select <32 x i1> %m, <32 x i32> %more, <32 x i32> %other
  %odd = trunc <32 x i32> %x to <32 x i1>
  %r = xor <32 x i1> %m, %odd
  %p = insertvalue { <32 x i1>, <32 x i32> } undef, <32 x i1> %r, 0
  %q = insertvalue { <32 x i1>, <32 x i32> } %p, <32 x i32> %v, 1
  ret { <32 x i1>, <32 x i32> } %q
}

define internal spir_func { <32 x i1>, <32 x i32> } @f32_1(<32 x i1> %m, <32 x i32> %x, <32 x i32> %y) #2 {
  %more = add <32 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <32 x i32> %x, %y
  %v = select <32 x i1> %m, <32 x i32> %more, <32 x i32> %other
  %odd = trunc <32 x i32> %x to <32 x i1>
  %r = xor <32 x i1> %m, %odd
  %p = insertvalue { <32 x i1>, <32 x i32> } undef, <32 x i1> %r, 0
  %q = insertvalue { <32 x i1>, <32 x i32> } %p, <32 x i32> %v, 1
  ret { <32 x i1>, <32 x i32> } %q
}

define internal spir_func { <40 x i1>, <40 x i32> } @f40_0(<40 x i1> %m, <40 x i32> %x, <40 x i32> %y) #1 {
  %more = add <40 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <40 x i32> %x, %y
  %v = select <40 x i1> %m, <40 x i32> %more, <40 x i32> %other
  %odd = trunc <40 x i32> %x to <40 x i1>
  %r = xor <40 x i1> %m, %odd
  %p = insertvalue { <40 x i1>, <40 x i32> } undef, <40 x i1> %r, 0
  %q = insertvalue { <40 x i1>, <40 x i32> } %p, <40 x i32> %v, 1
  ret { <40 x i1>, <40 x i32> } %q
}

define internal spir_func { <40 x i1>, <40 x i32> } @f40_1(<40 x i1> %m, <40 x i32> %x, <40 x i32> %y) #2 {
  %more = add <40 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <40 x i32> %x, %y
  %v = select <40 x i1> %m, <40 x i32> %more, <40 x i32> %other
  %odd = trunc <40 x i32> %x to <40 x i1>
  %r = xor <40 x i1> %m, %odd
  %p = insertvalue { <40 x i1>, <40 x i32> } undef, <40 x i1> %r, 0
  %q = insertvalue { <40 x i1>, <40 x i32> } %p, <40 x i32> %v, 1
  ret { <40 x i1>, <40 x i32> } %q
}

define internal spir_func { <64 x i1>, <64 x i32> } @f64_0(<64 x i1> %m, <64 x i32> %x, <64 x i32> %y) #1 {
  %more = add <64 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <64 x i32> %x, %y
  %v = select <64 x i1> %m, <64 x i32> %more, <64 x i32> %other
  %odd = trunc <64 x i32> %x to <64 x i1>
  %r = xor <64 x i1> %m, %odd
  %p = insertvalue { <64 x i1>, <64 x i32> } undef, <64 x i1> %r, 0
  %q = insertvalue { <64 x i1>, <64 x i32> } %p, <64 x i32> %v, 1
  ret { <64 x i1>, <64 x i32> } %q
}

define internal spir_func { <64 x i1>, <64 x i32> } @f64_1(<64 x i1> %m, <64 x i32> %x, <64 x i32> %y) #2 {
  %more = add <64 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %other = xor <64 x i32> %x, %y
  %v = select <64 x i1> %m, <64 x i32> %more, <64 x i32> %other
  %odd = trunc <64 x i32> %x to <64 x i1>
  %r = xor <64 x i1> %m, %odd
  %p = insertvalue { <64 x i1>, <64 x i32> } undef, <64 x i1> %r, 0
  %q = insertvalue { <64 x i1>, <64 x i32> } %p, <64 x i32> %v, 1
  ret { <64 x i1>, <64 x i32> } %q
}

define spir_kernel void @mask_arguments(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %wide = zext i32 %group to i64
  %first = mul i64 %wide, 64
  %start = mul i64 %wide, 896
  %a.at = getelementptr i32, i32 addrspace(1)* %a, i64 %first
  %b.at = getelementptr i32, i32 addrspace(1)* %b, i64 %first
  %o.at = getelementptr i32, i32 addrspace(1)* %o, i64 %start
  %a1.p = bitcast i32 addrspace(1)* %a.at to <1 x i32> addrspace(1)*
  %a1 = load <1 x i32>, <1 x i32> addrspace(1)* %a1.p, align 4
  %b1.p = bitcast i32 addrspace(1)* %b.at to <1 x i32> addrspace(1)*
  %b1 = load <1 x i32>, <1 x i32> addrspace(1)* %b1.p, align 4
  %m1 = icmp ult <1 x i32> %a1, %b1
  %r1.0 = call spir_func { <1 x i1>, <1 x i32> } @f1_0(<1 x i1> %m1, <1 x i32> %a1, <1 x i32> %b1)
  %c1.0 = extractvalue { <1 x i1>, <1 x i32> } %r1.0, 0
  %v1.0 = extractvalue { <1 x i1>, <1 x i32> } %r1.0, 1
  %w1.0 = select <1 x i1> %c1.0, <1 x i32> <i32 9>, <1 x i32> <i32 4>
  %v1.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 0
  %v1.0.p = bitcast i32 addrspace(1)* %v1.0.e to <1 x i32> addrspace(1)*
  store <1 x i32> %v1.0, <1 x i32> addrspace(1)* %v1.0.p, align 4
  %w1.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 1
  %w1.0.p = bitcast i32 addrspace(1)* %w1.0.e to <1 x i32> addrspace(1)*
  store <1 x i32> %w1.0, <1 x i32> addrspace(1)* %w1.0.p, align 4
  %r1.1 = call spir_func { <1 x i1>, <1 x i32> } @f1_1(<1 x i1> %m1, <1 x i32> %a1, <1 x i32> %b1)
  %c1.1 = extractvalue { <1 x i1>, <1 x i32> } %r1.1, 0
  %v1.1 = extractvalue { <1 x i1>, <1 x i32> } %r1.1, 1
  %w1.1 = select <1 x i1> %c1.1, <1 x i32> <i32 10>, <1 x i32> <i32 5>
  %v1.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 2
  %v1.1.p = bitcast i32 addrspace(1)* %v1.1.e to <1 x i32> addrspace(1)*
  store <1 x i32> %v1.1, <1 x i32> addrspace(1)* %v1.1.p, align 4
  %w1.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 3
  %w1.1.p = bitcast i32 addrspace(1)* %w1.1.e to <1 x i32> addrspace(1)*
  store <1 x i32> %w1.1, <1 x i32> addrspace(1)* %w1.1.p, align 4
  %a2.p = bitcast i32 addrspace(1)* %a.at to <2 x i32> addrspace(1)*
  %a2 = load <2 x i32>, <2 x i32> addrspace(1)* %a2.p, align 4
  %b2.p = bitcast i32 addrspace(1)* %b.at to <2 x i32> addrspace(1)*
  %b2 = load <2 x i32>, <2 x i32> addrspace(1)* %b2.p, align 4
  %m2 = icmp ult <2 x i32> %a2, %b2
  %r2.0 = call spir_func { <2 x i1>, <2 x i32> } @f2_0(<2 x i1> %m2, <2 x i32> %a2, <2 x i32> %b2)
  %c2.0 = extractvalue { <2 x i1>, <2 x i32> } %r2.0, 0
  %v2.0 = extractvalue { <2 x i1>, <2 x i32> } %r2.0, 1
  %w2.0 = select <2 x i1> %c2.0, <2 x i32> <i32 9, i32 9>, <2 x i32> <i32 4, i32 4>
  %v2.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 4
  %v2.0.p = bitcast i32 addrspace(1)* %v2.0.e to <2 x i32> addrspace(1)*
  store <2 x i32> %v2.0, <2 x i32> addrspace(1)* %v2.0.p, align 4
  %w2.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 6
  %w2.0.p = bitcast i32 addrspace(1)* %w2.0.e to <2 x i32> addrspace(1)*
  store <2 x i32> %w2.0, <2 x i32> addrspace(1)* %w2.0.p, align 4
  %r2.1 = call spir_func { <2 x i1>, <2 x i32> } @f2_1(<2 x i1> %m2, <2 x i32> %a2, <2 x i32> %b2)
  %c2.1 = extractvalue { <2 x i1>, <2 x i32> } %r2.1, 0
  %v2.1 = extractvalue { <2 x i1>, <2 x i32> } %r2.1, 1
  %w2.1 = select <2 x i1> %c2.1, <2 x i32> <i32 10, i32 10>, <2 x i32> <i32 5, i32 5>
  %v2.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 8
  %v2.1.p = bitcast i32 addrspace(1)* %v2.1.e to <2 x i32> addrspace(1)*
  store <2 x i32> %v2.1, <2 x i32> addrspace(1)* %v2.1.p, align 4
  %w2.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 10
  %w2.1.p = bitcast i32 addrspace(1)* %w2.1.e to <2 x i32> addrspace(1)*
  store <2 x i32> %w2.1, <2 x i32> addrspace(1)* %w2.1.p, align 4
  %a3.p = bitcast i32 addrspace(1)* %a.at to <3 x i32> addrspace(1)*
  %a3 = load <3 x i32>, <3 x i32> addrspace(1)* %a3.p, align 4
  %b3.p = bitcast i32 addrspace(1)* %b.at to <3 x i32> addrspace(1)*
  %b3 = load <3 x i32>, <3 x i32> addrspace(1)* %b3.p, align 4
  %m3 = icmp ult <3 x i32> %a3, %b3
  %r3.0 = call spir_func { <3 x i1>, <3 x i32> } @f3_0(<3 x i1> %m3, <3 x i32> %a3, <3 x i32> %b3)
  %c3.0 = extractvalue { <3 x i1>, <3 x i32> } %r3.0, 0
  %v3.0 = extractvalue { <3 x i1>, <3 x i32> } %r3.0, 1
  %w3.0 = select <3 x i1> %c3.0, <3 x i32> <i32 9, i32 9, i32 9>, <3 x i32> <i32 4, i32 4, i32 4>
  %v3.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 12
  %v3.0.p = bitcast i32 addrspace(1)* %v3.0.e to <3 x i32> addrspace(1)*
  store <3 x i32> %v3.0, <3 x i32> addrspace(1)* %v3.0.p, align 4
  %w3.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 15
  %w3.0.p = bitcast i32 addrspace(1)* %w3.0.e to <3 x i32> addrspace(1)*
  store <3 x i32> %w3.0, <3 x i32> addrspace(1)* %w3.0.p, align 4
  %r3.1 = call spir_func { <3 x i1>, <3 x i32> } @f3_1(<3 x i1> %m3, <3 x i32> %a3, <3 x i32> %b3)
  %c3.1 = extractvalue { <3 x i1>, <3 x i32> } %r3.1, 0
  %v3.1 = extractvalue { <3 x i1>, <3 x i32> } %r3.1, 1
  %w3.1 = select <3 x i1> %c3.1, <3 x i32> <i32 10, i32 10, i32 10>, <3 x i32> <i32 5, i32 5, i32 5>
  %v3.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 18
  %v3.1.p = bitcast i32 addrspace(1)* %v3.1.e to <3 x i32> addrspace(1)*
  store <3 x i32> %v3.1, <3 x i32> addrspace(1)* %v3.1.p, align 4
  %w3.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 21
  %w3.1.p = bitcast i32 addrspace(1)* %w3.1.e to <3 x i32> addrspace(1)*
  store <3 x i32> %w3.1, <3 x i32> addrspace(1)* %w3.1.p, align 4
  %a5.p = bitcast i32 addrspace(1)* %a.at to <5 x i32> addrspace(1)*
  %a5 = load <5 x i32>, <5 x i32> addrspace(1)* %a5.p, align 4
  %b5.p = bitcast i32 addrspace(1)* %b.at to <5 x i32> addrspace(1)*
  %b5 = load <5 x i32>, <5 x i32> addrspace(1)* %b5.p, align 4
  %m5 = icmp ult <5 x i32> %a5, %b5
  %r5.0 = call spir_func { <5 x i1>, <5 x i32> } @f5_0(<5 x i1> %m5, <5 x i32> %a5, <5 x i32> %b5)
  %c5.0 = extractvalue { <5 x i1>, <5 x i32> } %r5.0, 0
  %v5.0 = extractvalue { <5 x i1>, <5 x i32> } %r5.0, 1
  %w5.0 = select <5 x i1> %c5.0, <5 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9>, <5 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4>
  %v5.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 24
  %v5.0.p = bitcast i32 addrspace(1)* %v5.0.e to <5 x i32> addrspace(1)*
  store <5 x i32> %v5.0, <5 x i32> addrspace(1)* %v5.0.p, align 4
  %w5.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 29
  %w5.0.p = bitcast i32 addrspace(1)* %w5.0.e to <5 x i32> addrspace(1)*
  store <5 x i32> %w5.0, <5 x i32> addrspace(1)* %w5.0.p, align 4
  %r5.1 = call spir_func { <5 x i1>, <5 x i32> } @f5_1(<5 x i1> %m5, <5 x i32> %a5, <5 x i32> %b5)
  %c5.1 = extractvalue { <5 x i1>, <5 x i32> } %r5.1, 0
  %v5.1 = extractvalue { <5 x i1>, <5 x i32> } %r5.1, 1
  %w5.1 = select <5 x i1> %c5.1, <5 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10>, <5 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5>
  %v5.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 34
  %v5.1.p = bitcast i32 addrspace(1)* %v5.1.e to <5 x i32> addrspace(1)*
  store <5 x i32> %v5.1, <5 x i32> addrspace(1)* %v5.1.p, align 4
  %w5.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 39
  %w5.1.p = bitcast i32 addrspace(1)* %w5.1.e to <5 x i32> addrspace(1)*
  store <5 x i32> %w5.1, <5 x i32> addrspace(1)* %w5.1.p, align 4
  %a8.p = bitcast i32 addrspace(1)* %a.at to <8 x i32> addrspace(1)*
  %a8 = load <8 x i32>, <8 x i32> addrspace(1)* %a8.p, align 4
  %b8.p = bitcast i32 addrspace(1)* %b.at to <8 x i32> addrspace(1)*
  %b8 = load <8 x i32>, <8 x i32> addrspace(1)* %b8.p, align 4
  %m8 = icmp ult <8 x i32> %a8, %b8
  %r8.0 = call spir_func { <8 x i1>, <8 x i32> } @f8_0(<8 x i1> %m8, <8 x i32> %a8, <8 x i32> %b8)
  %c8.0 = extractvalue { <8 x i1>, <8 x i32> } %r8.0, 0
  %v8.0 = extractvalue { <8 x i1>, <8 x i32> } %r8.0, 1
  %w8.0 = select <8 x i1> %c8.0, <8 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <8 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v8.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 44
  %v8.0.p = bitcast i32 addrspace(1)* %v8.0.e to <8 x i32> addrspace(1)*
  store <8 x i32> %v8.0, <8 x i32> addrspace(1)* %v8.0.p, align 4
  %w8.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 52
  %w8.0.p = bitcast i32 addrspace(1)* %w8.0.e to <8 x i32> addrspace(1)*
  store <8 x i32> %w8.0, <8 x i32> addrspace(1)* %w8.0.p, align 4
  %r8.1 = call spir_func { <8 x i1>, <8 x i32> } @f8_1(<8 x i1> %m8, <8 x i32> %a8, <8 x i32> %b8)
  %c8.1 = extractvalue { <8 x i1>, <8 x i32> } %r8.1, 0
  %v8.1 = extractvalue { <8 x i1>, <8 x i32> } %r8.1, 1
  %w8.1 = select <8 x i1> %c8.1, <8 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <8 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v8.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 60
  %v8.1.p = bitcast i32 addrspace(1)* %v8.1.e to <8 x i32> addrspace(1)*
  store <8 x i32> %v8.1, <8 x i32> addrspace(1)* %v8.1.p, align 4
  %w8.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 68
  %w8.1.p = bitcast i32 addrspace(1)* %w8.1.e to <8 x i32> addrspace(1)*
  store <8 x i32> %w8.1, <8 x i32> addrspace(1)* %w8.1.p, align 4
  %a12.p = bitcast i32 addrspace(1)* %a.at to <12 x i32> addrspace(1)*
  %a12 = load <12 x i32>, <12 x i32> addrspace(1)* %a12.p, align 4
  %b12.p = bitcast i32 addrspace(1)* %b.at to <12 x i32> addrspace(1)*
  %b12 = load <12 x i32>, <12 x i32> addrspace(1)* %b12.p, align 4
  %m12 = icmp ult <12 x i32> %a12, %b12
  %r12.0 = call spir_func { <12 x i1>, <12 x i32> } @f12_0(<12 x i1> %m12, <12 x i32> %a12, <12 x i32> %b12)
  %c12.0 = extractvalue { <12 x i1>, <12 x i32> } %r12.0, 0
  %v12.0 = extractvalue { <12 x i1>, <12 x i32> } %r12.0, 1
  %w12.0 = select <12 x i1> %c12.0, <12 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <12 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v12.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 76
  %v12.0.p = bitcast i32 addrspace(1)* %v12.0.e to <12 x i32> addrspace(1)*
  store <12 x i32> %v12.0, <12 x i32> addrspace(1)* %v12.0.p, align 4
  %w12.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 88
  %w12.0.p = bitcast i32 addrspace(1)* %w12.0.e to <12 x i32> addrspace(1)*
  store <12 x i32> %w12.0, <12 x i32> addrspace(1)* %w12.0.p, align 4
  %r12.1 = call spir_func { <12 x i1>, <12 x i32> } @f12_1(<12 x i1> %m12, <12 x i32> %a12, <12 x i32> %b12)
  %c12.1 = extractvalue { <12 x i1>, <12 x i32> } %r12.1, 0
  %v12.1 = extractvalue { <12 x i1>, <12 x i32> } %r12.1, 1
  %w12.1 = select <12 x i1> %c12.1, <12 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <12 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v12.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 100
  %v12.1.p = bitcast i32 addrspace(1)* %v12.1.e to <12 x i32> addrspace(1)*
  store <12 x i32> %v12.1, <12 x i32> addrspace(1)* %v12.1.p, align 4
  %w12.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 112
  %w12.1.p = bitcast i32 addrspace(1)* %w12.1.e to <12 x i32> addrspace(1)*
  store <12 x i32> %w12.1, <12 x i32> addrspace(1)* %w12.1.p, align 4
  %a16.p = bitcast i32 addrspace(1)* %a.at to <16 x i32> addrspace(1)*
  %a16 = load <16 x i32>, <16 x i32> addrspace(1)* %a16.p, align 4
  %b16.p = bitcast i32 addrspace(1)* %b.at to <16 x i32> addrspace(1)*
  %b16 = load <16 x i32>, <16 x i32> addrspace(1)* %b16.p, align 4
  %m16 = icmp ult <16 x i32> %a16, %b16
  %r16.0 = call spir_func { <16 x i1>, <16 x i32> } @f16_0(<16 x i1> %m16, <16 x i32> %a16, <16 x i32> %b16)
  %c16.0 = extractvalue { <16 x i1>, <16 x i32> } %r16.0, 0
  %v16.0 = extractvalue { <16 x i1>, <16 x i32> } %r16.0, 1
  %w16.0 = select <16 x i1> %c16.0, <16 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <16 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v16.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 124
  %v16.0.p = bitcast i32 addrspace(1)* %v16.0.e to <16 x i32> addrspace(1)*
  store <16 x i32> %v16.0, <16 x i32> addrspace(1)* %v16.0.p, align 4
  %w16.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 140
  %w16.0.p = bitcast i32 addrspace(1)* %w16.0.e to <16 x i32> addrspace(1)*
  store <16 x i32> %w16.0, <16 x i32> addrspace(1)* %w16.0.p, align 4
  %r16.1 = call spir_func { <16 x i1>, <16 x i32> } @f16_1(<16 x i1> %m16, <16 x i32> %a16, <16 x i32> %b16)
  %c16.1 = extractvalue { <16 x i1>, <16 x i32> } %r16.1, 0
  %v16.1 = extractvalue { <16 x i1>, <16 x i32> } %r16.1, 1
  %w16.1 = select <16 x i1> %c16.1, <16 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <16 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v16.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 156
  %v16.1.p = bitcast i32 addrspace(1)* %v16.1.e to <16 x i32> addrspace(1)*
  store <16 x i32> %v16.1, <16 x i32> addrspace(1)* %v16.1.p, align 4
  %w16.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 172
  %w16.1.p = bitcast i32 addrspace(1)* %w16.1.e to <16 x i32> addrspace(1)*
  store <16 x i32> %w16.1, <16 x i32> addrspace(1)* %w16.1.p, align 4
  %a17.p = bitcast i32 addrspace(1)* %a.at to <17 x i32> addrspace(1)*
  %a17 = load <17 x i32>, <17 x i32> addrspace(1)* %a17.p, align 4
  %b17.p = bitcast i32 addrspace(1)* %b.at to <17 x i32> addrspace(1)*
  %b17 = load <17 x i32>, <17 x i32> addrspace(1)* %b17.p, align 4
  %m17 = icmp ult <17 x i32> %a17, %b17
  %r17.0 = call spir_func { <17 x i1>, <17 x i32> } @f17_0(<17 x i1> %m17, <17 x i32> %a17, <17 x i32> %b17)
  %c17.0 = extractvalue { <17 x i1>, <17 x i32> } %r17.0, 0
  %v17.0 = extractvalue { <17 x i1>, <17 x i32> } %r17.0, 1
  %w17.0 = select <17 x i1> %c17.0, <17 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <17 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v17.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 188
  %v17.0.p = bitcast i32 addrspace(1)* %v17.0.e to <17 x i32> addrspace(1)*
  store <17 x i32> %v17.0, <17 x i32> addrspace(1)* %v17.0.p, align 4
  %w17.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 205
  %w17.0.p = bitcast i32 addrspace(1)* %w17.0.e to <17 x i32> addrspace(1)*
  store <17 x i32> %w17.0, <17 x i32> addrspace(1)* %w17.0.p, align 4
  %r17.1 = call spir_func { <17 x i1>, <17 x i32> } @f17_1(<17 x i1> %m17, <17 x i32> %a17, <17 x i32> %b17)
  %c17.1 = extractvalue { <17 x i1>, <17 x i32> } %r17.1, 0
  %v17.1 = extractvalue { <17 x i1>, <17 x i32> } %r17.1, 1
  %w17.1 = select <17 x i1> %c17.1, <17 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <17 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v17.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 222
  %v17.1.p = bitcast i32 addrspace(1)* %v17.1.e to <17 x i32> addrspace(1)*
  store <17 x i32> %v17.1, <17 x i32> addrspace(1)* %v17.1.p, align 4
  %w17.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 239
  %w17.1.p = bitcast i32 addrspace(1)* %w17.1.e to <17 x i32> addrspace(1)*
  store <17 x i32> %w17.1, <17 x i32> addrspace(1)* %w17.1.p, align 4
  %a24.p = bitcast i32 addrspace(1)* %a.at to <24 x i32> addrspace(1)*
  %a24 = load <24 x i32>, <24 x i32> addrspace(1)* %a24.p, align 4
  %b24.p = bitcast i32 addrspace(1)* %b.at to <24 x i32> addrspace(1)*
  %b24 = load <24 x i32>, <24 x i32> addrspace(1)* %b24.p, align 4
  %m24 = icmp ult <24 x i32> %a24, %b24
  %r24.0 = call spir_func { <24 x i1>, <24 x i32> } @f24_0(<24 x i1> %m24, <24 x i32> %a24, <24 x i32> %b24)
  %c24.0 = extractvalue { <24 x i1>, <24 x i32> } %r24.0, 0
  %v24.0 = extractvalue { <24 x i1>, <24 x i32> } %r24.0, 1
  %w24.0 = select <24 x i1> %c24.0, <24 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <24 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v24.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 256
  %v24.0.p = bitcast i32 addrspace(1)* %v24.0.e to <24 x i32> addrspace(1)*
  store <24 x i32> %v24.0, <24 x i32> addrspace(1)* %v24.0.p, align 4
  %w24.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 280
  %w24.0.p = bitcast i32 addrspace(1)* %w24.0.e to <24 x i32> addrspace(1)*
  store <24 x i32> %w24.0, <24 x i32> addrspace(1)* %w24.0.p, align 4
  %r24.1 = call spir_func { <24 x i1>, <24 x i32> } @f24_1(<24 x i1> %m24, <24 x i32> %a24, <24 x i32> %b24)
  %c24.1 = extractvalue { <24 x i1>, <24 x i32> } %r24.1, 0
  %v24.1 = extractvalue { <24 x i1>, <24 x i32> } %r24.1, 1
  %w24.1 = select <24 x i1> %c24.1, <24 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <24 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v24.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 304
  %v24.1.p = bitcast i32 addrspace(1)* %v24.1.e to <24 x i32> addrspace(1)*
  store <24 x i32> %v24.1, <24 x i32> addrspace(1)* %v24.1.p, align 4
  %w24.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 328
  %w24.1.p = bitcast i32 addrspace(1)* %w24.1.e to <24 x i32> addrspace(1)*
  store <24 x i32> %w24.1, <24 x i32> addrspace(1)* %w24.1.p, align 4
  %a32.p = bitcast i32 addrspace(1)* %a.at to <32 x i32> addrspace(1)*
  %a32 = load <32 x i32>, <32 x i32> addrspace(1)* %a32.p, align 4
  %b32.p = bitcast i32 addrspace(1)* %b.at to <32 x i32> addrspace(1)*
  %b32 = load <32 x i32>, <32 x i32> addrspace(1)* %b32.p, align 4
  %m32 = icmp ult <32 x i32> %a32, %b32
  %r32.0 = call spir_func { <32 x i1>, <32 x i32> } @f32_0(<32 x i1> %m32, <32 x i32> %a32, <32 x i32> %b32)
  %c32.0 = extractvalue { <32 x i1>, <32 x i32> } %r32.0, 0
  %v32.0 = extractvalue { <32 x i1>, <32 x i32> } %r32.0, 1
  %w32.0 = select <32 x i1> %c32.0, <32 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <32 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v32.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 352
  %v32.0.p = bitcast i32 addrspace(1)* %v32.0.e to <32 x i32> addrspace(1)*
  store <32 x i32> %v32.0, <32 x i32> addrspace(1)* %v32.0.p, align 4
  %w32.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 384
  %w32.0.p = bitcast i32 addrspace(1)* %w32.0.e to <32 x i32> addrspace(1)*
  store <32 x i32> %w32.0, <32 x i32> addrspace(1)* %w32.0.p, align 4
  %r32.1 = call spir_func { <32 x i1>, <32 x i32> } @f32_1(<32 x i1> %m32, <32 x i32> %a32, <32 x i32> %b32)
  %c32.1 = extractvalue { <32 x i1>, <32 x i32> } %r32.1, 0
  %v32.1 = extractvalue { <32 x i1>, <32 x i32> } %r32.1, 1
  %w32.1 = select <32 x i1> %c32.1, <32 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <32 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v32.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 416
  %v32.1.p = bitcast i32 addrspace(1)* %v32.1.e to <32 x i32> addrspace(1)*
  store <32 x i32> %v32.1, <32 x i32> addrspace(1)* %v32.1.p, align 4
  %w32.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 448
  %w32.1.p = bitcast i32 addrspace(1)* %w32.1.e to <32 x i32> addrspace(1)*
  store <32 x i32> %w32.1, <32 x i32> addrspace(1)* %w32.1.p, align 4
  %a40.p = bitcast i32 addrspace(1)* %a.at to <40 x i32> addrspace(1)*
  %a40 = load <40 x i32>, <40 x i32> addrspace(1)* %a40.p, align 4
  %b40.p = bitcast i32 addrspace(1)* %b.at to <40 x i32> addrspace(1)*
  %b40 = load <40 x i32>, <40 x i32> addrspace(1)* %b40.p, align 4
  %m40 = icmp ult <40 x i32> %a40, %b40
  %r40.0 = call spir_func { <40 x i1>, <40 x i32> } @f40_0(<40 x i1> %m40, <40 x i32> %a40, <40 x i32> %b40)
  %c40.0 = extractvalue { <40 x i1>, <40 x i32> } %r40.0, 0
  %v40.0 = extractvalue { <40 x i1>, <40 x i32> } %r40.0, 1
  %w40.0 = select <40 x i1> %c40.0, <40 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <40 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v40.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 480
  %v40.0.p = bitcast i32 addrspace(1)* %v40.0.e to <40 x i32> addrspace(1)*
  store <40 x i32> %v40.0, <40 x i32> addrspace(1)* %v40.0.p, align 4
  %w40.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 520
  %w40.0.p = bitcast i32 addrspace(1)* %w40.0.e to <40 x i32> addrspace(1)*
  store <40 x i32> %w40.0, <40 x i32> addrspace(1)* %w40.0.p, align 4
  %r40.1 = call spir_func { <40 x i1>, <40 x i32> } @f40_1(<40 x i1> %m40, <40 x i32> %a40, <40 x i32> %b40)
  %c40.1 = extractvalue { <40 x i1>, <40 x i32> } %r40.1, 0
  %v40.1 = extractvalue { <40 x i1>, <40 x i32> } %r40.1, 1
  %w40.1 = select <40 x i1> %c40.1, <40 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <40 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v40.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 560
  %v40.1.p = bitcast i32 addrspace(1)* %v40.1.e to <40 x i32> addrspace(1)*
  store <40 x i32> %v40.1, <40 x i32> addrspace(1)* %v40.1.p, align 4
  %w40.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 600
  %w40.1.p = bitcast i32 addrspace(1)* %w40.1.e to <40 x i32> addrspace(1)*
  store <40 x i32> %w40.1, <40 x i32> addrspace(1)* %w40.1.p, align 4
  %a64.p = bitcast i32 addrspace(1)* %a.at to <64 x i32> addrspace(1)*
  %a64 = load <64 x i32>, <64 x i32> addrspace(1)* %a64.p, align 4
  %b64.p = bitcast i32 addrspace(1)* %b.at to <64 x i32> addrspace(1)*
  %b64 = load <64 x i32>, <64 x i32> addrspace(1)* %b64.p, align 4
  %m64 = icmp ult <64 x i32> %a64, %b64
  %r64.0 = call spir_func { <64 x i1>, <64 x i32> } @f64_0(<64 x i1> %m64, <64 x i32> %a64, <64 x i32> %b64)
  %c64.0 = extractvalue { <64 x i1>, <64 x i32> } %r64.0, 0
  %v64.0 = extractvalue { <64 x i1>, <64 x i32> } %r64.0, 1
  %w64.0 = select <64 x i1> %c64.0, <64 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <64 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %v64.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 640
  %v64.0.p = bitcast i32 addrspace(1)* %v64.0.e to <64 x i32> addrspace(1)*
  store <64 x i32> %v64.0, <64 x i32> addrspace(1)* %v64.0.p, align 4
  %w64.0.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 704
  %w64.0.p = bitcast i32 addrspace(1)* %w64.0.e to <64 x i32> addrspace(1)*
  store <64 x i32> %w64.0, <64 x i32> addrspace(1)* %w64.0.p, align 4
  %r64.1 = call spir_func { <64 x i1>, <64 x i32> } @f64_1(<64 x i1> %m64, <64 x i32> %a64, <64 x i32> %b64)
  %c64.1 = extractvalue { <64 x i1>, <64 x i32> } %r64.1, 0
  %v64.1 = extractvalue { <64 x i1>, <64 x i32> } %r64.1, 1
  %w64.1 = select <64 x i1> %c64.1, <64 x i32> <i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10, i32 10>, <64 x i32> <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %v64.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 768
  %v64.1.p = bitcast i32 addrspace(1)* %v64.1.e to <64 x i32> addrspace(1)*
  store <64 x i32> %v64.1, <64 x i32> addrspace(1)* %v64.1.p, align 4
  %w64.1.e = getelementptr i32, i32 addrspace(1)* %o.at, i64 832
  %w64.1.p = bitcast i32 addrspace(1)* %w64.1.e to <64 x i32> addrspace(1)*
  store <64 x i32> %w64.1, <64 x i32> addrspace(1)* %w64.1.p, align 4
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" }
attributes #2 = { noinline nounwind "VCFunction" "VCStackCall" }
