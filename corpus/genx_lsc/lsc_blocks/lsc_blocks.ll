; Transposed blocks of the load-store units: dwords and qwords, caching, a mask of one channel, an offset.
;! global 2
;! local 1
;! in a u32 256 bits 32
;! out o u32 256
;= def expect(args):
;=     a, o = args[0], [0] * 256
;=     for g in range(2):
;=         x = a[128 * g:128 * g + 128]
;=         r = [y + 3 & 0xffffffff for y in x[:64]] + x[72:104] + [0] * 32
;=         if x[0] & 1:
;=             r[96:104] = x[8:16]
;=         r[104:108] = x[4:8] if x[0] & 1 else [9, 8, 7, 6]
;=         r[108] = x[1]
;=         o[128 * g:128 * g + 128] = r
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <64 x i32> @llvm.genx.lsc.load.stateless.v64i32.v1i1.v1i64(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, i32)
declare <16 x i64> @llvm.genx.lsc.load.stateless.v16i64.i1.i64(i1, i8, i8, i8, i16, i32, i8, i8, i8, i8, i64, i32)
declare <8 x i32> @llvm.genx.lsc.load.stateless.v8i32.v1i1.v1i64(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, i32)
declare <4 x i32> @llvm.genx.lsc.load.merge.stateless.v4i32.v1i1.v1i64(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, i32, <4 x i32>)
declare <1 x i32> @llvm.genx.lsc.load.stateless.v1i32.v1i1.v1i64(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, i32)
declare void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v64i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, <64 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.i1.i64.v16i64(i1, i8, i8, i8, i16, i32, i8, i8, i8, i8, i64, <16 x i64>, i32)
declare void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v8i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, <8 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v4i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, <4 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v1i32(<1 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <1 x i64>, <1 x i32>, i32)

define spir_kernel void @lsc_blocks(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %group.wide = zext i32 %group to i64
  %bytes = mul i64 %group.wide, 512
  %a.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %bytes
  %o.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %bytes
  %a.one = bitcast i64 %a.at to <1 x i64>
  %o.one = bitcast i64 %o.at to <1 x i64>
  %x = call <64 x i32> @llvm.genx.lsc.load.stateless.v64i32.v1i1.v1i64(<1 x i1> <i1 true>, i8 0, i8 1, i8 2, i16 1, i32 0, i8 3, i8 8, i8 2, i8 0, <1 x i64> %a.one, i32 0)
  %x.more = add <64 x i32> %x, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  call void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v64i32(<1 x i1> <i1 true>, i8 0, i8 1, i8 3, i16 1, i32 0, i8 3, i8 8, i8 2, i8 0, <1 x i64> %o.one, <64 x i32> %x.more, i32 0)
  %q = call <16 x i64> @llvm.genx.lsc.load.stateless.v16i64.i1.i64(i1 true, i8 0, i8 0, i8 0, i16 1, i32 288, i8 4, i8 6, i8 2, i8 0, i64 %a.at, i32 0)
  call void @llvm.genx.lsc.store.stateless.i1.i64.v16i64(i1 true, i8 0, i8 0, i8 0, i16 1, i32 256, i8 4, i8 6, i8 2, i8 0, i64 %o.at, <16 x i64> %q, i32 0)
  %first = extractelement <64 x i32> %x, i32 0
  %odd = trunc i32 %first to i1
  %odd.one = bitcast i1 %odd to <1 x i1>
  %e = call <8 x i32> @llvm.genx.lsc.load.stateless.v8i32.v1i1.v1i64(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 32, i8 3, i8 5, i8 2, i8 0, <1 x i64> %a.one, i32 0)
  call void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v8i32(<1 x i1> %odd.one, i8 0, i8 0, i8 0, i16 1, i32 384, i8 3, i8 5, i8 2, i8 0, <1 x i64> %o.one, <8 x i32> %e, i32 0)
  %m = call <4 x i32> @llvm.genx.lsc.load.merge.stateless.v4i32.v1i1.v1i64(<1 x i1> %odd.one, i8 0, i8 0, i8 0, i16 1, i32 16, i8 3, i8 4, i8 2, i8 0, <1 x i64> %a.one, i32 0, <4 x i32> <i32 9, i32 8, i32 7, i32 6>)
  call void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v4i32(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 416, i8 3, i8 4, i8 2, i8 0, <1 x i64> %o.one, <4 x i32> %m, i32 0)
  %s = call <1 x i32> @llvm.genx.lsc.load.stateless.v1i32.v1i1.v1i64(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 4, i8 3, i8 1, i8 2, i8 0, <1 x i64> %a.one, i32 0)
  call void @llvm.genx.lsc.store.stateless.v1i1.v1i64.v1i32(<1 x i1> <i1 true>, i8 0, i8 0, i8 0, i16 1, i32 432, i8 3, i8 1, i8 1, i8 0, <1 x i64> %o.one, <1 x i32> %s, i32 0)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
