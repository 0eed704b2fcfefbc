; Conversions between integers of all sizes, halves, singles and vectors of other elements of the same bits.
;! global 1
;! local 1
;! in a i32 16 range -30000 30000
;! in b f32 16 real -1000 1000
;! out o i32 128
;= def expect(args):
;=     a, b = args[:2]
;=     f32 = lambda v: struct.unpack("f", struct.pack("f", v))[0]
;=     f16 = lambda v: struct.unpack("e", struct.pack("e", v))[0]
;=     bits = lambda v: struct.unpack("i", struct.pack("f", v))[0]
;=     half = lambda v: struct.unpack("h", struct.pack("e", v))[0]
;=     o = [(v + 128) % 256 - 128 for v in a]
;=     o += [v % 65536 for v in a]
;=     o += [bits(float(v)) for v in a] + [bits(f32(v % 65536)) for v in a]
;=     o += [int(v) for v in b] + [int(abs(v)) for v in b]
;=     o += [half(v) % 65536 for v in b] + [bits(f16(v)) for v in b]
;=     return {2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)
declare <16 x float> @llvm.fabs.v16f32(<16 x float>)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @casts(i32 addrspace(1)* %a, float addrspace(1)* %b, i32 addrspace(1)* %o) #0 {
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, 0
  %b.at.base = ptrtoint float addrspace(1)* %b to i64
  %b.at = add i64 %b.at.base, 0
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %x8 = trunc <16 x i32> %x to <16 x i8>
  %o0 = sext <16 x i8> %x8 to <16 x i32>
  %x16 = trunc <16 x i32> %x to <16 x i16>
  %o1 = zext <16 x i16> %x16 to <16 x i32>
  %signed = sitofp <16 x i32> %x to <16 x float>
  %o2 = bitcast <16 x float> %signed to <16 x i32>
  %unsigned = uitofp <16 x i16> %x16 to <16 x float>
  %o3 = bitcast <16 x float> %unsigned to <16 x i32>
  %o4 = fptosi <16 x float> %y to <16 x i32>
  %positive = call <16 x float> @llvm.fabs.v16f32(<16 x float> %y)
  %o5 = fptoui <16 x float> %positive to <16 x i32>
  %h = fptrunc <16 x float> %y to <16 x half>
  %words = bitcast <16 x half> %h to <16 x i16>
  %o6 = zext <16 x i16> %words to <16 x i32>
  %f = fpext <16 x half> %h to <16 x float>
  %o7 = bitcast <16 x float> %f to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %o0)
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %o1)
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %o2)
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %o3)
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %o4)
  %t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t5, <16 x i32> %o5)
  %t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t6, <16 x i32> %o6)
  %t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t7, <16 x i32> %o7)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
