; Shared local memory by the load-store units: by channels, pixels, blocks, an atomic, fences and a barrier.
;! global 4
;! local 4
;! in a u32 256 bits 32
;! out o u32 256
;= def expect(args):
;=     a = args[0]
;=     o = [0] * 256
;=     for t in range(4):
;=         other = (t + 1) % 4
;=         for i in range(16):
;=             o[64 * t + i] = a[64 * other + 15 - i]
;=             o[64 * t + 16 + i] = a[64 * other + i]
;=             o[64 * t + 32 + i] = a[64 * other + 16 + i]
;=             o[64 * t + 48 + i] = sum(a[64 * u + 32 + i] for u in range(4)) & 0xffffffff
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <3 x i32> @llvm.genx.local.id.v3i32()
declare void @llvm.genx.slm.init(i32)
declare void @llvm.genx.barrier()
declare void @llvm.genx.lsc.fence.v16i1(<16 x i1>, i8, i8, i8)
declare <64 x i32> @llvm.genx.lsc.load.stateless.v64i32.v1i1.v1i64(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, i32)
declare void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v64i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, <64 x i32>, i32)
declare <16 x i32> @llvm.genx.lsc.load.slm.v16i32.v16i1.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i32>, i32)
declare void @llvm.genx.lsc.store.slm.v16i1.v16i32.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i32>, <16 x i32>, i32)
declare void @llvm.genx.lsc.store.quad.slm.v16i1.v16i32.v32i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i32>, <32 x i32>, i32)
declare <32 x i32> @llvm.genx.lsc.load.quad.slm.v32i32.v16i1.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i32>, i32)
declare <16 x i32> @llvm.genx.lsc.xatomic.slm.v16i32.v16i1.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i32>, <16 x i32>, <16 x i32>, i32, <16 x i32>)
declare void @llvm.genx.lsc.store.slm.v1i1.v1i32.v16i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i32>, <16 x i32>, i32)
declare <16 x i32> @llvm.genx.lsc.load.slm.v16i32.v1i1.v1i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i32>, i32)

define spir_kernel void @lsc_shared(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  call void @llvm.genx.slm.init(i32 2048)
  %ids = call <3 x i32> @llvm.genx.local.id.v3i32()
  %id = extractelement <3 x i32> %ids, i32 0
  %id.wide = zext i32 %id to i64
  %bytes = shl i64 %id.wide, 8
  %a.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %bytes
  %o.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %bytes
  %a.one = bitcast i64 %a.at to <1 x i64>
  %o.one = bitcast i64 %o.at to <1 x i64>
  %x = call <64 x i32> @llvm.genx.lsc.load.stateless.v64i32.v1i1.v1i64(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 8, i8 2, i8 0, <1 x i64> %a.one, i32 0)
  %x0 = shufflevector <64 x i32> %x, <64 x i32> undef, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %x1 = shufflevector <64 x i32> %x, <64 x i32> undef, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %x2 = shufflevector <64 x i32> %x, <64 x i32> undef, <16 x i32> <i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47>
  %x3 = shufflevector <64 x i32> %x, <64 x i32> undef, <16 x i32> <i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %slot = shl i32 %id, 7
  %pixels = shl i32 %id, 8
  %slot.one = insertelement <16 x i32> undef, i32 %slot, i32 0
  %slot.all = shufflevector <16 x i32> %slot.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %pixels.one = insertelement <16 x i32> undef, i32 %pixels, i32 0
  %pixels.all = shufflevector <16 x i32> %pixels.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %down = add <16 x i32> %slot.all, <i32 60, i32 56, i32 52, i32 48, i32 44, i32 40, i32 36, i32 32, i32 28, i32 24, i32 20, i32 16, i32 12, i32 8, i32 4, i32 0>
  %eights = add <16 x i32> %pixels.all, <i32 0, i32 8, i32 16, i32 24, i32 32, i32 40, i32 48, i32 56, i32 64, i32 72, i32 80, i32 88, i32 96, i32 104, i32 112, i32 120>
  %zero.is = icmp eq i32 %id, 0
  call void @llvm.genx.lsc.store.slm.v16i1.v16i32.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i32> %down, <16 x i32> %x0, i32 0)
  %two = shufflevector <16 x i32> %x0, <16 x i32> %x1, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.genx.lsc.store.quad.slm.v16i1.v16i32.v32i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 512, i8 3, i8 0, i8 1, i8 3, <16 x i32> %eights, <32 x i32> %two, i32 0)
  %zeros = bitcast i32 1600 to <1 x i32>
  br i1 %zero.is, label %clear, label %go

clear:
  call void @llvm.genx.lsc.store.slm.v1i1.v1i32.v16i32(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 6, i8 2, i8 0, <1 x i32> %zeros, <16 x i32> zeroinitializer, i32 0)
  br label %go

go:
  call void @llvm.genx.lsc.fence.v16i1(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 3, i8 0, i8 0)
  call void @llvm.genx.barrier()
  %old = call <16 x i32> @llvm.genx.lsc.xatomic.slm.v16i32.v16i1.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 12, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i32> <i32 1600, i32 1604, i32 1608, i32 1612, i32 1616, i32 1620, i32 1624, i32 1628, i32 1632, i32 1636, i32 1640, i32 1644, i32 1648, i32 1652, i32 1656, i32 1660>, <16 x i32> %x2, <16 x i32> undef, i32 0, <16 x i32> undef)
  %next = add i32 %id, 1
  %other = and i32 %next, 3
  %there = shl i32 %other, 7
  %there.pixels = shl i32 %other, 8
  %there.one = insertelement <16 x i32> undef, i32 %there, i32 0
  %there.all = shufflevector <16 x i32> %there.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %up = add <16 x i32> %there.all, <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 32, i32 36, i32 40, i32 44, i32 48, i32 52, i32 56, i32 60>
  %tp.one = insertelement <16 x i32> undef, i32 %there.pixels, i32 0
  %tp.all = shufflevector <16 x i32> %tp.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %tp = add <16 x i32> %tp.all, <i32 0, i32 8, i32 16, i32 24, i32 32, i32 40, i32 48, i32 56, i32 64, i32 72, i32 80, i32 88, i32 96, i32 104, i32 112, i32 120>
  %y0 = call <16 x i32> @llvm.genx.lsc.load.slm.v16i32.v16i1.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i32> %up, i32 0)
  %y1 = call <32 x i32> @llvm.genx.lsc.load.quad.slm.v32i32.v16i1.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 512, i8 3, i8 0, i8 1, i8 3, <16 x i32> %tp, i32 0)
  call void @llvm.genx.lsc.fence.v16i1(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 3, i8 0, i8 0)
  call void @llvm.genx.barrier()
  %y2 = call <16 x i32> @llvm.genx.lsc.load.slm.v16i32.v1i1.v1i32(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 6, i8 2, i8 0, <1 x i32> %zeros, i32 0)
  %first = shufflevector <16 x i32> %y0, <16 x i32> %y2, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %all = shufflevector <32 x i32> %first, <32 x i32> %y1, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v64i32(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 8, i8 2, i8 0, <1 x i64> %o.one, <64 x i32> %all, i32 0)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
