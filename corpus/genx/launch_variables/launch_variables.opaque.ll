target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInLocalInvocationId = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInWorkgroupId = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInGlobalSize = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInWorkgroupSize = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInEnqueuedWorkgroupSize = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInNumWorkgroups = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInGlobalOffset = external addrspace(1) constant <3 x i64>, align 32
@__spirv_BuiltInGlobalLinearId = external addrspace(1) constant i64, align 8
@__spirv_BuiltInLocalInvocationIndex = external addrspace(1) constant i64, align 8
@__spirv_BuiltInSubgroupSize = external addrspace(1) constant i32, align 8
@__spirv_BuiltInSubgroupMaxSize = external addrspace(1) constant i32, align 8
@__spirv_BuiltInNumSubgroups = external addrspace(1) constant i32, align 8
@__spirv_BuiltInNumEnqueuedSubgroups = external addrspace(1) constant i32, align 8
@__spirv_BuiltInSubgroupId = external addrspace(1) constant i32, align 8
@__spirv_BuiltInSubgroupLocalInvocationId = external addrspace(1) constant i32, align 8

; Function Attrs: noinline nounwind
define spir_kernel void @launch_variables(ptr addrspace(1) %o) #0 {
  %line = load i64, ptr addrspace(1) @__spirv_BuiltInGlobalLinearId, align 8
  %first = mul i64 %line, 32
  %row = getelementptr i32, ptr addrspace(1) %o, i64 %first
  %v0 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId, align 32
  %e0 = extractelement <3 x i64> %v0, i32 0
  %t0 = trunc i64 %e0 to i32
  %p0 = getelementptr i32, ptr addrspace(1) %row, i64 0
  store i32 %t0, ptr addrspace(1) %p0, align 4
  %v1 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId, align 32
  %e1 = extractelement <3 x i64> %v1, i32 1
  %t1 = trunc i64 %e1 to i32
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %t1, ptr addrspace(1) %p1, align 4
  %v2 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId, align 32
  %e2 = extractelement <3 x i64> %v2, i32 2
  %t2 = trunc i64 %e2 to i32
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %t2, ptr addrspace(1) %p2, align 4
  %e3 = load i64, ptr addrspace(1) @__spirv_BuiltInLocalInvocationId, align 8
  %t3 = trunc i64 %e3 to i32
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %t3, ptr addrspace(1) %p3, align 4
  %e4 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInLocalInvocationId, i64 0, i64 1), align 8
  %t4 = trunc i64 %e4 to i32
  %p4 = getelementptr i32, ptr addrspace(1) %row, i64 4
  store i32 %t4, ptr addrspace(1) %p4, align 4
  %e5 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInLocalInvocationId, i64 0, i64 2), align 8
  %t5 = trunc i64 %e5 to i32
  %p5 = getelementptr i32, ptr addrspace(1) %row, i64 5
  store i32 %t5, ptr addrspace(1) %p5, align 4
  %v6 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupId, align 32
  %e6 = extractelement <3 x i64> %v6, i32 0
  %t6 = trunc i64 %e6 to i32
  %p6 = getelementptr i32, ptr addrspace(1) %row, i64 6
  store i32 %t6, ptr addrspace(1) %p6, align 4
  %v7 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupId, align 32
  %e7 = extractelement <3 x i64> %v7, i32 1
  %t7 = trunc i64 %e7 to i32
  %p7 = getelementptr i32, ptr addrspace(1) %row, i64 7
  store i32 %t7, ptr addrspace(1) %p7, align 4
  %v8 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupId, align 32
  %e8 = extractelement <3 x i64> %v8, i32 2
  %t8 = trunc i64 %e8 to i32
  %p8 = getelementptr i32, ptr addrspace(1) %row, i64 8
  store i32 %t8, ptr addrspace(1) %p8, align 4
  %e9 = load i64, ptr addrspace(1) @__spirv_BuiltInGlobalSize, align 8
  %t9 = trunc i64 %e9 to i32
  %p9 = getelementptr i32, ptr addrspace(1) %row, i64 9
  store i32 %t9, ptr addrspace(1) %p9, align 4
  %e10 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalSize, i64 0, i64 1), align 8
  %t10 = trunc i64 %e10 to i32
  %p10 = getelementptr i32, ptr addrspace(1) %row, i64 10
  store i32 %t10, ptr addrspace(1) %p10, align 4
  %e11 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalSize, i64 0, i64 2), align 8
  %t11 = trunc i64 %e11 to i32
  %p11 = getelementptr i32, ptr addrspace(1) %row, i64 11
  store i32 %t11, ptr addrspace(1) %p11, align 4
  %v12 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupSize, align 32
  %e12 = extractelement <3 x i64> %v12, i32 0
  %t12 = trunc i64 %e12 to i32
  %p12 = getelementptr i32, ptr addrspace(1) %row, i64 12
  store i32 %t12, ptr addrspace(1) %p12, align 4
  %v13 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupSize, align 32
  %e13 = extractelement <3 x i64> %v13, i32 1
  %t13 = trunc i64 %e13 to i32
  %p13 = getelementptr i32, ptr addrspace(1) %row, i64 13
  store i32 %t13, ptr addrspace(1) %p13, align 4
  %v14 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupSize, align 32
  %e14 = extractelement <3 x i64> %v14, i32 2
  %t14 = trunc i64 %e14 to i32
  %p14 = getelementptr i32, ptr addrspace(1) %row, i64 14
  store i32 %t14, ptr addrspace(1) %p14, align 4
  %e15 = load i64, ptr addrspace(1) @__spirv_BuiltInEnqueuedWorkgroupSize, align 8
  %t15 = trunc i64 %e15 to i32
  %p15 = getelementptr i32, ptr addrspace(1) %row, i64 15
  store i32 %t15, ptr addrspace(1) %p15, align 4
  %e16 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInEnqueuedWorkgroupSize, i64 0, i64 1), align 8
  %t16 = trunc i64 %e16 to i32
  %p16 = getelementptr i32, ptr addrspace(1) %row, i64 16
  store i32 %t16, ptr addrspace(1) %p16, align 4
  %e17 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInEnqueuedWorkgroupSize, i64 0, i64 2), align 8
  %t17 = trunc i64 %e17 to i32
  %p17 = getelementptr i32, ptr addrspace(1) %row, i64 17
  store i32 %t17, ptr addrspace(1) %p17, align 4
  %v18 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInNumWorkgroups, align 32
  %e18 = extractelement <3 x i64> %v18, i32 0
  %t18 = trunc i64 %e18 to i32
  %p18 = getelementptr i32, ptr addrspace(1) %row, i64 18
  store i32 %t18, ptr addrspace(1) %p18, align 4
  %v19 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInNumWorkgroups, align 32
  %e19 = extractelement <3 x i64> %v19, i32 1
  %t19 = trunc i64 %e19 to i32
  %p19 = getelementptr i32, ptr addrspace(1) %row, i64 19
  store i32 %t19, ptr addrspace(1) %p19, align 4
  %v20 = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInNumWorkgroups, align 32
  %e20 = extractelement <3 x i64> %v20, i32 2
  %t20 = trunc i64 %e20 to i32
  %p20 = getelementptr i32, ptr addrspace(1) %row, i64 20
  store i32 %t20, ptr addrspace(1) %p20, align 4
  %e21 = load i64, ptr addrspace(1) @__spirv_BuiltInGlobalOffset, align 8
  %t21 = trunc i64 %e21 to i32
  %p21 = getelementptr i32, ptr addrspace(1) %row, i64 21
  store i32 %t21, ptr addrspace(1) %p21, align 4
  %e22 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalOffset, i64 0, i64 1), align 8
  %t22 = trunc i64 %e22 to i32
  %p22 = getelementptr i32, ptr addrspace(1) %row, i64 22
  store i32 %t22, ptr addrspace(1) %p22, align 4
  %e23 = load i64, ptr addrspace(1) getelementptr inbounds (<3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalOffset, i64 0, i64 2), align 8
  %t23 = trunc i64 %e23 to i32
  %p23 = getelementptr i32, ptr addrspace(1) %row, i64 23
  store i32 %t23, ptr addrspace(1) %p23, align 4
  %e24 = load i64, ptr addrspace(1) @__spirv_BuiltInGlobalLinearId, align 8
  %t24 = trunc i64 %e24 to i32
  %p24 = getelementptr i32, ptr addrspace(1) %row, i64 24
  store i32 %t24, ptr addrspace(1) %p24, align 4
  %e25 = load i64, ptr addrspace(1) @__spirv_BuiltInLocalInvocationIndex, align 8
  %t25 = trunc i64 %e25 to i32
  %p25 = getelementptr i32, ptr addrspace(1) %row, i64 25
  store i32 %t25, ptr addrspace(1) %p25, align 4
  %e26 = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupSize, align 8
  %p26 = getelementptr i32, ptr addrspace(1) %row, i64 26
  store i32 %e26, ptr addrspace(1) %p26, align 4
  %e27 = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupMaxSize, align 8
  %p27 = getelementptr i32, ptr addrspace(1) %row, i64 27
  store i32 %e27, ptr addrspace(1) %p27, align 4
  %e28 = load i32, ptr addrspace(1) @__spirv_BuiltInNumSubgroups, align 8
  %p28 = getelementptr i32, ptr addrspace(1) %row, i64 28
  store i32 %e28, ptr addrspace(1) %p28, align 4
  %e29 = load i32, ptr addrspace(1) @__spirv_BuiltInNumEnqueuedSubgroups, align 8
  %p29 = getelementptr i32, ptr addrspace(1) %row, i64 29
  store i32 %e29, ptr addrspace(1) %p29, align 4
  %e30 = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupId, align 8
  %p30 = getelementptr i32, ptr addrspace(1) %row, i64 30
  store i32 %e30, ptr addrspace(1) %p30, align 4
  %e31 = load i32, ptr addrspace(1) @__spirv_BuiltInSubgroupLocalInvocationId, align 8
  %p31 = getelementptr i32, ptr addrspace(1) %row, i64 31
  store i32 %e31, ptr addrspace(1) %p31, align 4
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
