; Values that are undefined or poison, frozen, where nothing depends on them. LLVM 15 cannot make SPIR-V of it.
;! unlike
;! global 1
;! local 1
;! in a u32 16 bits 32
;! out o u32 48
;= def expect(args):
;=     a, = args[:1]
;=     o = []
;=     o += [(u + 5) % 2**32 for u in a]
;=     o += a
;=     o += a
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @undefined(i32 addrspace(1)* %a.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %none = insertelement <16 x i32> undef, i32 5, i32 3
  %pick = shufflevector <16 x i32> %none, <16 x i32> poison, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %sum = add <16 x i32> %a, %pick
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %sum)
  %frozen = freeze <16 x i32> undef
  %same = xor <16 x i32> %frozen, %frozen
  %or = or <16 x i32> %same, %a
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %or)
  %fz = freeze <16 x i32> %a
  %two = add nuw <16 x i32> %fz, zeroinitializer
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %two)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
