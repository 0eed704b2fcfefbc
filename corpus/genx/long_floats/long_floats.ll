; Moves between integers of 64 bits and floats, by inline assembly: platforms without such integers compute on dwords. Numbers are
; rounded once, and floats that no integer is near are the nearest integers, or 0 for NaNs. The reference compiler takes no such text
; with `rw`, and no modifiers of these.
;! unlike
;! global 1
;! local 1
;! in a u64 16 list 0 1 9223372036854775808 18446744073709551615 9223372036854775807 4294967296 9007199254740993 16777217 12345678901234567 18446742974197923840 255 2147483648 4294967295 1099511693313 18446744073709551488 33554433
;! in g f32 16 list 0.0 -0.0 1.5 -1.5 2147483648.0 -2147483648.0 3e9 9223372036854775808.0 -9223372036854775808.0 1e19 -1e19 1e30 inf -inf nan 8388609.5
;! out f f32 64
;! out o u64 48
;= import math
;= import struct
;= def f32(v):
;=     return struct.unpack("f", struct.pack("f", v))[0]
;= def nearest(n):
;=     # To 24 bits, ties to even.
;=     drop = max(abs(n).bit_length() - 24, 0)
;=     whole, rest = abs(n) >> drop, abs(n) & (1 << drop) - 1
;=     up = drop and (rest > 1 << drop - 1 or rest == 1 << drop - 1 and whole & 1)
;=     return math.copysign(float((whole + bool(up)) << drop), n)
;= def signed(n):
;=     return n - 2**64 if n >> 63 else n
;= def whole(v, least, most):
;=     return 0 if v != v else most if v > most else least if v < least else int(v)
;= def expect(args):
;=     f, o = [], []
;=     for half in (0, 8):
;=         a, g = args[0][half:half + 8], [f32(v) for v in args[1][half:half + 8]]
;=         f += [nearest(signed(n)) for n in a] + [nearest(-signed(n)) for n in a] + [nearest(abs(signed(n))) for n in a]
;=         o += [whole(v, -2**63, 2**63 - 1) % 2**64 for v in g] + [whole(-v, -2**63, 2**63 - 1) % 2**64 for v in g]
;=         f += [nearest(n) for n in a]
;=         o += [whole(v, 0, 2**64 - 1) for v in g]
;=     return {2: f, 3: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare void @llvm.genx.svm.block.st.i64.v8f32(i64, <8 x float>)

define spir_kernel void @long_floats(i64 addrspace(1)* %a.p, i64 addrspace(1)* %g.p, i64 addrspace(1)* %f.p, i64 addrspace(1)* %o.p) #0 {
  %a.at = ptrtoint i64 addrspace(1)* %a.p to i64
  %g.at = ptrtoint i64 addrspace(1)* %g.p to i64
  %f.at = ptrtoint i64 addrspace(1)* %f.p to i64
  %o.at = ptrtoint i64 addrspace(1)* %o.p to i64
  %a.next = add i64 %a.at, 64
  %g.next = add i64 %g.at, 32
  %a0.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %a1.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.next)
  %a0 = bitcast <16 x i32> %a0.w to <8 x i64>
  %a1 = bitcast <16 x i32> %a1.w to <8 x i64>
  %g0 = call <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 %g.at)
  %g1 = call <8 x float> @llvm.genx.svm.block.ld.unaligned.v8f32.i64(i64 %g.next)
  %f0q = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a0)
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.at, <8 x float> %f0q)
  %f0qm = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (-)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a0)
  %f.t1 = add i64 %f.at, 32
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t1, <8 x float> %f0qm)
  %f0qa = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (abs)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a0)
  %f.t2 = add i64 %f.at, 64
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t2, <8 x float> %f0qa)
  %o0q = call <8 x i64> asm "{\0A.decl A v_type=G type=q num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g0)
  %o0q.w = bitcast <8 x i64> %o0q to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %o0q.w)
  %o0qm = call <8 x i64> asm "{\0A.decl A v_type=G type=q num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (-)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g0)
  %o.t1 = add i64 %o.at, 64
  %o0qm.w = bitcast <8 x i64> %o0qm to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t1, <16 x i32> %o0qm.w)
  %f0uq = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=uq num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a0)
  %f.t3 = add i64 %f.at, 96
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t3, <8 x float> %f0uq)
  %o0uq = call <8 x i64> asm "{\0A.decl A v_type=G type=uq num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g0)
  %o.t2 = add i64 %o.at, 128
  %o0uq.w = bitcast <8 x i64> %o0uq to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t2, <16 x i32> %o0uq.w)
  %f1q = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a1)
  %f.t4 = add i64 %f.at, 128
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t4, <8 x float> %f1q)
  %f1qm = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (-)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a1)
  %f.t5 = add i64 %f.at, 160
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t5, <8 x float> %f1qm)
  %f1qa = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=q num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (abs)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a1)
  %f.t6 = add i64 %f.at, 192
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t6, <8 x float> %f1qa)
  %o1q = call <8 x i64> asm "{\0A.decl A v_type=G type=q num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g1)
  %o.t3 = add i64 %o.at, 192
  %o1q.w = bitcast <8 x i64> %o1q to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t3, <16 x i32> %o1q.w)
  %o1qm = call <8 x i64> asm "{\0A.decl A v_type=G type=q num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> (-)B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g1)
  %o.t4 = add i64 %o.at, 256
  %o1qm.w = bitcast <8 x i64> %o1qm to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t4, <16 x i32> %o1qm.w)
  %f1uq = call <8 x float> asm "{\0A.decl A v_type=G type=f num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=uq num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x i64> %a1)
  %f.t7 = add i64 %f.at, 224
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %f.t7, <8 x float> %f1uq)
  %o1uq = call <8 x i64> asm "{\0A.decl A v_type=G type=uq num_elts=8 alias=<$0,0>\0A.decl B v_type=G type=f num_elts=8 alias=<$1,0>\0Amov (M1, 8) A(0,0)<1> B(0,0)<1;1,0>\0A}\0A", "=^rw,^rw"(<8 x float> %g1)
  %o.t5 = add i64 %o.at, 320
  %o1uq.w = bitcast <8 x i64> %o1uq to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t5, <16 x i32> %o1uq.w)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
