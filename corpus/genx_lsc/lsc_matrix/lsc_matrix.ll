; Blocks of two dimensions: as they are, transposed, rows interleaved, two side by side, past the edge, and a store.
;! global 1
;! local 1
;! in a u32 512 bits 32
;! out o u32 512
;= def expect(args):
;=     a = args[0]
;=     o = [0] * 512
;=     at = lambda x, y: a[32 * y + x] if 0 <= x < 32 and 0 <= y < 16 else 0
;=     for y in range(8):
;=         for x in range(16):
;=             o[32 * y + x] = at(x + 3, y + 2)
;=             o[32 * y + 16 + x] = at(x + 24, y + 12)
;=     for y in range(8):
;=         for x in range(8):
;=             o[32 * (8 + x) + y] = at(x + 4, y + 1)
;=     half = lambda x, y: at(x // 2, y) >> 16 * (x % 2) & 0xffff
;=     for y in range(4):
;=         for x in range(16):
;=             o[32 * (8 + y) + 16 + x] = half(x, 2 * y) | half(x, 2 * y + 1) << 16
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare void @llvm.genx.lsc.prefetch2d.stateless.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)
declare <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)
declare <64 x i32> @llvm.genx.lsc.load2d.stateless.v64i32.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)
declare <128 x i16> @llvm.genx.lsc.load2d.stateless.v128i16.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)
declare void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32, <128 x i32>)
declare void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32, <64 x i32>)

define spir_kernel void @lsc_matrix(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %a.at = ptrtoint i32 addrspace(1)* %a to i64
  %o.at = ptrtoint i32 addrspace(1)* %o to i64
  call void @llvm.genx.lsc.prefetch2d.stateless.i1.i64(i1 true, i8 2, i8 2, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 3, i32 2)
  %x = call <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 3, i32 2)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 0, i32 0, <128 x i32> %x)
  %y = call <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 24, i32 12)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 16, i32 0, <128 x i32> %y)
  %z = call <64 x i32> @llvm.genx.lsc.load2d.stateless.v64i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 2, i8 1, i16 8, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 4, i32 1)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 8, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 0, i32 8, <64 x i32> %z)
  %v = call <128 x i16> @llvm.genx.lsc.load2d.stateless.v128i16.i1.i64(i1 true, i8 0, i8 0, i8 2, i8 1, i8 1, i16 16, i16 8, i8 1, i64 %a.at, i32 127, i32 15, i32 127, i32 0, i32 0)
  %pairs = bitcast <128 x i16> %v to <64 x i32>
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 4, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 16, i32 8, <64 x i32> %pairs)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
