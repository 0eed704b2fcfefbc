; Arithmetic of doubles, and conversions from and to them.
;! global 2
;! local 1
;! double
;! in a f64 16 real -100 100
;! in b f64 16 real 0.5 9
;! out o f64 64
;= def expect(args):
;=     o = []
;=     f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;=     for g in range(2):
;=         x, y = args[0][8 * g:8 * g + 8], args[1][8 * g:8 * g + 8]
;=         o += [(u + v) * u - v for u, v in zip(x, y)] + [u / v for u, v in zip(x, y)]
;=         o += [float(int(u)) + f32(v) for u, v in zip(x, y)] + [max(u, v) for u, v in zip(x, y)]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8f64(i64, <8 x double>)

define spir_kernel void @doubles(double addrspace(1)* %a, double addrspace(1)* %b, double addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint double addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %b.at.base = ptrtoint double addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, %offset
  %four = shl i64 %offset, 2
  %o.at.base = ptrtoint double addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %four
  %x = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %a.at)
  %y = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %b.at)
  %sum = fadd <8 x double> %x, %y
  %product = fmul <8 x double> %sum, %x
  %o0 = fsub <8 x double> %product, %y
  %o1 = fdiv <8 x double> %x, %y
  %int = fptosi <8 x double> %x to <8 x i32>
  %whole = sitofp <8 x i32> %int to <8 x double>
  %single = fptrunc <8 x double> %y to <8 x float>
  %again = fpext <8 x float> %single to <8 x double>
  %o2 = fadd <8 x double> %whole, %again
  %above = fcmp ogt <8 x double> %x, %y
  %o3 = select <8 x i1> %above, <8 x double> %x, <8 x double> %y
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %o.at, <8 x double> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %t1, <8 x double> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %t2, <8 x double> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %t3, <8 x double> %o3)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
