; Shared local memory: blocks, atomic operations and elements, with barriers and fences between.
;! global 8
;! local 4
;! in a u32 64 range 0 15
;! out o u32 64
;= def expect(args):
;=     o = []
;=     for g in range(2):
;=         x = args[0][32 * g:32 * g + 32]
;=         count = [x.count(n) for n in range(16)]
;=         for t in range(4):
;=             o += [count[v] + 100 * x[8 * (t ^ 1) + n] for n, v in enumerate(x[8 * t:8 * t + 8])]
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <3 x i16> @llvm.genx.local.id16.v3i16()
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare void @llvm.genx.oword.st.v16i32(i32, i32, <16 x i32>)
declare void @llvm.genx.oword.st.v8i32(i32, i32, <8 x i32>)
declare void @llvm.genx.fence(i8)
declare void @llvm.genx.barrier()
declare <8 x i32> @llvm.genx.dword.atomic.inc.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.gather.scaled.v8i32.v8i1.v8i32(<8 x i1>, i32, i16, i32, i32, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.oword.ld.v8i32(i32, i32, i32)
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

define spir_kernel void @shared_memory(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 128
  %offset = zext i32 %bytes to i64
  %id = call <3 x i16> @llvm.genx.local.id16.v3i16()
  %id.x = extractelement <3 x i16> %id, i32 0
  %item = zext i16 %id.x to i32
  %item.bytes = shl i32 %item, 5
  %item.far = zext i32 %item.bytes to i64
  %place = add i64 %offset, %item.far
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %place
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %place
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %clears = icmp eq i32 %item, 0
  br i1 %clears, label %clear, label %ready
clear:
  call void @llvm.genx.oword.st.v16i32(i32 254, i32 0, <16 x i32> zeroinitializer)
  br label %ready
ready:
  %item.twice = shl i32 %item, 1
  %item.owords = add i32 %item.twice, 4
  call void @llvm.genx.oword.st.v8i32(i32 254, i32 %item.owords, <8 x i32> %x)
  call void @llvm.genx.fence(i8 33)
  call void @llvm.genx.barrier()
  %at = shl <8 x i32> %x, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %old = call <8 x i32> @llvm.genx.dword.atomic.inc.v8i32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 254, <8 x i32> %at, <8 x i32> undef)
  call void @llvm.genx.fence(i8 33)
  call void @llvm.genx.barrier()
  %count = call <8 x i32> @llvm.genx.gather.scaled.v8i32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 2, i16 0, i32 254, i32 0, <8 x i32> %at, <8 x i32> undef)
  %other = xor i32 %item, 1
  %other.twice = shl i32 %other, 1
  %other.owords = add i32 %other.twice, 4
  %theirs = call <8 x i32> @llvm.genx.oword.ld.v8i32(i32 0, i32 254, i32 %other.owords)
  %hundred = mul <8 x i32> %theirs, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %r = add <8 x i32> %count, %hundred
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %r)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" "VCSLMSize"="192" }
