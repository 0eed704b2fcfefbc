target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <36 x i32> @llvm.genx.rdregioni.v36i32.v512i32.i16(<512 x i32>, i32, i32, i32, i16, i32)

declare <512 x i32> @llvm.genx.wrregioni.v512i32.v32i32.i16.i1(<512 x i32>, <32 x i32>, i32, i32, i32, i16, i32, i1)

declare <512 x i32> @llvm.genx.wrregioni.v512i32.v32i32.i16.v32i1(<512 x i32>, <32 x i32>, i32, i32, i32, i16, i32, <32 x i1>)

declare <32 x i16> @llvm.genx.wrregioni.v32i16.v16i16.i16.i1(<32 x i16>, <16 x i16>, i32, i32, i32, i16, i32, i1)

declare <16 x i16> @llvm.genx.rdregioni.v16i16.v32i16.i16(<32 x i16>, i32, i32, i32, i16, i32)

declare <32 x i16> @llvm.genx.svm.gather.v32i16.v16i1.v16i64(<16 x i1>, i32, <16 x i64>, <32 x i16>)

declare void @llvm.genx.svm.scatter.v16i1.v16i64.v32f16(<16 x i1>, i32, <16 x i64>, <32 x half>)

; Function Attrs: noinline nounwind
define spir_kernel void @far_regions(ptr addrspace(1) %b.p, ptr addrspace(1) %s.p, ptr addrspace(1) %a.p, ptr addrspace(1) %x.p, ptr addrspace(1) %y.p, ptr addrspace(1) %z.p, ptr addrspace(1) %g.p, ptr addrspace(1) %w.p) #0 {
  %b = load <512 x i32>, ptr addrspace(1) %b.p, align 4
  %s = load i32, ptr addrspace(1) %s.p, align 4
  %short = trunc i32 %s to i16
  %at = shl i16 %short, 2
  %x = call <36 x i32> @llvm.genx.rdregioni.v36i32.v512i32.i16(<512 x i32> %b, i32 0, i32 36, i32 8, i16 %at, i32 0)
  store <36 x i32> %x, ptr addrspace(1) %x.p, align 4
  %part = shufflevector <36 x i32> %x, <36 x i32> undef, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %y = call <512 x i32> @llvm.genx.wrregioni.v512i32.v32i32.i16.i1(<512 x i32> %b, <32 x i32> %part, i32 0, i32 32, i32 14, i16 %at, i32 0, i1 true)
  store <512 x i32> %y, ptr addrspace(1) %y.p, align 4
  %more = add <32 x i32> %part, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %z = call <512 x i32> @llvm.genx.wrregioni.v512i32.v32i32.i16.v32i1(<512 x i32> %b, <32 x i32> %more, i32 0, i32 32, i32 15, i16 %at, i32 0, <32 x i1> <i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false, i1 false, i1 true, i1 false>)
  store <512 x i32> %z, ptr addrspace(1) %z.p, align 4
  %a.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.one = insertelement <16 x i64> undef, i64 %a.base, i32 0
  %a.all = shufflevector <16 x i64> %a.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %a.at = add <16 x i64> %a.all, <i64 24, i64 108, i64 30, i64 12, i64 104, i64 72, i64 112, i64 0, i64 46, i64 4, i64 126, i64 40, i64 32, i64 22, i64 78, i64 26>
  %g.wide = call <32 x i16> @llvm.genx.svm.gather.v32i16.v16i1.v16i64(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 1, <16 x i64> %a.at, <32 x i16> undef)
  %g = call <16 x i16> @llvm.genx.rdregioni.v16i16.v32i16.i16(<32 x i16> %g.wide, i32 0, i32 16, i32 2, i16 0, i32 0)
  store <16 x i16> %g, ptr addrspace(1) %g.p, align 2
  %w.base = ptrtoint ptr addrspace(1) %w.p to i64
  %w.one = insertelement <16 x i64> undef, i64 %w.base, i32 0
  %w.all = shufflevector <16 x i64> %w.one, <16 x i64> undef, <16 x i32> zeroinitializer
  %w.at = add <16 x i64> %w.all, <i64 24, i64 108, i64 30, i64 12, i64 104, i64 72, i64 112, i64 0, i64 46, i64 4, i64 126, i64 40, i64 32, i64 22, i64 78, i64 26>
  %w.wide = call <32 x i16> @llvm.genx.wrregioni.v32i16.v16i16.i16.i1(<32 x i16> undef, <16 x i16> %g, i32 0, i32 16, i32 2, i16 0, i32 0, i1 true)
  %w.half = bitcast <32 x i16> %w.wide to <32 x half>
  call void @llvm.genx.svm.scatter.v16i1.v16i64.v32f16(<16 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true>, i32 1, <16 x i64> %w.at, <32 x half> %w.half)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
