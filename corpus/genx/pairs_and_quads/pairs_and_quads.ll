; Sums of absolute differences of pairs of bytes, and products of pairs, triples and quads of floats. Only the even elements of
; the former are defined. The floats are small whole numbers, so that no sum is rounded.
;! global 1
;! local 1
;! in a u8 16 bits 8
;! in b u8 16 bits 8
;! in c u16 16 edges
;! in f f32 16 list 1 2 3 4 -5 6 7 8 9 10 -11 12 13 14 15 16
;! in g f32 16 list 3 -1 4 1 5 9 -2 6 5 3 5 8 9 7 9 -3
;! out o u16 48
;! out p f32 76
;= def sgn(v, bits):
;=     return v - 2**bits if v >> (bits - 1) else v
;= def expect(args):
;=     a, b, c, f, g = args[:5]
;=     pairs = range(0, 16, 2)
;=     u = [abs(a[i] - b[i]) + abs(a[i + 1] - b[i + 1]) for i in pairs]
;=     s = [abs(sgn(a[i], 8) - sgn(b[i], 8)) + abs(sgn(a[i + 1], 8) - sgn(b[i + 1], 8)) for i in pairs]
;=     o = u + s
;=     o += [(x + c[i]) % 2**16 for x, i in zip(u, pairs)]
;=     o += [(x + c[i]) % 2**16 for x, i in zip(s, pairs)]
;=     o += [min(x + c[i], 2**16 - 1) for x, i in zip(u, pairs)]
;=     o += [min(x + sgn(c[i], 16), 2**15 - 1) % 2**16 for x, i in zip(s, pairs)]
;=     p = []
;=     for n, more in ((2, 0), (3, 0), (4, 0), (3, 1)):
;=         for q in range(0, 16, 4):
;=             p += 4 * [sum(f[q + i] * g[q + i] for i in range(n)) + more * g[q + 3]]
;=     for q in range(0, 12, 4):
;=         p += 4 * [2 * sum(f[q:q + 4])]
;=     return {5: o, 6: p}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64)
declare <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64)
declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8i16(i64, <8 x i16>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare <16 x i16> @llvm.genx.usad2.v16i16.v16i8(<16 x i8>, <16 x i8>)
declare <16 x i16> @llvm.genx.ssad2.v16i16.v16i8(<16 x i8>, <16 x i8>)
declare <16 x i16> @llvm.genx.uusad2add.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)
declare <16 x i16> @llvm.genx.sssad2add.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)
declare <16 x i16> @llvm.genx.uusad2add.sat.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)
declare <16 x i16> @llvm.genx.sssad2add.sat.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)
declare <16 x float> @llvm.genx.dp2.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.genx.dp3.v16f32(<16 x float>, <16 x float>)
declare <16 x float> @llvm.genx.dp4.v16f32(<16 x float>, <16 x float>)
declare void @llvm.genx.svm.block.st.i64.v4f32(i64, <4 x float>)
declare void @llvm.genx.svm.block.st.i64.v8f32(i64, <8 x float>)
declare <12 x float> @llvm.genx.dp4.v12f32(<12 x float>, <12 x float>)
declare <16 x float> @llvm.genx.dph.v16f32(<16 x float>, <16 x float>)

define spir_kernel void @pairs_and_quads(i8 addrspace(1)* %a.p, i8 addrspace(1)* %b.p, i16 addrspace(1)* %c.p, float addrspace(1)* %f.p, float addrspace(1)* %g.p, i16 addrspace(1)* %o.p, float addrspace(1)* %p.p) "VCFunction" {
  %a.at = ptrtoint i8 addrspace(1)* %a.p to i64
  %b.at = ptrtoint i8 addrspace(1)* %b.p to i64
  %c.at = ptrtoint i16 addrspace(1)* %c.p to i64
  %f.at = ptrtoint float addrspace(1)* %f.p to i64
  %g.at = ptrtoint float addrspace(1)* %g.p to i64
  %o.at = ptrtoint i16 addrspace(1)* %o.p to i64
  %p.at = ptrtoint float addrspace(1)* %p.p to i64
  %a = call <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64 %a.at)
  %b = call <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64 %b.at)
  %c = call <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64 %c.at)
  %f = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %f.at)
  %g = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %g.at)
  %s0 = call <16 x i16> @llvm.genx.usad2.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b)
  %even0 = shufflevector <16 x i16> %s0, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o0 = add i64 %o.at, 0
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o0, <8 x i16> %even0)
  %s1 = call <16 x i16> @llvm.genx.ssad2.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b)
  %even1 = shufflevector <16 x i16> %s1, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o1 = add i64 %o.at, 16
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o1, <8 x i16> %even1)
  %s2 = call <16 x i16> @llvm.genx.uusad2add.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even2 = shufflevector <16 x i16> %s2, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o2 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o2, <8 x i16> %even2)
  %s3 = call <16 x i16> @llvm.genx.sssad2add.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even3 = shufflevector <16 x i16> %s3, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o3 = add i64 %o.at, 48
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o3, <8 x i16> %even3)
  %s4 = call <16 x i16> @llvm.genx.uusad2add.sat.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even4 = shufflevector <16 x i16> %s4, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o4 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o4, <8 x i16> %even4)
  %s5 = call <16 x i16> @llvm.genx.sssad2add.sat.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even5 = shufflevector <16 x i16> %s5, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o5 = add i64 %o.at, 80
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o5, <8 x i16> %even5)
  %d0 = call <16 x float> @llvm.genx.dp2.v16f32(<16 x float> %f, <16 x float> %g)
  %p0 = add i64 %p.at, 0
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p0, <16 x float> %d0)
  %d1 = call <16 x float> @llvm.genx.dp3.v16f32(<16 x float> %f, <16 x float> %g)
  %p1 = add i64 %p.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p1, <16 x float> %d1)
  %d2 = call <16 x float> @llvm.genx.dp4.v16f32(<16 x float> %f, <16 x float> %g)
  %p2 = add i64 %p.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p2, <16 x float> %d2)
  %d3 = call <16 x float> @llvm.genx.dph.v16f32(<16 x float> %f, <16 x float> %g)
  %p3 = add i64 %p.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p3, <16 x float> %d3)
  %f12 = shufflevector <16 x float> %f, <16 x float> undef, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %d4 = call <12 x float> @llvm.genx.dp4.v12f32(<12 x float> %f12, <12 x float> <float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0>)
  %p4 = add i64 %p.at, 256
  %low = shufflevector <12 x float> %d4, <12 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %p4, <8 x float> %low)
  %p5 = add i64 %p.at, 288
  %high = shufflevector <12 x float> %d4, <12 x float> undef, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  call void @llvm.genx.svm.block.st.i64.v4f32(i64 %p5, <4 x float> %high)
  ret void
}
