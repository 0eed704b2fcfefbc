; Arithmetic of singles; a quotient that is correctly rounded, a quick one.
; On later platforms the reference compiler rounds the quotient less exactly.
;! global 2
;! local 1
;! unlike bmg lnl ptl
;! in a f32 32 range -100 100
;! in b f32 32 range 1 20
;! out o f32 128
;! out p f32 32 ; ulp 4
;= f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;= def expect(args):
;=     o, p = [], []
;=     for g in range(2):
;=         x, y = args[0][16 * g:16 * g + 16], args[1][16 * g:16 * g + 16]
;=         o += [f32(f32(f32(u + v) * u) - v) for u, v in zip(x, y)]
;=         o += [f32(u / v) for u, v in zip(x, y)]
;=         o += [-u for u in x]
;=         o += [u if u < v else f32(v - u) for u, v in zip(x, y)]
;=         p += [f32(u / v) for u, v in zip(x, y)]
;=     return {2: o, 3: p}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

define spir_kernel void @floats(float addrspace(1)* %a, float addrspace(1)* %b, float addrspace(1)* %o, float addrspace(1)* %p) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint float addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint float addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %p.at.base = ptrtoint float addrspace(1)* %p to i64
  %p.at = add i64 %p.at.base, %offset
  %four = shl i64 %offset, 2
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %four
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %sum = fadd <16 x float> %x, %y
  %product = fmul <16 x float> %sum, %x
  %o0 = fsub <16 x float> %product, %y
  %o1 = fdiv <16 x float> %x, %y
  %o2 = fneg <16 x float> %x
  %less = fcmp olt <16 x float> %x, %y
  %minus = fsub <16 x float> %y, %x
  %o3 = select <16 x i1> %less, <16 x float> %x, <16 x float> %minus
  %quick = fdiv arcp <16 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t1, <16 x float> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t2, <16 x float> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %t3, <16 x float> %o3)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p.at, <16 x float> %quick)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
