; Arguments by value of many types: bytes, words, quadwords, singles, vectors, a structure by reference to its copy.
;! global 1
;! local 1
;! val i8 -5
;! val u16 40000
;! val f32 1.5
;! bytes 01000000020000000300000004000000
;! val i64 -1234567890123
;! out o u32 16
;! bytes 0a000000
;= def expect(args):
;=     a, b, c, d, e, _, f = args
;=     bits = struct.unpack("I", struct.pack("f", c))[0]
;=     v = list(struct.unpack("4I", d))
;=     return {5: [a % 2**32, b, bits, e % 2**32, (e >> 32) % 2**32, 10, 0, 0] + v + [x * 10 for x in v]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.wrregioni.v16i32.v4i32.i16.i1(<16 x i32>, <4 x i32>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @arguments(i8 %a, i16 %b, float %c, <4 x i32> %d, i64 %e, i32 addrspace(1)* %o, i32 %f) #0 {
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %a32 = sext i8 %a to i32
  %b32 = zext i16 %b to i32
  %c32 = bitcast float %c to i32
  %e.low = trunc i64 %e to i32
  %e.shift = lshr i64 %e, 32
  %e.high = trunc i64 %e.shift to i32
  %r0 = insertelement <16 x i32> zeroinitializer, i32 %a32, i32 0
  %r1 = insertelement <16 x i32> %r0, i32 %b32, i32 1
  %r2 = insertelement <16 x i32> %r1, i32 %c32, i32 2
  %r3 = insertelement <16 x i32> %r2, i32 %e.low, i32 3
  %r4 = insertelement <16 x i32> %r3, i32 %e.high, i32 4
  %r5 = insertelement <16 x i32> %r4, i32 %f, i32 5
  %r6 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v4i32.i16.i1(<16 x i32> %r5, <4 x i32> %d, i32 0, i32 4, i32 1, i16 32, i32 undef, i1 true)
  %one = insertelement <4 x i32> undef, i32 %f, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> undef, <4 x i32> zeroinitializer
  %ten = mul <4 x i32> %d, %all
  %r7 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v4i32.i16.i1(<16 x i32> %r6, <4 x i32> %ten, i32 0, i32 4, i32 1, i16 48, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r7)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
