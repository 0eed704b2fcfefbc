; Intrinsics of LLVM that tell an overflow. LLVM 15 cannot make SPIR-V of them for vectors.
;! unlike
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 80
;= def sgn(v):
;=     return v - 2**32 if v >= 2**31 else v
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [(u + v) % 2**32 ^ int(u + v >= 2**32) for u, v in zip(a, b)]
;=     o += [(u - v) % 2**32 ^ int(u < v) for u, v in zip(a, b)]
;=     o += [(u * v) % 2**32 ^ int(u * v >= 2**32) for u, v in zip(a, b)]
;=     o += [(u + v) % 2**32 ^ int(not -2**31 <= sgn(u) + sgn(v) < 2**31) for u, v in zip(a, b)]
;=     o += [(u - v) % 2**32 ^ int(not -2**31 <= sgn(u) - sgn(v) < 2**31) for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare { <16 x i32>, <16 x i1> } @llvm.uadd.with.overflow.v16i32(<16 x i32>, <16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare { <16 x i32>, <16 x i1> } @llvm.usub.with.overflow.v16i32(<16 x i32>, <16 x i32>)
declare { <16 x i32>, <16 x i1> } @llvm.umul.with.overflow.v16i32(<16 x i32>, <16 x i32>)
declare { <16 x i32>, <16 x i1> } @llvm.sadd.with.overflow.v16i32(<16 x i32>, <16 x i32>)
declare { <16 x i32>, <16 x i1> } @llvm.ssub.with.overflow.v16i32(<16 x i32>, <16 x i32>)

define spir_kernel void @overflows(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %uadd = call { <16 x i32>, <16 x i1> } @llvm.uadd.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %uadd.v = extractvalue { <16 x i32>, <16 x i1> } %uadd, 0
  %uadd.o = extractvalue { <16 x i32>, <16 x i1> } %uadd, 1
  %uadd.z = zext <16 x i1> %uadd.o to <16 x i32>
  %uadd.r = xor <16 x i32> %uadd.v, %uadd.z
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %uadd.r)
  %usub = call { <16 x i32>, <16 x i1> } @llvm.usub.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %usub.v = extractvalue { <16 x i32>, <16 x i1> } %usub, 0
  %usub.o = extractvalue { <16 x i32>, <16 x i1> } %usub, 1
  %usub.z = zext <16 x i1> %usub.o to <16 x i32>
  %usub.r = xor <16 x i32> %usub.v, %usub.z
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %usub.r)
  %umul = call { <16 x i32>, <16 x i1> } @llvm.umul.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %umul.v = extractvalue { <16 x i32>, <16 x i1> } %umul, 0
  %umul.o = extractvalue { <16 x i32>, <16 x i1> } %umul, 1
  %umul.z = zext <16 x i1> %umul.o to <16 x i32>
  %umul.r = xor <16 x i32> %umul.v, %umul.z
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %umul.r)
  %sadd = call { <16 x i32>, <16 x i1> } @llvm.sadd.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %sadd.v = extractvalue { <16 x i32>, <16 x i1> } %sadd, 0
  %sadd.o = extractvalue { <16 x i32>, <16 x i1> } %sadd, 1
  %sadd.z = zext <16 x i1> %sadd.o to <16 x i32>
  %sadd.r = xor <16 x i32> %sadd.v, %sadd.z
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %sadd.r)
  %ssub = call { <16 x i32>, <16 x i1> } @llvm.ssub.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %ssub.v = extractvalue { <16 x i32>, <16 x i1> } %ssub, 0
  %ssub.o = extractvalue { <16 x i32>, <16 x i1> } %ssub, 1
  %ssub.z = zext <16 x i1> %ssub.o to <16 x i32>
  %ssub.r = xor <16 x i32> %ssub.v, %ssub.z
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %ssub.r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
