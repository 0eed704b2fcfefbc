; Atomic operations of floats on surfaces: extrema, and an exchange whose second operand is compared with, as that of
; integers, although vISA has it first. The reference compiler has none of these on platforms with load-store units.
;! global 4
;! local 1
;! unlike bmg lnl ptl
;! in a f32 32 real -50 50
;! inout c f32 8 list 10 -10 1 2 3 4 5 6
;! out o f32 32
;= def expect(args):
;=     a, c, o = args[0], list(args[1]), []
;=     for n, v in enumerate(a):
;=         c[0] = min(c[0], v)
;=         c[1] = max(c[1], v)
;=     for g in range(4):
;=         o += [c[2 + g]] + [a[8 * g]] * 7
;=         c[2 + g] = a[8 * g + 7]
;=     return {1: c, 2: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)*)
declare <8 x float> @llvm.genx.oword.ld.v8f32(i32, i32, i32)
declare <8 x float> @llvm.genx.dword.atomic.fmin.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.genx.dword.atomic.fmax.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.genx.dword.atomic.fcmpwr.v8f32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x float>, <8 x float>, <8 x float>)
declare void @llvm.genx.oword.st.v8f32(i32, i32, <8 x float>)

%intel.buffer_rw_t = type opaque

define spir_kernel void @float_atomics(%intel.buffer_rw_t addrspace(1)* %a, %intel.buffer_rw_t addrspace(1)* %c, %intel.buffer_rw_t addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 1
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %a)
  %numbers = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %c)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(%intel.buffer_rw_t addrspace(1)* %o)
  %x = call <8 x float> @llvm.genx.oword.ld.v8f32(i32 0, i32 %in, i32 %owords)
  %r0 = call <8 x float> @llvm.genx.dword.atomic.fmin.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> zeroinitializer, <8 x float> %x, <8 x float> undef)
  %r1 = call <8 x float> @llvm.genx.dword.atomic.fmax.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>, <8 x float> %x, <8 x float> undef)
  ; The first channel finds 1, 2, 3 or 4 and writes the first number of the group; each of the others finds the number of
  ; the one before it, or any, and the last one leaves the last number of the group.
  %first = extractelement <8 x float> %x, i32 0
  %f = uitofp i32 %group to float
  %start = fadd float %f, 1.0
  %second = shufflevector <8 x float> %x, <8 x float> undef, <8 x i32> <i32 undef, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %compared = insertelement <8 x float> %second, float %start, i32 0
  %last = shufflevector <8 x float> %x, <8 x float> undef, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 7>
  %place = shl i32 %group, 2
  %at = add i32 %place, 8
  %at.one = insertelement <8 x i32> undef, i32 %at, i32 0
  %at.all = shufflevector <8 x i32> %at.one, <8 x i32> undef, <8 x i32> zeroinitializer
  %old = call <8 x float> @llvm.genx.dword.atomic.fcmpwr.v8f32.v8i1.v8i32(<8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 %numbers, <8 x i32> %at.all, <8 x float> %last, <8 x float> %compared, <8 x float> undef)
  call void @llvm.genx.oword.st.v8f32(i32 %out, i32 %owords, <8 x float> %old)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
