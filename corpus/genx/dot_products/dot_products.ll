; Sums of products of bytes, four of a dword, are not of Gen9: as multiplications of regions.
;! global 2
;! local 1
;! in a u8 64 bits 8
;! in b i8 64 bits 8
;! out o i32 16
;= def expect(args):
;=     a, b = args[:2]
;=     return {2: [sum(a[4 * n + k] * b[4 * n + k] for k in range(4)) for n in range(16)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64)
declare <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8>, i32, i32, i32, i16, i32)
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

define spir_kernel void @dot_products(i8 addrspace(1)* %a, i8 addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i8 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint i8 addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64 %a.at)
  %y = call <32 x i8> @llvm.genx.svm.block.ld.unaligned.v32i8.i64(i64 %b.at)
  %x0 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %x, i32 0, i32 8, i32 4, i16 0, i32 undef)
  %y0 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %y, i32 0, i32 8, i32 4, i16 0, i32 undef)
  %xw0 = zext <8 x i8> %x0 to <8 x i32>
  %yw0 = sext <8 x i8> %y0 to <8 x i32>
  %p0 = mul <8 x i32> %xw0, %yw0
  %s0 = add <8 x i32> %p0, zeroinitializer
  %x1 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %x, i32 0, i32 8, i32 4, i16 1, i32 undef)
  %y1 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %y, i32 0, i32 8, i32 4, i16 1, i32 undef)
  %xw1 = zext <8 x i8> %x1 to <8 x i32>
  %yw1 = sext <8 x i8> %y1 to <8 x i32>
  %p1 = mul <8 x i32> %xw1, %yw1
  %s1 = add <8 x i32> %p1, %s0
  %x2 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %x, i32 0, i32 8, i32 4, i16 2, i32 undef)
  %y2 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %y, i32 0, i32 8, i32 4, i16 2, i32 undef)
  %xw2 = zext <8 x i8> %x2 to <8 x i32>
  %yw2 = sext <8 x i8> %y2 to <8 x i32>
  %p2 = mul <8 x i32> %xw2, %yw2
  %s2 = add <8 x i32> %p2, %s1
  %x3 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %x, i32 0, i32 8, i32 4, i16 3, i32 undef)
  %y3 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v32i8.i16(<32 x i8> %y, i32 0, i32 8, i32 4, i16 3, i32 undef)
  %xw3 = zext <8 x i8> %x3 to <8 x i32>
  %yw3 = sext <8 x i8> %y3 to <8 x i32>
  %p3 = mul <8 x i32> %xw3, %yw3
  %s3 = add <8 x i32> %p3, %s2
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %s3)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
