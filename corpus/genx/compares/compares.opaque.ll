target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64)

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v32i32(i64, <32 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @compares(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, ptr addrspace(1) %o) #0 {
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, 0
  %b.at.base = ptrtoint ptr addrspace(1) %b to i64
  %b.at = add i64 %b.at.base, 0
  %c.at.base = ptrtoint ptr addrspace(1) %c to i64
  %c.at = add i64 %c.at.base, 0
  %d.at.base = ptrtoint ptr addrspace(1) %d to i64
  %d.at = add i64 %d.at.base, 0
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, 0
  %x = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %a.at)
  %y = call <16 x float> @llvm.genx.svm.block.ld.unaligned.v16f32.i64(i64 %b.at)
  %i = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %c.at)
  %j = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %d.at)
  %c0 = fcmp oeq <16 x float> %x, %y
  %s0 = bitcast <16 x i1> %c0 to i16
  %n0 = zext i16 %s0 to i32
  %v0 = insertelement <32 x i32> zeroinitializer, i32 %n0, i32 0
  %c1 = fcmp ogt <16 x float> %x, %y
  %s1 = bitcast <16 x i1> %c1 to i16
  %n1 = zext i16 %s1 to i32
  %v1 = insertelement <32 x i32> %v0, i32 %n1, i32 1
  %c2 = fcmp oge <16 x float> %x, %y
  %s2 = bitcast <16 x i1> %c2 to i16
  %n2 = zext i16 %s2 to i32
  %v2 = insertelement <32 x i32> %v1, i32 %n2, i32 2
  %c3 = fcmp olt <16 x float> %x, %y
  %s3 = bitcast <16 x i1> %c3 to i16
  %n3 = zext i16 %s3 to i32
  %v3 = insertelement <32 x i32> %v2, i32 %n3, i32 3
  %c4 = fcmp ole <16 x float> %x, %y
  %s4 = bitcast <16 x i1> %c4 to i16
  %n4 = zext i16 %s4 to i32
  %v4 = insertelement <32 x i32> %v3, i32 %n4, i32 4
  %c5 = fcmp one <16 x float> %x, %y
  %s5 = bitcast <16 x i1> %c5 to i16
  %n5 = zext i16 %s5 to i32
  %v5 = insertelement <32 x i32> %v4, i32 %n5, i32 5
  %c6 = fcmp ord <16 x float> %x, %y
  %s6 = bitcast <16 x i1> %c6 to i16
  %n6 = zext i16 %s6 to i32
  %v6 = insertelement <32 x i32> %v5, i32 %n6, i32 6
  %c7 = fcmp ueq <16 x float> %x, %y
  %s7 = bitcast <16 x i1> %c7 to i16
  %n7 = zext i16 %s7 to i32
  %v7 = insertelement <32 x i32> %v6, i32 %n7, i32 7
  %c8 = fcmp ugt <16 x float> %x, %y
  %s8 = bitcast <16 x i1> %c8 to i16
  %n8 = zext i16 %s8 to i32
  %v8 = insertelement <32 x i32> %v7, i32 %n8, i32 8
  %c9 = fcmp uge <16 x float> %x, %y
  %s9 = bitcast <16 x i1> %c9 to i16
  %n9 = zext i16 %s9 to i32
  %v9 = insertelement <32 x i32> %v8, i32 %n9, i32 9
  %c10 = fcmp ult <16 x float> %x, %y
  %s10 = bitcast <16 x i1> %c10 to i16
  %n10 = zext i16 %s10 to i32
  %v10 = insertelement <32 x i32> %v9, i32 %n10, i32 10
  %c11 = fcmp ule <16 x float> %x, %y
  %s11 = bitcast <16 x i1> %c11 to i16
  %n11 = zext i16 %s11 to i32
  %v11 = insertelement <32 x i32> %v10, i32 %n11, i32 11
  %c12 = fcmp une <16 x float> %x, %y
  %s12 = bitcast <16 x i1> %c12 to i16
  %n12 = zext i16 %s12 to i32
  %v12 = insertelement <32 x i32> %v11, i32 %n12, i32 12
  %c13 = fcmp uno <16 x float> %x, %y
  %s13 = bitcast <16 x i1> %c13 to i16
  %n13 = zext i16 %s13 to i32
  %v13 = insertelement <32 x i32> %v12, i32 %n13, i32 13
  %c14 = icmp eq <16 x i32> %i, %j
  %s14 = bitcast <16 x i1> %c14 to i16
  %n14 = zext i16 %s14 to i32
  %v14 = insertelement <32 x i32> %v13, i32 %n14, i32 14
  %c15 = icmp sgt <16 x i32> %i, %j
  %s15 = bitcast <16 x i1> %c15 to i16
  %n15 = zext i16 %s15 to i32
  %v15 = insertelement <32 x i32> %v14, i32 %n15, i32 15
  %c16 = icmp sge <16 x i32> %i, %j
  %s16 = bitcast <16 x i1> %c16 to i16
  %n16 = zext i16 %s16 to i32
  %v16 = insertelement <32 x i32> %v15, i32 %n16, i32 16
  %c17 = icmp slt <16 x i32> %i, %j
  %s17 = bitcast <16 x i1> %c17 to i16
  %n17 = zext i16 %s17 to i32
  %v17 = insertelement <32 x i32> %v16, i32 %n17, i32 17
  %c18 = icmp sle <16 x i32> %i, %j
  %s18 = bitcast <16 x i1> %c18 to i16
  %n18 = zext i16 %s18 to i32
  %v18 = insertelement <32 x i32> %v17, i32 %n18, i32 18
  %c19 = icmp ne <16 x i32> %i, %j
  %s19 = bitcast <16 x i1> %c19 to i16
  %n19 = zext i16 %s19 to i32
  %v19 = insertelement <32 x i32> %v18, i32 %n19, i32 19
  %c20 = icmp ugt <16 x i32> %i, %j
  %s20 = bitcast <16 x i1> %c20 to i16
  %n20 = zext i16 %s20 to i32
  %v20 = insertelement <32 x i32> %v19, i32 %n20, i32 20
  %c21 = icmp uge <16 x i32> %i, %j
  %s21 = bitcast <16 x i1> %c21 to i16
  %n21 = zext i16 %s21 to i32
  %v21 = insertelement <32 x i32> %v20, i32 %n21, i32 21
  %c22 = icmp ult <16 x i32> %i, %j
  %s22 = bitcast <16 x i1> %c22 to i16
  %n22 = zext i16 %s22 to i32
  %v22 = insertelement <32 x i32> %v21, i32 %n22, i32 22
  %c23 = icmp ule <16 x i32> %i, %j
  %s23 = bitcast <16 x i1> %c23 to i16
  %n23 = zext i16 %s23 to i32
  %v23 = insertelement <32 x i32> %v22, i32 %n23, i32 23
  call void @llvm.genx.svm.block.st.i64.v32i32(i64 %o.at, <32 x i32> %v23)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
