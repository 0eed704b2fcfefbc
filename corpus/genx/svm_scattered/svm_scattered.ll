; Memory read and written by an address a channel: dwords, bytes, several blocks an address, some channels only.
;! global 2
;! local 1
;! in a u32 128 bits 32
;! in n u32 32 range 0 63
;! inout o u32 64 bits 16
;! inout b u8 32 bits 8
;= def expect(args):
;=     a, n, o, b = args[0], args[1], list(args[2]), list(args[3])
;=     for g in range(2):
;=         for i in range(16):
;=             index = n[16 * g + i]
;=             value = a[64 * g + index] if index & 1 else 7 + i
;=             if value & 2:
;=                 o[32 * g + 2 * i] = value
;=         for i in range(8):
;=             at = 64 * g + (n[16 * g + i] & 30)
;=             o[32 * g + 2 * i + 1] = a[at] ^ a[at + 1]
;=             b[16 * g + i] = (b[16 * g + 15 - i] + 1) % 256
;=     return {2: o, 3: b}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.genx.svm.gather.v16i32.v16i1.v16i64(<16 x i1>, i32, <16 x i64>, <16 x i32>)
declare void @llvm.genx.svm.scatter.v16i1.v16i64.v16i32(<16 x i1>, i32, <16 x i64>, <16 x i32>)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32>, i32, i32, i32, i16, i32)
declare <8 x i64> @llvm.genx.rdregioni.v8i64.v16i64.i16(<16 x i64>, i32, i32, i32, i16, i32)
declare <16 x i32> @llvm.genx.svm.gather.v16i32.v8i1.v8i64(<8 x i1>, i32, <8 x i64>, <16 x i32>)
declare void @llvm.genx.svm.scatter.v8i1.v8i64.v8i32(<8 x i1>, i32, <8 x i64>, <8 x i32>)
declare <32 x i8> @llvm.genx.svm.gather.v32i8.v8i1.v8i64(<8 x i1>, i32, <8 x i64>, <32 x i8>)
declare <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8>, i32, i32, i32, i16, i32)
declare <32 x i8> @llvm.genx.wrregioni.v32i8.v8i8.i16.i1(<32 x i8>, <8 x i8>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.scatter.v8i1.v8i64.v32i8(<8 x i1>, i32, <8 x i64>, <32 x i8>)

define spir_kernel void @svm_scattered(i32 addrspace(1)* %a, i32 addrspace(1)* %n, i32 addrspace(1)* %o, i8 addrspace(1)* %b) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 256
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %half = lshr i64 %offset, 1
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %half
  %small = lshr i64 %offset, 2
  %n.at.base = ptrtoint i32 addrspace(1)* %n to i64
  %n.at = add i64 %n.at.base, %small
  %few = lshr i64 %offset, 4
  %b.at.base = ptrtoint i8 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %few
  %index = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %n.at)
  %index.wide = zext <16 x i32> %index to <16 x i64>
  %index.bytes = shl <16 x i64> %index.wide, <i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2>
  %a.one = insertelement <16 x i64> undef, i64 %a.at, i32 0
  %a.all = shufflevector <16 x i64> %a.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a.each = add <16 x i64> %a.all, %index.bytes
  %low = and <16 x i32> %index, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %value = call <16 x i32> @llvm.genx.svm.gather.v16i32.v16i1.v16i64(<16 x i1> %odd, i32 0, <16 x i64> %a.each, <16 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22>)
  %second = and <16 x i32> %value, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %set = icmp ne <16 x i32> %second, zeroinitializer
  %o.one = insertelement <16 x i64> undef, i64 %o.at, i32 0
  %o.all = shufflevector <16 x i64> %o.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %o.each = add <16 x i64> %o.all, <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56, i64 64, i64 72, i64 80, i64 88, i64 96, i64 104, i64 112, i64 120>
  call void @llvm.genx.svm.scatter.v16i1.v16i64.v16i32(<16 x i1> %set, i32 0, <16 x i64> %o.each, <16 x i32> %value)
  %eight = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %index, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %even = and <8 x i32> %eight, <i32 30, i32 30, i32 30, i32 30, i32 30, i32 30, i32 30, i32 30>
  %even.wide = zext <8 x i32> %even to <8 x i64>
  %even.bytes = shl <8 x i64> %even.wide, <i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2, i64 2>
  %a.eight = call <8 x i64> @llvm.genx.rdregioni.v8i64.v16i64.i16(<16 x i64> %a.all, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %a.even = add <8 x i64> %a.eight, %even.bytes
  %pairs = call <16 x i32> @llvm.genx.svm.gather.v16i32.v8i1.v8i64(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 1, <8 x i64> %a.even, <16 x i32> undef)
  %first = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %pairs, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %other = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %pairs, i32 0, i32 8, i32 1, i16 32, i32 undef)
  %both = xor <8 x i32> %first, %other
  %o.eight = call <8 x i64> @llvm.genx.rdregioni.v8i64.v16i64.i16(<16 x i64> %o.each, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %o.next = add <8 x i64> %o.eight, <i64 4, i64 4, i64 4, i64 4, i64 4, i64 4, i64 4, i64 4>
  call void @llvm.genx.svm.scatter.v8i1.v8i64.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 0, <8 x i64> %o.next, <8 x i32> %both)
  %b.one = insertelement <8 x i64> undef, i64 %b.at, i32 0
  %b.all = shufflevector <8 x i64> %b.one, <8 x i64> undef, <8 x i32> zeroinitializer
  %b.far = add <8 x i64> %b.all, <i64 15, i64 14, i64 13, i64 12, i64 11, i64 10, i64 9, i64 8>
  %b.near = add <8 x i64> %b.all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %bytes.old = call <32 x i8> @llvm.genx.svm.gather.v32i8.v8i1.v8i64(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 0, <8 x i64> %b.far, <32 x i8> undef)
  %each = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %bytes.old, i32 0, i32 8, i32 4, i16 0, i32 undef)
  %more = add <8 x i8> %each, <i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1>
  %spread = call <32 x i8> @llvm.genx.wrregioni.v32i8.v8i8.i16.i1(<32 x i8> undef, <8 x i8> %more, i32 0, i32 8, i32 4, i16 0, i32 undef, i1 true)
  call void @llvm.genx.svm.scatter.v8i1.v8i64.v32i8(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 0, <8 x i64> %b.near, <32 x i8> %spread)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
