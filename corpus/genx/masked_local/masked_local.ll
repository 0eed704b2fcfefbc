; Masked accesses of shared local memory, each element at its own address: of 64, 32 and 16 bits.
;! unlike
;! global 1
;! local 1
;! in a u32 32 bits 32
;! out q u64 8
;! out o u32 16
;= def expect(args):
;=     a = args[0]
;=     quads = [a[2 * i] | a[2 * i + 1] << 32 for i in range(8)]
;=     q = [quads[7 - i] if a[i] & 1 else 9 for i in range(8)]
;=     o = [a[15 - i] if i < 8 else a[i] + 1 & 0xffff for i in range(16)]
;=     return {1: q, 2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@s = internal addrspace(3) global [16 x i64] undef, align 16
@t = internal addrspace(3) global [16 x i32] undef, align 16
@h = internal addrspace(3) global [16 x i16] undef, align 16

declare <8 x i64> @llvm.masked.gather.v8i64.v8p3i64(<8 x i64 addrspace(3)*>, i32, <8 x i1>, <8 x i64>)
declare void @llvm.masked.scatter.v8i64.v8p3i64(<8 x i64>, <8 x i64 addrspace(3)*>, i32, <8 x i1>)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p3i32(<8 x i32 addrspace(3)*>, i32, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v16i32.p3v16i32(<16 x i32>, <16 x i32> addrspace(3)*, i32, <16 x i1>)
declare void @llvm.masked.store.v16i16.p3v16i16(<16 x i16>, <16 x i16> addrspace(3)*, i32, <16 x i1>)
declare <8 x i16> @llvm.masked.load.v8i16.p3v8i16(<8 x i16> addrspace(3)*, i32, <8 x i1>, <8 x i16>)

define spir_kernel void @masked_local(i32 addrspace(1)* %a, i64 addrspace(1)* %q, i32 addrspace(1)* %o) #0 {
  %a.v = bitcast i32 addrspace(1)* %a to <16 x i32> addrspace(1)*
  %x = load <16 x i32>, <16 x i32> addrspace(1)* %a.v, align 16
  %quads = bitcast <16 x i32> %x to <8 x i64>
  %x8 = shufflevector <16 x i32> %x, <16 x i32> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %low = and <8 x i32> %x8, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <8 x i32> %low, zeroinitializer
  %s.up = getelementptr [16 x i64], [16 x i64] addrspace(3)* @s, i32 0, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %s.down = getelementptr [16 x i64], [16 x i64] addrspace(3)* @s, i32 0, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  call void @llvm.masked.scatter.v8i64.v8p3i64(<8 x i64> %quads, <8 x i64 addrspace(3)*> %s.up, i32 8, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %q.x = call <8 x i64> @llvm.masked.gather.v8i64.v8p3i64(<8 x i64 addrspace(3)*> %s.down, i32 8, <8 x i1> %odd, <8 x i64> <i64 9, i64 9, i64 9, i64 9, i64 9, i64 9, i64 9, i64 9>)
  %q.v = bitcast i64 addrspace(1)* %q to <8 x i64> addrspace(1)*
  store <8 x i64> %q.x, <8 x i64> addrspace(1)* %q.v, align 16
  %t.v = bitcast [16 x i32] addrspace(3)* @t to <16 x i32> addrspace(3)*
  call void @llvm.masked.store.v16i32.p3v16i32(<16 x i32> %x, <16 x i32> addrspace(3)* %t.v, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %t.down = getelementptr [16 x i32], [16 x i32] addrspace(3)* @t, i32 0, <8 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8>
  %t.x = call <8 x i32> @llvm.masked.gather.v8i32.v8p3i32(<8 x i32 addrspace(3)*> %t.down, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i32> undef)
  %words = trunc <16 x i32> %x to <16 x i16>
  %h.v = bitcast [16 x i16] addrspace(3)* @h to <16 x i16> addrspace(3)*
  call void @llvm.masked.store.v16i16.p3v16i16(<16 x i16> %words, <16 x i16> addrspace(3)* %h.v, i32 2, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %h.8 = getelementptr [16 x i16], [16 x i16] addrspace(3)* @h, i32 0, i32 8
  %h.8v = bitcast i16 addrspace(3)* %h.8 to <8 x i16> addrspace(3)*
  %h.x = call <8 x i16> @llvm.masked.load.v8i16.p3v8i16(<8 x i16> addrspace(3)* %h.8v, i32 2, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i16> undef)
  %h.next = add <8 x i16> %h.x, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  %h.wide = zext <8 x i16> %h.next to <8 x i32>
  %all = shufflevector <8 x i32> %t.x, <8 x i32> %h.wide, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %o.v = bitcast i32 addrspace(1)* %o to <16 x i32> addrspace(1)*
  store <16 x i32> %all, <16 x i32> addrspace(1)* %o.v, align 16
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
