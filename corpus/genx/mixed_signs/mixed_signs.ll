; Integer arithmetic whose results are longer than the operands, high halves, carries and averages.
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 224
;= def sgn(v, n=32):
;=     return v - 2**n if v >= 2**(n - 1) else v
;= def clamp(v, n, signed):
;=     low, high = (-2**(n - 1), 2**(n - 1) - 1) if signed else (0, 2**n - 1)
;=     return min(max(v, low), high) % 2**32
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [sgn(u & 65535, 16) * sgn(v & 65535, 16) % 2**32 for u, v in zip(a, b)]
;=     o += [(u & 65535) * (v & 65535) % 2**32 for u, v in zip(a, b)]
;=     o += [(u * v >> 32) % 2**32 for u, v in zip(a, b)]
;=     o += [(sgn(u) * sgn(v) >> 32) % 2**32 for u, v in zip(a, b)]
;=     o += [(u + v + 1 >> 1) % 2**32 for u, v in zip(a, b)]
;=     o += [(sgn(u) + sgn(v) + 1 >> 1) % 2**32 for u, v in zip(a, b)]
;=     o += [(u + v) % 2**32 for u, v in zip(a, b)]
;=     o += [(u + v) >> 32 for u, v in zip(a, b)]
;=     o += [(u - v) % 2**32 for u, v in zip(a, b)]
;=     o += [int(u < v) for u, v in zip(a, b)]
;=     o += [((u & 65535) * (v & 65535) + v) % 2**32 for u, v in zip(a, b)]
;=     o += [max(sgn(u), sgn(v)) % 2**32 for u, v in zip(a, b)]
;=     o += [min(u, v) % 2**32 for u, v in zip(a, b)]
;=     o += [abs(sgn(u)) % 2**32 for u in a]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.genx.ssmul.v16i32.v16i16(<16 x i16>, <16 x i16>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <16 x i32> @llvm.genx.uumul.v16i32.v16i16(<16 x i16>, <16 x i16>)
declare <16 x i32> @llvm.genx.umulh.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.smulh.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.uuavg.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.ssavg.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare { <16 x i32>, <16 x i32> } @llvm.genx.addc.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare { <16 x i32>, <16 x i32> } @llvm.genx.subb.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.uumad.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i32>)
declare <16 x i32> @llvm.genx.smax.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.umin.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.absi.v16i32(<16 x i32>)

define spir_kernel void @mixed_signs(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %aw = trunc <16 x i32> %a to <16 x i16>
  %bw = trunc <16 x i32> %b to <16 x i16>
  %ssmul = call <16 x i32> @llvm.genx.ssmul.v16i32.v16i16(<16 x i16> %aw, <16 x i16> %bw)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %ssmul)
  %uumul = call <16 x i32> @llvm.genx.uumul.v16i32.v16i16(<16 x i16> %aw, <16 x i16> %bw)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %uumul)
  %umulh = call <16 x i32> @llvm.genx.umulh.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %umulh)
  %smulh = call <16 x i32> @llvm.genx.smulh.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %smulh)
  %uuavg = call <16 x i32> @llvm.genx.uuavg.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %uuavg)
  %ssavg = call <16 x i32> @llvm.genx.ssavg.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %ssavg)
  %c = call { <16 x i32>, <16 x i32> } @llvm.genx.addc.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %c0 = extractvalue { <16 x i32>, <16 x i32> } %c, 0
  %c1 = extractvalue { <16 x i32>, <16 x i32> } %c, 1
  %s = call { <16 x i32>, <16 x i32> } @llvm.genx.subb.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %s0 = extractvalue { <16 x i32>, <16 x i32> } %s, 0
  %s1 = extractvalue { <16 x i32>, <16 x i32> } %s, 1
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %c1)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %c0)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %s1)
  %t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t9, <16 x i32> %s0)
  %mad = call <16 x i32> @llvm.genx.uumad.v16i32.v16i16(<16 x i16> %aw, <16 x i16> %bw, <16 x i32> %b)
  %t10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t10, <16 x i32> %mad)
  %smax = call <16 x i32> @llvm.genx.smax.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t11, <16 x i32> %smax)
  %umin = call <16 x i32> @llvm.genx.umin.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %t12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t12, <16 x i32> %umin)
  %absi = call <16 x i32> @llvm.genx.absi.v16i32(<16 x i32> %a)
  %t13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t13, <16 x i32> %absi)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
