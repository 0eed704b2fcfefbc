target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare void @llvm.genx.svm.block.st.i64.v64i32(i64, <64 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @many_arguments(<64 x i32> %v0, <64 x i32> %v1, <64 x i32> %v2, <64 x i32> %v3, <64 x i32> %v4, <64 x i32> %v5, <64 x i32> %v6, <64 x i32> %v7, <64 x i32> %v8, <64 x i32> %v9, ptr addrspace(1) %o) #0 {
  %o.at = ptrtoint ptr addrspace(1) %o to i64
  %s1 = add <64 x i32> %v0, %v1
  %s2 = add <64 x i32> %s1, %v2
  %s3 = add <64 x i32> %s2, %v3
  %s4 = add <64 x i32> %s3, %v4
  %s5 = add <64 x i32> %s4, %v5
  %s6 = add <64 x i32> %s5, %v6
  %s7 = add <64 x i32> %s6, %v7
  %s8 = add <64 x i32> %s7, %v8
  %s9 = add <64 x i32> %s8, %v9
  call void @llvm.genx.svm.block.st.i64.v64i32(i64 %o.at, <64 x i32> %s9)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
