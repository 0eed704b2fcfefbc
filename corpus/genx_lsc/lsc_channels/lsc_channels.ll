; Messages by channels of the load-store units: sizes of elements, several for a channel, masks, an old value, an offset.
;! global 2
;! local 1
;! in a u32 256 bits 32
;! out o u32 512
;= def expect(args):
;=     a, o = args[0], [0] * 512
;=     for g in range(2):
;=         x, r = a[128 * g:128 * g + 128], [0] * 256
;=         for i in range(16):
;=             r[i] = x[i] + 1 & 0xffffffff
;=             r[16 + i] = x[16 + i] if x[i] & 1 else 100 + i
;=             if x[i] & 1:
;=                 r[32 + i] = x[i]
;=             r[48 + 2 * i], r[49 + 2 * i] = x[33 + 2 * i], x[32 + 2 * i]
;=             word = lambda at: x[at // 2] >> 16 * (at % 2) & 0xffff
;=             byte = lambda at: x[at // 4] >> 8 * (at % 4) & 0xff
;=             r[80 + i] = byte(i) + word(i)
;=             r[96 + i // 2] |= (byte(i) + word(i) & 0xffff) << 16 * (i % 2)
;=             both = (x[2 * i + 64] | x[2 * i + 65] << 32) + 1
;=             r[128 + 2 * i], r[129 + 2 * i] = both & 0xffffffff, both >> 32 & 0xffffffff
;=         for i in range(32):
;=             r[160 + i] = x[4 + i]
;=         for i in range(5):
;=             r[192 + i] = x[i] ^ 1
;=         o[256 * g:256 * g + 256] = r
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.lsc.load.stateless.v16i32.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, i32)
declare <16 x i32> @llvm.genx.lsc.load.merge.stateless.v16i32.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, i32, <16 x i32>)
declare <32 x i32> @llvm.genx.lsc.load.stateless.v32i32.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, i32)
declare <16 x i64> @llvm.genx.lsc.load.stateless.v16i64.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, i32)
declare <32 x i32> @llvm.genx.lsc.load.stateless.v32i32.v32i1.v32i64(<32 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <32 x i64>, i32)
declare <5 x i32> @llvm.genx.lsc.load.stateless.v5i32.v5i1.v5i64(<5 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <5 x i64>, i32)
declare void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v32i32(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <32 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, <16 x i64>, i32)
declare void @llvm.genx.lsc.store.stateless.v32i1.v32i64.v32i32(<32 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <32 x i64>, <32 x i32>, i32)
declare void @llvm.genx.lsc.store.stateless.v5i1.v5i64.v5i32(<5 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <5 x i64>, <5 x i32>, i32)
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)
declare void @llvm.genx.lsc.prefetch.stateless.v16i1.v16i64(<16 x i1>, i8, i8, i8, i16, i32, i8, i8, i8, i8, <16 x i64>, i32)

define spir_kernel void @lsc_channels(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %group.wide = zext i32 %group to i64
  %a.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.bytes = mul i64 %group.wide, 512
  %a.at = add i64 %a.base, %a.bytes
  %o.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.bytes = mul i64 %group.wide, 1024
  %o.at = add i64 %o.base, %o.bytes
  %a4.one = insertelement <16 x i64> undef, i64 %a.at, i32 0
  %a4.all = shufflevector <16 x i64> %a4.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a4 = add <16 x i64> %a4.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  %a8.one = insertelement <16 x i64> undef, i64 %a.at, i32 0
  %a8.all = shufflevector <16 x i64> %a8.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a8 = add <16 x i64> %a8.all, <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56, i64 64, i64 72, i64 80, i64 88, i64 96, i64 104, i64 112, i64 120>
  %a1.one = insertelement <16 x i64> undef, i64 %a.at, i32 0
  %a1.all = shufflevector <16 x i64> %a1.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a1 = add <16 x i64> %a1.all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %a2.one = insertelement <16 x i64> undef, i64 %a.at, i32 0
  %a2.all = shufflevector <16 x i64> %a2.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a2 = add <16 x i64> %a2.all, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %o4.one = insertelement <16 x i64> undef, i64 %o.at, i32 0
  %o4.all = shufflevector <16 x i64> %o4.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %o4 = add <16 x i64> %o4.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  %o8.one = insertelement <16 x i64> undef, i64 %o.at, i32 0
  %o8.all = shufflevector <16 x i64> %o8.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %o8 = add <16 x i64> %o8.all, <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56, i64 64, i64 72, i64 80, i64 88, i64 96, i64 104, i64 112, i64 120>
  %o2.one = insertelement <16 x i64> undef, i64 %o.at, i32 0
  %o2.all = shufflevector <16 x i64> %o2.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %o2 = add <16 x i64> %o2.all, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %a32.one = insertelement <32 x i64> undef, i64 %a.at, i32 0
  %a32.all = shufflevector <32 x i64> %a32.one, <32 x i64> undef, <32 x i32> zeroinitializer
  %a32 = add <32 x i64> %a32.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
  %o32.one = insertelement <32 x i64> undef, i64 %o.at, i32 0
  %o32.all = shufflevector <32 x i64> %o32.one, <32 x i64> undef, <32 x i32> zeroinitializer
  %o32 = add <32 x i64> %o32.all, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
  %a5.one = insertelement <5 x i64> undef, i64 %a.at, i32 0
  %a5.all = shufflevector <5 x i64> %a5.one, <5 x i64> undef, <5 x i32> zeroinitializer
  %a5 = add <5 x i64> %a5.all, <i64 0, i64 4, i64 8, i64 12, i64 16>
  %o5.one = insertelement <5 x i64> undef, i64 %o.at, i32 0
  %o5.all = shufflevector <5 x i64> %o5.one, <5 x i64> undef, <5 x i32> zeroinitializer
  %o5 = add <5 x i64> %o5.all, <i64 0, i64 4, i64 8, i64 12, i64 16>
  call void @llvm.genx.lsc.prefetch.stateless.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 2, i8 2, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %a4, i32 0)
  %x = call <16 x i32> @llvm.genx.lsc.load.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %a4, i32 0)
  %x.next = add <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %x.next, i32 0)
  %low = and <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %m = call <16 x i32> @llvm.genx.lsc.load.merge.stateless.v16i32.v16i1.v16i64(<16 x i1> %odd, i8 0, i8 0, i8 0, i16 1, i32 64, i8 3, i8 1, i8 1, i8 0, <16 x i64> %a4, i32 0, <16 x i32> <i32 100, i32 101, i32 102, i32 103, i32 104, i32 105, i32 106, i32 107, i32 108, i32 109, i32 110, i32 111, i32 112, i32 113, i32 114, i32 115>)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 64, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %m, i32 0)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> %odd, i8 0, i8 0, i8 0, i16 1, i32 128, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %x, i32 0)
  %p = call <32 x i32> @llvm.genx.lsc.load.stateless.v32i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 128, i8 3, i8 2, i8 1, i8 0, <16 x i64> %a8, i32 0)
  %p.swap = shufflevector <32 x i32> %p, <32 x i32> undef, <32 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v32i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 192, i8 3, i8 2, i8 1, i8 0, <16 x i64> %o8, <32 x i32> %p.swap, i32 0)
  %bytes = call <16 x i32> @llvm.genx.lsc.load.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 5, i8 1, i8 1, i8 0, <16 x i64> %a1, i32 0)
  %words = call <16 x i32> @llvm.genx.lsc.load.stateless.v16i32.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 6, i8 1, i8 1, i8 0, <16 x i64> %a2, i32 0)
  %both = add <16 x i32> %bytes, %words
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 320, i8 3, i8 1, i8 1, i8 0, <16 x i64> %o4, <16 x i32> %both, i32 0)
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 384, i8 6, i8 1, i8 1, i8 0, <16 x i64> %o2, <16 x i32> %both, i32 0)
  %q = call <16 x i64> @llvm.genx.lsc.load.stateless.v16i64.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 256, i8 4, i8 1, i8 1, i8 0, <16 x i64> %a8, i32 0)
  %q.next = add <16 x i64> %q, <i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1, i64 1>
  call void @llvm.genx.lsc.store.stateless.v16i1.v16i64.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 512, i8 4, i8 1, i8 1, i8 0, <16 x i64> %o8, <16 x i64> %q.next, i32 0)
  %wide = call <32 x i32> @llvm.genx.lsc.load.stateless.v32i32.v32i1.v32i64(<32 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 16, i8 3, i8 1, i8 1, i8 0, <32 x i64> %a32, i32 0)
  call void @llvm.genx.lsc.store.stateless.v32i1.v32i64.v32i32(<32 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 640, i8 3, i8 1, i8 1, i8 0, <32 x i64> %o32, <32 x i32> %wide, i32 0)
  %five = call <5 x i32> @llvm.genx.lsc.load.stateless.v5i32.v5i1.v5i64(<5 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 0, i8 3, i8 1, i8 1, i8 0, <5 x i64> %a5, i32 0)
  %five.other = xor <5 x i32> %five, <i32 1, i32 1, i32 1, i32 1, i32 1>
  call void @llvm.genx.lsc.store.stateless.v5i1.v5i64.v5i32(<5 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true>, i8 0, i8 0, i8 0, i16 1, i32 768, i8 3, i8 1, i8 1, i8 0, <5 x i64> %o5, <5 x i32> %five.other, i32 0)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
