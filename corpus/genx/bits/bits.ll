; Bits: counted, found, turned round, fields taken and put.
;! global 1
;! local 1
;! in a u32 16 edges
;! in b u32 16 edges 6
;! out o u32 144
;= def insert(u, v, width, start):
;=     mask = (2**width - 1) << start
;=     return u & ~mask | (v << start) & mask
;= def expect(args):
;=     a, b = args[:2]
;=     o = []
;=     o += [bin(u).count("1") for u in a]
;=     o += [32 - u.bit_length() for u in a]
;=     o += [(u & -u).bit_length() - 1 if u else 2**32 - 1 for u in a]
;=     o += [32 - u.bit_length() if u else 2**32 - 1 for u in a]
;=     o += [2**32 - 1 if u in (0, 2**32 - 1) else 32 - (u if u < 2**31 else u ^ 0xffffffff).bit_length() for u in a]
;=     o += [int(f"{u:032b}"[::-1], 2) for u in a]
;=     o += [u >> (v >> 4 & 15) & 2**(v & 15) - 1 for u, v in zip(a, b)]
;=     o += [((u >> (v >> 4 & 15) & 511) ^ 256) - 256 & 2**32 - 1 for u, v in zip(a, b)]
;=     o += [insert(u, v, v & 15, v >> 4 & 15) for u, v in zip(a, b)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x i32> @llvm.genx.cbit.v16i32.v16i32(<16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.fbl.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.ufbh.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.sfbh.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.ubfe.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.sbfe.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.bfi.v16i32(<16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)

define spir_kernel void @bits(i32 addrspace(1)* %a.p, i32 addrspace(1)* %b.p, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint i32 addrspace(1)* %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %cbit = call <16 x i32> @llvm.genx.cbit.v16i32.v16i32(<16 x i32> %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %cbit)
  %lzd = call <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32> %a)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %lzd)
  %fbl = call <16 x i32> @llvm.genx.fbl.v16i32(<16 x i32> %a)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %fbl)
  %ufbh = call <16 x i32> @llvm.genx.ufbh.v16i32(<16 x i32> %a)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %ufbh)
  %sfbh = call <16 x i32> @llvm.genx.sfbh.v16i32(<16 x i32> %a)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %sfbh)
  %bfrev = call <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32> %a)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %bfrev)
  %width = and <16 x i32> %b, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %from.b = lshr <16 x i32> %b, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %from = and <16 x i32> %from.b, <i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15, i32 15>
  %ubfe = call <16 x i32> @llvm.genx.ubfe.v16i32(<16 x i32> %width, <16 x i32> %from, <16 x i32> %a)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %ubfe)
  %sbfe = call <16 x i32> @llvm.genx.sbfe.v16i32(<16 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9>, <16 x i32> %from, <16 x i32> %a)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %sbfe)
  %bfi = call <16 x i32> @llvm.genx.bfi.v16i32(<16 x i32> %width, <16 x i32> %from, <16 x i32> %b, <16 x i32> %a)
  %t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t8, <16 x i32> %bfi)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
