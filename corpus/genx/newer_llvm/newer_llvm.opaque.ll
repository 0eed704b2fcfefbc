target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x i32> @llvm.sshl.sat.v16i32(<16 x i32>, <16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x i32> @llvm.ushl.sat.v16i32(<16 x i32>, <16 x i32>) #0

declare <16 x i32> @llvm.scmp.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.ucmp.v16i32.v16i32(<16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.vector.reverse.v16i32(<16 x i32>)

declare <16 x i32> @llvm.vector.interleave2.v16i32(<8 x i32>, <8 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x i32> @llvm.vector.insert.v16i32.v4i32(<16 x i32>, <4 x i32>, i64 immarg) #0

declare { <8 x i32>, <8 x i32> } @llvm.vector.deinterleave2.v16i32(<16 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x i32> @llvm.fptosi.sat.v16i32.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x i32> @llvm.fptoui.sat.v16i32.v16f32(<16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.maximum.v16f32(<16 x float>, <16 x float>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <16 x float> @llvm.minimum.v16f32(<16 x float>, <16 x float>) #0

declare <16 x float> @llvm.maximumnum.v16f32(<16 x float>, <16 x float>)

declare <16 x float> @llvm.minimumnum.v16f32(<16 x float>, <16 x float>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <8 x i32> @llvm.vector.extract.v8i32.v16i32(<16 x i32>, i64 immarg) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare <4 x i32> @llvm.vector.extract.v4i32.v16i32(<16 x i32>, i64 immarg) #0

; Function Attrs: noinline nounwind
define spir_kernel void @newer_llvm(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %f.p, ptr addrspace(1) %g.p, ptr addrspace(1) %o, ptr addrspace(1) %m) #1 {
  %a = load <16 x i32>, ptr addrspace(1) %a.p, align 4
  %b = load <16 x i32>, ptr addrspace(1) %b.p, align 4
  %f = load <16 x float>, ptr addrspace(1) %f.p, align 4
  %g = load <16 x float>, ptr addrspace(1) %g.p, align 4
  %a.low = call <8 x i32> @llvm.vector.extract.v8i32.v16i32(<16 x i32> %a, i64 0)
  %b.low = call <8 x i32> @llvm.vector.extract.v8i32.v16i32(<16 x i32> %b, i64 0)
  %b.part = call <4 x i32> @llvm.vector.extract.v4i32.v16i32(<16 x i32> %b, i64 4)
  %r0 = call <16 x i32> @llvm.scmp.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %o0 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 0
  store <16 x i32> %r0, ptr addrspace(1) %o0, align 4
  %r1 = call <16 x i32> @llvm.ucmp.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %o1 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 1
  store <16 x i32> %r1, ptr addrspace(1) %o1, align 4
  %b.5 = and <16 x i32> %b, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %r8 = call <16 x i32> @llvm.sshl.sat.v16i32(<16 x i32> %a, <16 x i32> %b.5)
  %o8 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 8
  store <16 x i32> %r8, ptr addrspace(1) %o8, align 4
  %r9 = call <16 x i32> @llvm.ushl.sat.v16i32(<16 x i32> %a, <16 x i32> %b.5)
  %o9 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 9
  store <16 x i32> %r9, ptr addrspace(1) %o9, align 4
  %r2 = call <16 x i32> @llvm.vector.reverse.v16i32(<16 x i32> %a)
  %o2 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 2
  store <16 x i32> %r2, ptr addrspace(1) %o2, align 4
  %r3 = call <16 x i32> @llvm.vector.interleave2.v16i32(<8 x i32> %a.low, <8 x i32> %b.low)
  %o3 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 3
  store <16 x i32> %r3, ptr addrspace(1) %o3, align 4
  %r4 = call <16 x i32> @llvm.vector.insert.v16i32.v4i32(<16 x i32> %a, <4 x i32> %b.part, i64 4)
  %o4 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 4
  store <16 x i32> %r4, ptr addrspace(1) %o4, align 4
  %d = call { <8 x i32>, <8 x i32> } @llvm.vector.deinterleave2.v16i32(<16 x i32> %a)
  %even = extractvalue { <8 x i32>, <8 x i32> } %d, 0
  %odd = extractvalue { <8 x i32>, <8 x i32> } %d, 1
  %r5 = shufflevector <8 x i32> %even, <8 x i32> %odd, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %o5 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 5
  store <16 x i32> %r5, ptr addrspace(1) %o5, align 4
  %r6 = call <16 x i32> @llvm.fptosi.sat.v16i32.v16f32(<16 x float> %f)
  %o6 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 6
  store <16 x i32> %r6, ptr addrspace(1) %o6, align 4
  %r7 = call <16 x i32> @llvm.fptoui.sat.v16i32.v16f32(<16 x float> %f)
  %o7 = getelementptr <16 x i32>, ptr addrspace(1) %o, i64 7
  store <16 x i32> %r7, ptr addrspace(1) %o7, align 4
  %x0 = call <16 x float> @llvm.maximum.v16f32(<16 x float> %f, <16 x float> %g)
  %m0 = getelementptr <16 x float>, ptr addrspace(1) %m, i64 0
  store <16 x float> %x0, ptr addrspace(1) %m0, align 4
  %x1 = call <16 x float> @llvm.minimum.v16f32(<16 x float> %f, <16 x float> %g)
  %m1 = getelementptr <16 x float>, ptr addrspace(1) %m, i64 1
  store <16 x float> %x1, ptr addrspace(1) %m1, align 4
  %x2 = call <16 x float> @llvm.maximumnum.v16f32(<16 x float> %f, <16 x float> %g)
  %m2 = getelementptr <16 x float>, ptr addrspace(1) %m, i64 2
  store <16 x float> %x2, ptr addrspace(1) %m2, align 4
  %x3 = call <16 x float> @llvm.minimumnum.v16f32(<16 x float> %f, <16 x float> %g)
  %m3 = getelementptr <16 x float>, ptr addrspace(1) %m, i64 3
  store <16 x float> %x3, ptr addrspace(1) %m3, align 4
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
