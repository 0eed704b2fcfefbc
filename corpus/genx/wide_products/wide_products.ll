; Products and sums of dwords in 64 bits, as halves and as one vector; registers that vISA names; offsets as addresses.
;! unlike
;! global 4
;! local 1
;! in a u32 32 bits 32
;! in b u32 32 bits 32
;! out o u32 192
;= def expect(args):
;=     o = [0] * 192
;=     m = 0xffffffff
;=     signed = lambda v: v - (1 << 32) if v >> 31 else v
;=     for i in range(32):
;=         g, n = divmod(i, 8)
;=         x, y = args[0][i], args[1][i]
;=         u = x * y + x
;=         s = signed(x) * signed(y) + signed(x)
;=         r = [u >> 32 & m, u & m, u & m, s >> 32 & m]
;=         for k in range(4): o[g * 48 + k * 8 + n] = r[k]
;=         o[g * 48 + 32 + n] = args[0][g * 8 + (x & 7)] if n == 0 else y
;=         o[g * 48 + 40 + n] = g if n == 1 else 0
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare { <8 x i32>, <8 x i32> } @llvm.genx.uimad.v8i32.v8i32(<8 x i32>, <8 x i32>, <8 x i32>)
declare <16 x i32> @llvm.genx.umadw.v16i32.v8i32(<8 x i32>, <8 x i32>, <8 x i32>)
declare <16 x i32> @llvm.genx.smadw.v16i32.v8i32(<8 x i32>, <8 x i32>, <8 x i32>)
declare i16 @llvm.genx.convert.addr.i16(i16, i16)
declare <1 x i32> @llvm.genx.read.predef.reg.v1i32.i32(i32, i32)
declare <8 x i32> @llvm.genx.read.predef.reg.v8i32.v8i32(i32, <8 x i32>)
declare <8 x i32> @llvm.genx.write.predef.reg.v8i32.v8i32(i32, <8 x i32>)
declare <1 x i32> @llvm.genx.rdregioni.v1i32.v8i32.i16(<8 x i32>, i32, i32, i32, i16, i32)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32>, i32, i32, i32, i16, i32)
declare <8 x i32> @llvm.genx.wrregioni.v8i32.v1i32.i16.i1(<8 x i32>, <1 x i32>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

define spir_kernel void @wide_products(i32 addrspace(1)* %a, i32 addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %bytes6 = mul i32 %group, 192
  %offset6 = zext i32 %bytes6 to i64
  %a0 = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a0, %offset
  %b0 = ptrtoint i32 addrspace(1)* %b to i64
  %b.at = add i64 %b0, %offset
  %o0 = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o0, %offset6
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %y = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %b.at)
  %parts = call { <8 x i32>, <8 x i32> } @llvm.genx.uimad.v8i32.v8i32(<8 x i32> %x, <8 x i32> %y, <8 x i32> %x)
  %high = extractvalue { <8 x i32>, <8 x i32> } %parts, 0
  %low = extractvalue { <8 x i32>, <8 x i32> } %parts, 1
  %u = call <16 x i32> @llvm.genx.umadw.v16i32.v8i32(<8 x i32> %x, <8 x i32> %y, <8 x i32> %x)
  %s = call <16 x i32> @llvm.genx.smadw.v16i32.v8i32(<8 x i32> %x, <8 x i32> %y, <8 x i32> %x)
  %u.low = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %u, i32 0, i32 8, i32 1, i16 0, i32 undef)
  %s.high = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %s, i32 0, i32 8, i32 1, i16 32, i32 undef)
  %o1 = add i64 %o.at, 32
  %o2 = add i64 %o.at, 64
  %o3 = add i64 %o.at, 96
  %o4 = add i64 %o.at, 128
  %o5 = add i64 %o.at, 160
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %high)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o1, <8 x i32> %low)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o2, <8 x i32> %u.low)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o3, <8 x i32> %s.high)
  %first = extractelement <8 x i32> %x, i32 0
  %seven = and i32 %first, 7
  %four = mul i32 %seven, 4
  %word = trunc i32 %four to i16
  %minus = sub i16 %word, 4
  %address = call i16 @llvm.genx.convert.addr.i16(i16 %minus, i16 4)
  %taken = call <1 x i32> @llvm.genx.rdregioni.v1i32.v8i32.i16(<8 x i32> %x, i32 0, i32 1, i32 1, i16 %address, i32 undef)
  %put = call <8 x i32> @llvm.genx.wrregioni.v8i32.v1i32.i16.i1(<8 x i32> %y, <1 x i32> %taken, i32 0, i32 1, i32 1, i16 0, i32 undef, i1 true)
  %written = call <8 x i32> @llvm.genx.write.predef.reg.v8i32.v8i32(i32 8, <8 x i32> %put)
  %read = call <8 x i32> @llvm.genx.read.predef.reg.v8i32.v8i32(i32 8, <8 x i32> %written)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o4, <8 x i32> %read)
  %id = call <1 x i32> @llvm.genx.read.predef.reg.v1i32.i32(i32 3, i32 undef)
  %only = call <8 x i32> @llvm.genx.wrregioni.v8i32.v1i32.i16.i1(<8 x i32> zeroinitializer, <1 x i32> %id, i32 0, i32 1, i32 1, i16 4, i32 undef, i1 true)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o5, <8 x i32> %only)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
