target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)

declare i64 @_Z12get_group_idj(i32)

declare i64 @_Z25__spirv_BuiltInGlobalSizei(i32)

declare i64 @_Z15get_global_sizej(i32)

declare i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)

declare i64 @_Z14get_local_sizej(i32)

declare i64 @_Z36__spirv_BuiltInEnqueuedWorkgroupSizei(i32)

declare i64 @_Z23get_enqueued_local_sizej(i32)

declare i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32)

declare i64 @_Z14get_num_groupsj(i32)

declare i64 @_Z27__spirv_BuiltInGlobalOffseti(i32)

declare i64 @_Z17get_global_offsetj(i32)

declare i64 @_Z29__spirv_BuiltInGlobalLinearIdv()

declare i64 @_Z35__spirv_BuiltInLocalInvocationIndexv()

declare i32 @_Z27__spirv_BuiltInSubgroupSizev()

declare i32 @_Z22get_max_sub_group_sizev()

declare i32 @_Z27__spirv_BuiltInNumSubgroupsv()

declare i32 @_Z27get_enqueued_num_sub_groupsv()

declare i32 @_Z16get_sub_group_idv()

declare i32 @_Z40__spirv_BuiltInSubgroupLocalInvocationIdv()

; Function Attrs: noinline nounwind
define internal i64 @size_of(i32 %dimension) #0 {
  %size = call i64 @_Z25__spirv_BuiltInGlobalSizei(i32 %dimension)
  ret i64 %size
}

; Function Attrs: noinline nounwind
define spir_kernel void @launch_functions(ptr addrspace(1) %o) #1 {
entry:
  %line = call i64 @_Z29__spirv_BuiltInGlobalLinearIdv()
  %first = mul i64 %line, 32
  %row = getelementptr i32, ptr addrspace(1) %o, i64 %first
  %e3 = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %t3 = trunc i64 %e3 to i32
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %t3, ptr addrspace(1) %p3, align 4
  %e4 = call i64 @_Z12get_local_idj(i32 1)
  %t4 = trunc i64 %e4 to i32
  %p4 = getelementptr i32, ptr addrspace(1) %row, i64 4
  store i32 %t4, ptr addrspace(1) %p4, align 4
  %e5 = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 2)
  %t5 = trunc i64 %e5 to i32
  %p5 = getelementptr i32, ptr addrspace(1) %row, i64 5
  store i32 %t5, ptr addrspace(1) %p5, align 4
  %e6 = call i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 0)
  %t6 = trunc i64 %e6 to i32
  %p6 = getelementptr i32, ptr addrspace(1) %row, i64 6
  store i32 %t6, ptr addrspace(1) %p6, align 4
  %e7 = call i64 @_Z12get_group_idj(i32 1)
  %t7 = trunc i64 %e7 to i32
  %p7 = getelementptr i32, ptr addrspace(1) %row, i64 7
  store i32 %t7, ptr addrspace(1) %p7, align 4
  %e8 = call i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 2)
  %t8 = trunc i64 %e8 to i32
  %p8 = getelementptr i32, ptr addrspace(1) %row, i64 8
  store i32 %t8, ptr addrspace(1) %p8, align 4
  %e9 = call i64 @size_of(i32 0)
  %t9 = trunc i64 %e9 to i32
  %p9 = getelementptr i32, ptr addrspace(1) %row, i64 9
  store i32 %t9, ptr addrspace(1) %p9, align 4
  %e10 = call i64 @size_of(i32 1)
  %t10 = trunc i64 %e10 to i32
  %p10 = getelementptr i32, ptr addrspace(1) %row, i64 10
  store i32 %t10, ptr addrspace(1) %p10, align 4
  %e11 = call i64 @size_of(i32 2)
  %t11 = trunc i64 %e11 to i32
  %p11 = getelementptr i32, ptr addrspace(1) %row, i64 11
  store i32 %t11, ptr addrspace(1) %p11, align 4
  %e12 = call i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)
  %t12 = trunc i64 %e12 to i32
  %p12 = getelementptr i32, ptr addrspace(1) %row, i64 12
  store i32 %t12, ptr addrspace(1) %p12, align 4
  %e13 = call i64 @_Z14get_local_sizej(i32 1)
  %t13 = trunc i64 %e13 to i32
  %p13 = getelementptr i32, ptr addrspace(1) %row, i64 13
  store i32 %t13, ptr addrspace(1) %p13, align 4
  %e14 = call i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 2)
  %t14 = trunc i64 %e14 to i32
  %p14 = getelementptr i32, ptr addrspace(1) %row, i64 14
  store i32 %t14, ptr addrspace(1) %p14, align 4
  %e15 = call i64 @_Z36__spirv_BuiltInEnqueuedWorkgroupSizei(i32 0)
  %t15 = trunc i64 %e15 to i32
  %p15 = getelementptr i32, ptr addrspace(1) %row, i64 15
  store i32 %t15, ptr addrspace(1) %p15, align 4
  %e16 = call i64 @_Z23get_enqueued_local_sizej(i32 1)
  %t16 = trunc i64 %e16 to i32
  %p16 = getelementptr i32, ptr addrspace(1) %row, i64 16
  store i32 %t16, ptr addrspace(1) %p16, align 4
  %e17 = call i64 @_Z36__spirv_BuiltInEnqueuedWorkgroupSizei(i32 2)
  %t17 = trunc i64 %e17 to i32
  %p17 = getelementptr i32, ptr addrspace(1) %row, i64 17
  store i32 %t17, ptr addrspace(1) %p17, align 4
  %e18 = call i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32 0)
  %t18 = trunc i64 %e18 to i32
  %p18 = getelementptr i32, ptr addrspace(1) %row, i64 18
  store i32 %t18, ptr addrspace(1) %p18, align 4
  %e19 = call i64 @_Z14get_num_groupsj(i32 1)
  %t19 = trunc i64 %e19 to i32
  %p19 = getelementptr i32, ptr addrspace(1) %row, i64 19
  store i32 %t19, ptr addrspace(1) %p19, align 4
  %e20 = call i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32 2)
  %t20 = trunc i64 %e20 to i32
  %p20 = getelementptr i32, ptr addrspace(1) %row, i64 20
  store i32 %t20, ptr addrspace(1) %p20, align 4
  %e21 = call i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 0)
  %t21 = trunc i64 %e21 to i32
  %p21 = getelementptr i32, ptr addrspace(1) %row, i64 21
  store i32 %t21, ptr addrspace(1) %p21, align 4
  %e22 = call i64 @_Z17get_global_offsetj(i32 1)
  %t22 = trunc i64 %e22 to i32
  %p22 = getelementptr i32, ptr addrspace(1) %row, i64 22
  store i32 %t22, ptr addrspace(1) %p22, align 4
  %e23 = call i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 2)
  %t23 = trunc i64 %e23 to i32
  %p23 = getelementptr i32, ptr addrspace(1) %row, i64 23
  store i32 %t23, ptr addrspace(1) %p23, align 4
  %e24 = call i64 @_Z29__spirv_BuiltInGlobalLinearIdv()
  %t24 = trunc i64 %e24 to i32
  %p24 = getelementptr i32, ptr addrspace(1) %row, i64 24
  store i32 %t24, ptr addrspace(1) %p24, align 4
  %e25 = call i64 @_Z35__spirv_BuiltInLocalInvocationIndexv()
  %t25 = trunc i64 %e25 to i32
  %p25 = getelementptr i32, ptr addrspace(1) %row, i64 25
  store i32 %t25, ptr addrspace(1) %p25, align 4
  %e26 = call i32 @_Z27__spirv_BuiltInSubgroupSizev()
  %p26 = getelementptr i32, ptr addrspace(1) %row, i64 26
  store i32 %e26, ptr addrspace(1) %p26, align 4
  %e27 = call i32 @_Z22get_max_sub_group_sizev()
  %p27 = getelementptr i32, ptr addrspace(1) %row, i64 27
  store i32 %e27, ptr addrspace(1) %p27, align 4
  %e28 = call i32 @_Z27__spirv_BuiltInNumSubgroupsv()
  %p28 = getelementptr i32, ptr addrspace(1) %row, i64 28
  store i32 %e28, ptr addrspace(1) %p28, align 4
  %e29 = call i32 @_Z27get_enqueued_num_sub_groupsv()
  %p29 = getelementptr i32, ptr addrspace(1) %row, i64 29
  store i32 %e29, ptr addrspace(1) %p29, align 4
  %e30 = call i32 @_Z16get_sub_group_idv()
  %p30 = getelementptr i32, ptr addrspace(1) %row, i64 30
  store i32 %e30, ptr addrspace(1) %p30, align 4
  %e31 = call i32 @_Z40__spirv_BuiltInSubgroupLocalInvocationIdv()
  %p31 = getelementptr i32, ptr addrspace(1) %row, i64 31
  store i32 %e31, ptr addrspace(1) %p31, align 4
  br label %loop

loop:                                             ; preds = %loop, %entry
  %d = phi i32 [ 0, %entry ], [ %next, %loop ]
  %id = call i64 @_Z13get_global_idj(i32 %d)
  %id.32 = trunc i64 %id to i32
  %place = getelementptr i32, ptr addrspace(1) %row, i32 %d
  store i32 %id.32, ptr addrspace(1) %place, align 4
  %next = add i32 %d, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %done

done:                                             ; preds = %loop
  ret void
}

attributes #0 = { noinline nounwind }
attributes #1 = { noinline nounwind "VCFunction" }
