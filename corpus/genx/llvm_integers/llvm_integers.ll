; Intrinsics of LLVM for integers: extrema, bits counted and turned, double shifts.
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 128
;= def sgn(v):
;=     return v - 2**32 if v >= 2**31 else v
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [max(sgn(u), sgn(v)) % 2**32 for u, v in zip(a, b)]
;=     o += [min(sgn(u), sgn(v)) % 2**32 for u, v in zip(a, b)]
;=     o += [max(u, v) % 2**32 for u, v in zip(a, b)]
;=     o += [min(u, v) % 2**32 for u, v in zip(a, b)]
;=     o += [abs(sgn(u)) % 2**32 for u in a]
;=     o += [int(f"{u:032b}"[::-1], 2) for u in a]
;=     o += [((u << 32 | v) << (v & 31 | 1) >> 32) % 2**32 for u, v in zip(a, b)]
;=     o += [((u << 32 | v) >> (v & 31 | 1)) % 2**32 for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.smax.v16i32(<16 x i32>, <16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <16 x i32> @llvm.smin.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.umax.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.umin.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.abs.v16i32(<16 x i32>, i1)
declare <16 x i32> @llvm.bitreverse.v16i32(<16 x i32>)
declare <16 x i32> @llvm.fshl.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.fshr.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)

define spir_kernel void @llvm_integers(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %smax = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %a, <16 x i32> %b)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %smax)
  %smin = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %smin)
  %umax = call <16 x i32> @llvm.umax.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %umax)
  %umin = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %umin)
  %abs = call <16 x i32> @llvm.abs.v16i32(<16 x i32> %a, i1 false)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %abs)
  %bitreverse = call <16 x i32> @llvm.bitreverse.v16i32(<16 x i32> %a)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %bitreverse)
  %amount.b = and <16 x i32> %b, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %amount = or <16 x i32> %amount.b, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %fshl = call <16 x i32> @llvm.fshl.v16i32(<16 x i32> %a, <16 x i32> %b, <16 x i32> %amount)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %fshl)
  %fshr = call <16 x i32> @llvm.fshr.v16i32(<16 x i32> %a, <16 x i32> %b, <16 x i32> %amount)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %fshr)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
