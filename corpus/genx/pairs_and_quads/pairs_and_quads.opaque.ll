target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64)

declare <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64)

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i16(i64, <8 x i16>)

declare void @llvm.genx.svm.block.st.i64.v16f32(i64, <16 x float>)

declare <16 x i16> @llvm.genx.usad2.v16i16.v16i8(<16 x i8>, <16 x i8>)

declare <16 x i16> @llvm.genx.ssad2.v16i16.v16i8(<16 x i8>, <16 x i8>)

declare <16 x i16> @llvm.genx.uusad2add.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)

declare <16 x i16> @llvm.genx.sssad2add.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)

declare <16 x i16> @llvm.genx.uusad2add.sat.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)

declare <16 x i16> @llvm.genx.sssad2add.sat.v16i16.v16i8(<16 x i8>, <16 x i8>, <16 x i16>)

declare <16 x float> @llvm.genx.dp2.v16f32(<16 x float>, <16 x float>)

declare <16 x float> @llvm.genx.dp3.v16f32(<16 x float>, <16 x float>)

declare <16 x float> @llvm.genx.dp4.v16f32(<16 x float>, <16 x float>)

declare void @llvm.genx.svm.block.st.i64.v4f32(i64, <4 x float>)

declare void @llvm.genx.svm.block.st.i64.v8f32(i64, <8 x float>)

declare <12 x float> @llvm.genx.dp4.v12f32(<12 x float>, <12 x float>)

declare <16 x float> @llvm.genx.dph.v16f32(<16 x float>, <16 x float>)

define spir_kernel void @pairs_and_quads(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %c.p, ptr addrspace(1) %f.p, ptr addrspace(1) %g.p, ptr addrspace(1) %o.p, ptr addrspace(1) %p.p) #0 {
  %a.at = ptrtoint ptr addrspace(1) %a.p to i64
  %b.at = ptrtoint ptr addrspace(1) %b.p to i64
  %c.at = ptrtoint ptr addrspace(1) %c.p to i64
  %f.at = ptrtoint ptr addrspace(1) %f.p to i64
  %g.at = ptrtoint ptr addrspace(1) %g.p to i64
  %o.at = ptrtoint ptr addrspace(1) %o.p to i64
  %p.at = ptrtoint ptr addrspace(1) %p.p to i64
  %a = call <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64 %a.at)
  %b = call <16 x i8> @llvm.genx.svm.block.ld.unaligned.v16i8.i64(i64 %b.at)
  %c = call <16 x i16> @llvm.genx.svm.block.ld.unaligned.v16i16.i64(i64 %c.at)
  %f = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %f.at)
  %g = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %g.at)
  %s0 = call <16 x i16> @llvm.genx.usad2.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b)
  %even0 = shufflevector <16 x i16> %s0, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o0 = add i64 %o.at, 0
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o0, <8 x i16> %even0)
  %s1 = call <16 x i16> @llvm.genx.ssad2.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b)
  %even1 = shufflevector <16 x i16> %s1, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o1 = add i64 %o.at, 16
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o1, <8 x i16> %even1)
  %s2 = call <16 x i16> @llvm.genx.uusad2add.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even2 = shufflevector <16 x i16> %s2, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o2 = add i64 %o.at, 32
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o2, <8 x i16> %even2)
  %s3 = call <16 x i16> @llvm.genx.sssad2add.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even3 = shufflevector <16 x i16> %s3, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o3 = add i64 %o.at, 48
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o3, <8 x i16> %even3)
  %s4 = call <16 x i16> @llvm.genx.uusad2add.sat.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even4 = shufflevector <16 x i16> %s4, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o4 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o4, <8 x i16> %even4)
  %s5 = call <16 x i16> @llvm.genx.sssad2add.sat.v16i16.v16i8(<16 x i8> %a, <16 x i8> %b, <16 x i16> %c)
  %even5 = shufflevector <16 x i16> %s5, <16 x i16> undef, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %o5 = add i64 %o.at, 80
  call void @llvm.genx.svm.block.st.i64.v8i16(i64 %o5, <8 x i16> %even5)
  %d0 = call <16 x float> @llvm.genx.dp2.v16f32(<16 x float> %f, <16 x float> %g)
  %p0 = add i64 %p.at, 0
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p0, <16 x float> %d0)
  %d1 = call <16 x float> @llvm.genx.dp3.v16f32(<16 x float> %f, <16 x float> %g)
  %p1 = add i64 %p.at, 64
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p1, <16 x float> %d1)
  %d2 = call <16 x float> @llvm.genx.dp4.v16f32(<16 x float> %f, <16 x float> %g)
  %p2 = add i64 %p.at, 128
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p2, <16 x float> %d2)
  %d3 = call <16 x float> @llvm.genx.dph.v16f32(<16 x float> %f, <16 x float> %g)
  %p3 = add i64 %p.at, 192
  call void @llvm.genx.svm.block.st.i64.v16f32(i64 %p3, <16 x float> %d3)
  %f12 = shufflevector <16 x float> %f, <16 x float> undef, <12 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %d4 = call <12 x float> @llvm.genx.dp4.v12f32(<12 x float> %f12, <12 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>)
  %p4 = add i64 %p.at, 256
  %low = shufflevector <12 x float> %d4, <12 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  call void @llvm.genx.svm.block.st.i64.v8f32(i64 %p4, <8 x float> %low)
  %p5 = add i64 %p.at, 288
  %high = shufflevector <12 x float> %d4, <12 x float> undef, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  call void @llvm.genx.svm.block.st.i64.v4f32(i64 %p5, <4 x float> %high)
  ret void
}

attributes #0 = { "VCFunction" }
