target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <16 x i32>, <16 x i1> } @llvm.uadd.with.overflow.v16i32(<16 x i32>, <16 x i32>) #0

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <16 x i32>, <16 x i1> } @llvm.usub.with.overflow.v16i32(<16 x i32>, <16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <16 x i32>, <16 x i1> } @llvm.umul.with.overflow.v16i32(<16 x i32>, <16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <16 x i32>, <16 x i1> } @llvm.sadd.with.overflow.v16i32(<16 x i32>, <16 x i32>) #0

; Function Attrs: nocallback nofree nosync nounwind readnone speculatable willreturn
declare { <16 x i32>, <16 x i1> } @llvm.ssub.with.overflow.v16i32(<16 x i32>, <16 x i32>) #0

; Function Attrs: noinline nounwind
define spir_kernel void @overflows(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %o) #1 {
  %a.at.base = ptrtoint ptr addrspace(1) %a.p to i64
  %a.at = add i64 %a.at.base, 0
  %a = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %b.at.base = ptrtoint ptr addrspace(1) %b.p to i64
  %b.at = add i64 %b.at.base, 0
  %b = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %uadd = call { <16 x i32>, <16 x i1> } @llvm.uadd.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %uadd.v = extractvalue { <16 x i32>, <16 x i1> } %uadd, 0
  %uadd.o = extractvalue { <16 x i32>, <16 x i1> } %uadd, 1
  %uadd.z = zext <16 x i1> %uadd.o to <16 x i32>
  %uadd.r = xor <16 x i32> %uadd.v, %uadd.z
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %uadd.r)
  %usub = call { <16 x i32>, <16 x i1> } @llvm.usub.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %usub.v = extractvalue { <16 x i32>, <16 x i1> } %usub, 0
  %usub.o = extractvalue { <16 x i32>, <16 x i1> } %usub, 1
  %usub.z = zext <16 x i1> %usub.o to <16 x i32>
  %usub.r = xor <16 x i32> %usub.v, %usub.z
  %t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t1, <16 x i32> %usub.r)
  %umul = call { <16 x i32>, <16 x i1> } @llvm.umul.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %umul.v = extractvalue { <16 x i32>, <16 x i1> } %umul, 0
  %umul.o = extractvalue { <16 x i32>, <16 x i1> } %umul, 1
  %umul.z = zext <16 x i1> %umul.o to <16 x i32>
  %umul.r = xor <16 x i32> %umul.v, %umul.z
  %t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t2, <16 x i32> %umul.r)
  %sadd = call { <16 x i32>, <16 x i1> } @llvm.sadd.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %sadd.v = extractvalue { <16 x i32>, <16 x i1> } %sadd, 0
  %sadd.o = extractvalue { <16 x i32>, <16 x i1> } %sadd, 1
  %sadd.z = zext <16 x i1> %sadd.o to <16 x i32>
  %sadd.r = xor <16 x i32> %sadd.v, %sadd.z
  %t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t3, <16 x i32> %sadd.r)
  %ssub = call { <16 x i32>, <16 x i1> } @llvm.ssub.with.overflow.v16i32(<16 x i32> %a, <16 x i32> %b)
  %ssub.v = extractvalue { <16 x i32>, <16 x i1> } %ssub, 0
  %ssub.o = extractvalue { <16 x i32>, <16 x i1> } %ssub, 1
  %ssub.z = zext <16 x i1> %ssub.o to <16 x i32>
  %ssub.r = xor <16 x i32> %ssub.v, %ssub.z
  %t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %t4, <16 x i32> %ssub.r)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind readnone speculatable willreturn }
attributes #1 = { noinline nounwind "VCFunction" }
