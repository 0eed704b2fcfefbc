; Intrinsics of LLVM that saturate, of which LLVM 15 cannot make SPIR-V; zeroes counted and bytes turned, which the
; reference compiler leaves undefined or refuses, and double shifts by nothing, which that makes wrong.
;! unlike
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 160
;= def sgn(v):
;=     return v - 2**32 if v >= 2**31 else v
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [((u << 32 | v) << (v & 31) >> 32) % 2**32 for u, v in zip(a, b)]
;=     o += [((u << 32 | v) >> (v & 31)) % 2**32 for u, v in zip(a, b)]
;=     o += [bin(u).count("1") for u in a]
;=     o += [32 - u.bit_length() for u in a]
;=     o += [(u & -u).bit_length() - 1 if u else 32 for u in a]
;=     o += [int.from_bytes(u.to_bytes(4, "little"), "big") for u in a]
;=     o += [min(u + v, 2**32 - 1) % 2**32 for u, v in zip(a, b)]
;=     o += [min(max(sgn(u) + sgn(v), -2**31), 2**31 - 1) % 2**32 for u, v in zip(a, b)]
;=     o += [max(u - v, 0) % 2**32 for u, v in zip(a, b)]
;=     o += [min(max(sgn(u) - sgn(v), -2**31), 2**31 - 1) % 2**32 for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.fshl.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <16 x i32> @llvm.fshr.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.ctpop.v16i32(<16 x i32>)
declare <16 x i32> @llvm.ctlz.v16i32(<16 x i32>, i1)
declare <16 x i32> @llvm.cttz.v16i32(<16 x i32>, i1)
declare <16 x i32> @llvm.bswap.v16i32(<16 x i32>)
declare <16 x i32> @llvm.uadd.sat.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.sadd.sat.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.usub.sat.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.ssub.sat.v16i32(<16 x i32>, <16 x i32>)

define spir_kernel void @llvm_others(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %amount = and <16 x i32> %b, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %fshl = call <16 x i32> @llvm.fshl.v16i32(<16 x i32> %a, <16 x i32> %b, <16 x i32> %amount)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %fshl)
  %fshr = call <16 x i32> @llvm.fshr.v16i32(<16 x i32> %a, <16 x i32> %b, <16 x i32> %amount)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %fshr)
  %ctpop = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %ctpop)
  %ctlz = call <16 x i32> @llvm.ctlz.v16i32(<16 x i32> %a, i1 false)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %ctlz)
  %cttz = call <16 x i32> @llvm.cttz.v16i32(<16 x i32> %a, i1 false)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %cttz)
  %bswap = call <16 x i32> @llvm.bswap.v16i32(<16 x i32> %a)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %bswap)
  %uadd_sat = call <16 x i32> @llvm.uadd.sat.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %uadd_sat)
  %sadd_sat = call <16 x i32> @llvm.sadd.sat.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %sadd_sat)
  %usub_sat = call <16 x i32> @llvm.usub.sat.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %usub_sat)
  %ssub_sat = call <16 x i32> @llvm.ssub.sat.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t9, <16 x i32> %ssub_sat)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
