; LLVM's masked accesses: elements of 8, 16, 32 and 64 bits, side by side and each at its own address.
;! unlike
;! global 1
;! local 1
;! in a u32 64 bits 32
;! in n u32 16 range 0 31
;! inout o u32 64 bits 16
;! inout h u16 64 bits 16
;! inout q u64 32 bits 32
;= def expect(args):
;=     a, n, o, h, q = args[0], args[1], list(args[2]), list(args[3]), list(args[4])
;=     odd = [a[i] & 1 for i in range(16)]
;=     for i in range(16):
;=         loaded = a[16 + i] if odd[i] else 7
;=         gathered = a[n[i]] if odd[i] else i
;=         if not odd[i]:
;=             o[i] = loaded + gathered & 0xffffffff
;=         else:
;=             o[16 + 3 * i % 48] = loaded ^ gathered
;=         if odd[i]:
;=             h[i] = h[32 + i] + 1 & 0xffff
;=     for i in range(5):
;=         if odd[i]:
;=             q[i] = q[16 + i] + 1
;=     return {2: o, 3: h, 4: q}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.masked.load.v16i32.p1v16i32(<16 x i32> addrspace(1)*, i32, <16 x i1>, <16 x i32>)
declare <16 x i16> @llvm.masked.load.v16i16.p1v16i16(<16 x i16> addrspace(1)*, i32, <16 x i1>, <16 x i16>)
declare void @llvm.masked.store.v16i32.p1v16i32(<16 x i32>, <16 x i32> addrspace(1)*, i32, <16 x i1>)
declare void @llvm.masked.store.v16i16.p1v16i16(<16 x i16>, <16 x i16> addrspace(1)*, i32, <16 x i1>)
declare <16 x i32> @llvm.masked.gather.v16i32.v16p1i32(<16 x i32 addrspace(1)*>, i32, <16 x i1>, <16 x i32>)
declare void @llvm.masked.scatter.v16i32.v16p1i32(<16 x i32>, <16 x i32 addrspace(1)*>, i32, <16 x i1>)
declare <5 x i64> @llvm.masked.gather.v5i64.v5p1i64(<5 x i64 addrspace(1)*>, i32, <5 x i1>, <5 x i64>)
declare void @llvm.masked.scatter.v5i64.v5p1i64(<5 x i64>, <5 x i64 addrspace(1)*>, i32, <5 x i1>)

define spir_kernel void @masked_memory(i32 addrspace(1)* %a, i32 addrspace(1)* %n, i32 addrspace(1)* %o, i16 addrspace(1)* %h, i64 addrspace(1)* %q) #0 {
  %a.v = bitcast i32 addrspace(1)* %a to <16 x i32> addrspace(1)*
  %n.v = bitcast i32 addrspace(1)* %n to <16 x i32> addrspace(1)*
  %first = load <16 x i32>, <16 x i32> addrspace(1)* %a.v, align 16
  %index = load <16 x i32>, <16 x i32> addrspace(1)* %n.v, align 16
  %low = and <16 x i32> %first, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %odd = icmp ne <16 x i32> %low, zeroinitializer
  %even = xor <16 x i1> %odd, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %a.second = getelementptr <16 x i32>, <16 x i32> addrspace(1)* %a.v, i32 1
  %loaded = call <16 x i32> @llvm.masked.load.v16i32.p1v16i32(<16 x i32> addrspace(1)* %a.second, i32 4, <16 x i1> %odd, <16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>)
  %a.each = getelementptr i32, i32 addrspace(1)* %a, <16 x i32> %index
  %gathered = call <16 x i32> @llvm.masked.gather.v16i32.v16p1i32(<16 x i32 addrspace(1)*> %a.each, i32 4, <16 x i1> %odd, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>)
  %sum = add <16 x i32> %loaded, %gathered
  %o.v = bitcast i32 addrspace(1)* %o to <16 x i32> addrspace(1)*
  call void @llvm.masked.store.v16i32.p1v16i32(<16 x i32> %sum, <16 x i32> addrspace(1)* %o.v, i32 4, <16 x i1> %even)
  %other = xor <16 x i32> %loaded, %gathered
  %o.far = getelementptr i32, i32 addrspace(1)* %o, i64 16
  %o.each = getelementptr i32, i32 addrspace(1)* %o.far, <16 x i64> <i64 0, i64 3, i64 6, i64 9, i64 12, i64 15, i64 18, i64 21, i64 24, i64 27, i64 30, i64 33, i64 36, i64 39, i64 42, i64 45>
  call void @llvm.masked.scatter.v16i32.v16p1i32(<16 x i32> %other, <16 x i32 addrspace(1)*> %o.each, i32 4, <16 x i1> %odd)
  %h.v = bitcast i16 addrspace(1)* %h to <16 x i16> addrspace(1)*
  %h.far = getelementptr <16 x i16>, <16 x i16> addrspace(1)* %h.v, i64 2
  %words = call <16 x i16> @llvm.masked.load.v16i16.p1v16i16(<16 x i16> addrspace(1)* %h.far, i32 2, <16 x i1> %odd, <16 x i16> zeroinitializer)
  %words.next = add <16 x i16> %words, <i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1, i16 1>
  call void @llvm.masked.store.v16i16.p1v16i16(<16 x i16> %words.next, <16 x i16> addrspace(1)* %h.v, i32 2, <16 x i1> %odd)
  %five = shufflevector <16 x i1> %odd, <16 x i1> undef, <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4>
  %q.far = getelementptr i64, i64 addrspace(1)* %q, <5 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20>
  %q.near = getelementptr i64, i64 addrspace(1)* %q, <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4>
  %quads = call <5 x i64> @llvm.masked.gather.v5i64.v5p1i64(<5 x i64 addrspace(1)*> %q.far, i32 8, <5 x i1> %five, <5 x i64> undef)
  %quads.next = add <5 x i64> %quads, <i64 1, i64 1, i64 1, i64 1, i64 1>
  call void @llvm.masked.scatter.v5i64.v5p1i64(<5 x i64> %quads.next, <5 x i64 addrspace(1)*> %q.near, i32 8, <5 x i1> %five)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
