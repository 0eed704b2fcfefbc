; Remainders of singles. The reference compiler makes of it an instruction that it then refuses.
;! unlike
;! global 2
;! local 1
;! in a f32 32 real -100 100
;! in b f32 32 real 0.5 9
;! out o f32 32
;= f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;= def expect(args):
;=     from math import fmod
;=     return {2: [fmod(u, v) for u, v in zip(*args[:2])]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

define spir_kernel void @remainders(float addrspace(1)* %a, float addrspace(1)* %b, float addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint float addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint float addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %o.at.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %r = frem <16 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %r)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
