; Arithmetic of bfloats, each result rounded once to the nearest, ties to even; and their conversions from and to floats.
;! unlike
;! global 4
;! local 1
;! in a u32 64 bits 32
;! in b u32 64 bits 32
;! out o u16 256
;! out f u32 64
;= import struct
;= def single(bits): return struct.unpack('<f', struct.pack('<I', bits))[0]
;= def word(value):
;=     try: bits = struct.unpack('<I', struct.pack('<f', value))[0]
;=     except OverflowError: bits = 0x7f800000 if value > 0 else 0xff800000
;=     if value != value: return (bits >> 16) | 0x40
;=     return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) & 0xffff
;= def number(bits):
;=     # Exponents near the middle: nothing overflows, and no product of two is denormal.
;=     return bits & 0x83ffffff | 0x3c000000
;= def expect(args):
;=     o, f = [0] * 256, [0] * 64
;=     for i in range(64):
;=         g, n = divmod(i, 16)
;=         x, y = single(number(args[0][i])), single(number(args[1][i]))
;=         p, q = word(x), word(y)
;=         u, v = single(p << 16), single(q << 16)
;=         r = [word(u + v), word(u * v), word(max(u, v)), (p ^ 0x8000) if u < v else q]
;=         for k in range(4): o[g * 64 + k * 16 + n] = r[k]
;=         f[i] = r[1] << 16
;=     return {2: o, 3: f}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x bfloat> @llvm.maxnum.v16bf16(<16 x bfloat>, <16 x bfloat>)
declare void @llvm.genx.svm.block.st.i64.v16bf16(i64, <16 x bfloat>)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

define spir_kernel void @bfloats(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i16 addrspace(1)* %o, i32 addrspace(1)* %f) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %two = mul i32 %group, 128
  %offset2 = zext i32 %two to i64
  %a0 = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a0, %offset
  %b0 = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b0, %offset
  %o0 = ptrtoint i16 addrspace(1)* %o to i64
  %o.at = add i64 %o0, %offset2
  %f0 = ptrtoint i32 addrspace(1)* %f to i64
  %f.at = add i64 %f0, %offset
  %x.raw = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y.raw = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %x.cut = and <16 x i32> %x.raw, <i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785>
  %y.cut = and <16 x i32> %y.raw, <i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785, i32 -2080374785>
  %x.bits = or <16 x i32> %x.cut, <i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960>
  %y.bits = or <16 x i32> %y.cut, <i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960, i32 1006632960>
  %x.float = bitcast <16 x i32> %x.bits to <16 x float>
  %y.float = bitcast <16 x i32> %y.bits to <16 x float>
  %x = fptrunc <16 x float> %x.float to <16 x bfloat>
  %y = fptrunc <16 x float> %y.float to <16 x bfloat>
  %sum = fadd <16 x bfloat> %x, %y
  %product = fmul <16 x bfloat> %x, %y
  %most = call <16 x bfloat> @llvm.maxnum.v16bf16(<16 x bfloat> %x, <16 x bfloat> %y)
  %less = fcmp olt <16 x bfloat> %x, %y
  %negative = fneg <16 x bfloat> %x
  %chosen = select <16 x i1> %less, <16 x bfloat> %negative, <16 x bfloat> %y
  %wide = fpext <16 x bfloat> %product to <16 x float>
  %o1 = add i64 %o.at, 32
  %o2 = add i64 %o.at, 64
  %o3 = add i64 %o.at, 96
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o.at, <16 x bfloat> %sum)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o1, <16 x bfloat> %product)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o2, <16 x bfloat> %most)
  call void @llvm.genx.svm.block.st.i64.v16bf16(i64 %o3, <16 x bfloat> %chosen)
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %f.at, <16 x float> %wide)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
