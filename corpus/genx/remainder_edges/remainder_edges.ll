; Remainders of singles at the edges, of doubles and of halves. The reference compiler makes of them what it refuses.
;! unlike
;! double
;! global 2
;! local 1
;! in a u32 32 list 0x7f7fffff 0x00000001 0x80000005 0x3f800000 0x7f800000 0x40490fdb 0xc2c80000 0x7fc00000 0x00800000 0x4b800001 0x00000000 0x80000000 0x41200000 0x42f60000 0x7e967699 0x00ffffff
;! in b u32 32 list 0x00000003 0x3f800000 0x00000002 0x7f800000 0x40000000 0x3dcccccd 0x40400000 0x3f800000 0x00000007 0x3e99999a 0x40a00000 0xbf800000 0x00000000 0x33d6bf95 0x0da24260 0x00800001
;! in c f64 16 real -1000000 1000000
;! in d f64 16 real 0.001 7
;! in e f16 32 real -500 500
;! in f f16 32 real 0.01 3
;! out o u32 32
;! out p f64 16
;! out q f16 32
;= def expect(args):
;=     from math import fmod
;=     f32 = lambda n: struct.unpack("f", struct.pack("I", n))[0]
;=     bits = lambda v: struct.unpack("I", struct.pack("f", v))[0]
;=     def one(a, b):
;=         x, y = f32(a), f32(b)
;=         return bits(fmod(x, y)) if x == x and y == y and abs(x) != float("inf") and y != 0 else 0x7fc00000
;=     return {6: [one(x, y) for x, y in zip(args[0], args[1])],
;=             7: [fmod(x, y) for x, y in zip(args[2], args[3])],
;=             8: [fmod(x, y) for x, y in zip(args[4], args[5])]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64)
declare <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)
declare void @llvm.genx.svm.block.st.i64.v8f64(i64, <8 x double>)
declare void @llvm.genx.svm.block.st.i64.v16f16(i64, <16 x half>)

define spir_kernel void @remainder_edges(float addrspace(1)* %a, float addrspace(1)* %b, double addrspace(1)* %c, double addrspace(1)* %d, half addrspace(1)* %e, half addrspace(1)* %f, float addrspace(1)* %o, double addrspace(1)* %p, half addrspace(1)* %q) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %short = lshr i64 %offset, 1
  %a.base = ptrtoint float addrspace(1)* %a to i64
  %a.at = add i64 %a.base, %offset
  %b.base = ptrtoint float addrspace(1)* %b to i64
  %b.at = add i64 %b.base, %offset
  %c.base = ptrtoint double addrspace(1)* %c to i64
  %c.at = add i64 %c.base, %offset
  %d.base = ptrtoint double addrspace(1)* %d to i64
  %d.at = add i64 %d.base, %offset
  %e.base = ptrtoint half addrspace(1)* %e to i64
  %e.at = add i64 %e.base, %short
  %f.base = ptrtoint half addrspace(1)* %f to i64
  %f.at = add i64 %f.base, %short
  %o.base = ptrtoint float addrspace(1)* %o to i64
  %o.at = add i64 %o.base, %offset
  %p.base = ptrtoint double addrspace(1)* %p to i64
  %p.at = add i64 %p.base, %offset
  %q.base = ptrtoint half addrspace(1)* %q to i64
  %q.at = add i64 %q.base, %short
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %r = frem <16 x float> %x, %y
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %o.at, <16 x float> %r)
  %u = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %c.at)
  %v = call <8 x double> @llvm.genx.svm.block.ld.unaligned.v8f64.i64(i64 %d.at)
  %w = frem <8 x double> %u, %v
  call void @llvm.genx.svm.block.st.i64.v8f64(i64 %p.at, <8 x double> %w)
  %h = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %e.at)
  %k = call <16 x half> @llvm.genx.svm.block.ld.unaligned.v16f16.i64(i64 %f.at)
  %s = frem <16 x half> %h, %k
  call void @llvm.genx.svm.block.st.i64.v16f16(i64 %q.at, <16 x half> %s)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
