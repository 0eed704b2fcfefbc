; Products of matrices of bytes and halves: with a sum that stays, and without one.
;! global 1
;! local 1
;! in b u32 128 bits 32
;! in a u32 64 bits 32
;! in h u32 128 range 15360 15370
;! in g u32 64 range 15360 15370
;! in c u32 128 bits 16
;! out o u32 128
;! out p u32 128
;! out f f32 128
;= def expect(args):
;=     b, a, h, g, c = args[:5]
;=     byte = lambda x, n: (x >> 8 * n & 0xff) - (x >> 8 * n & 0x80) * 2
;=     one = lambda m, n: sum(byte(a[8 * m + d], k) * byte(b[16 * d + n], k) for d in range(8) for k in range(4))
;=     o = [c[16 * m + n] + 2 * one(m, n) & 0xffffffff for m in range(8) for n in range(16)]
;=     p = [one(m, n) & 0xffffffff for m in range(8) for n in range(16)]
;=     half = lambda x: 1 + (x & 0x3ff) / 1024
;=     f = [sum(half(g[8 * m + d] & 0xffff) * half(h[16 * d + n] & 0xffff) for d in range(8)) for m in range(8) for n in range(16)]
;=     return {5: o, 6: p, 7: f}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <128 x i32> @llvm.genx.dpas2.v128i32.v128i32.v128i32.v64i32(<128 x i32>, <128 x i32>, <64 x i32>, i32, i32, i32, i32, i32, i32)
declare <128 x i32> @llvm.genx.dpas.v128i32.v128i32.v64i32(<128 x i32>, <128 x i32>, <64 x i32>, i32)
declare <128 x i32> @llvm.genx.dpas.nosrc0.v128i32.v128i32.v64i32(<128 x i32>, <64 x i32>, i32)
declare <128 x float> @llvm.genx.dpas2.v128f32.v128f32.v128i32.v64i32(<128 x float>, <128 x i32>, <64 x i32>, i32, i32, i32, i32, i32, i32)

define spir_kernel void @products(<128 x i32> addrspace(1)* %b, <64 x i32> addrspace(1)* %a, <128 x i32> addrspace(1)* %h, <64 x i32> addrspace(1)* %g, <128 x i32> addrspace(1)* %c, <128 x i32> addrspace(1)* %o, <128 x i32> addrspace(1)* %p, <128 x float> addrspace(1)* %f) #0 {
  %b.v = load <128 x i32>, <128 x i32> addrspace(1)* %b, align 64
  %a.v = load <64 x i32>, <64 x i32> addrspace(1)* %a, align 64
  %h.v = load <128 x i32>, <128 x i32> addrspace(1)* %h, align 64
  %g.v = load <64 x i32>, <64 x i32> addrspace(1)* %g, align 64
  %c.v = load <128 x i32>, <128 x i32> addrspace(1)* %c, align 64
  %once = call <128 x i32> @llvm.genx.dpas2.v128i32.v128i32.v128i32.v64i32(<128 x i32> %c.v, <128 x i32> %b.v, <64 x i32> %a.v, i32 8, i32 8, i32 8, i32 8, i32 1, i32 1)
  %twice = call <128 x i32> @llvm.genx.dpas.v128i32.v128i32.v64i32(<128 x i32> %once, <128 x i32> %b.v, <64 x i32> %a.v, i32 134744072)
  %alone = call <128 x i32> @llvm.genx.dpas.nosrc0.v128i32.v128i32.v64i32(<128 x i32> %b.v, <64 x i32> %a.v, i32 134744072)
  %halves = call <128 x float> @llvm.genx.dpas2.v128f32.v128f32.v128i32.v64i32(<128 x float> zeroinitializer, <128 x i32> %h.v, <64 x i32> %g.v, i32 10, i32 10, i32 8, i32 8, i32 1, i32 1)
  store <128 x i32> %twice, <128 x i32> addrspace(1)* %o, align 64
  store <128 x i32> %alone, <128 x i32> addrspace(1)* %p, align 64
  store <128 x float> %halves, <128 x float> addrspace(1)* %f, align 64
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
