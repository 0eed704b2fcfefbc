target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

declare spir_func <16 x float> @_Z15__spirv_ocl_mixDv16_fS_S_(<16 x float>, <16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_cbrtDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_fdimDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_fmodDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_logbDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_pownDv16_fDv16_i(<16 x float>, <16 x i32>)

declare spir_func <16 x float> @_Z16__spirv_ocl_signDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z16__spirv_ocl_stepDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_acoshDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_asinhDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_atanhDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_cospiDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_hypotDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z17__spirv_ocl_ldexpDv16_fDv16_i(<16 x float>, <16 x i32>)

declare spir_func <16 x float> @_Z17__spirv_ocl_rootnDv16_fDv16_i(<16 x float>, <16 x i32>)

declare spir_func <16 x float> @_Z17__spirv_ocl_sinpiDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z18__spirv_ocl_acospiDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z18__spirv_ocl_asinpiDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z18__spirv_ocl_atanpiDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z18__spirv_ocl_maxmagDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z18__spirv_ocl_minmagDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z19__spirv_ocl_atan2piDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z19__spirv_ocl_degreesDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z19__spirv_ocl_radiansDv16_f(<16 x float>)

declare spir_func <16 x float> @_Z21__spirv_ocl_nextafterDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z21__spirv_ocl_remainderDv16_fS_(<16 x float>, <16 x float>)

declare spir_func <16 x float> @_Z22__spirv_ocl_smoothstepDv16_fS_S_(<16 x float>, <16 x float>, <16 x float>)

declare spir_func <16 x i32> @_Z17__spirv_ocl_ilogbDv16_f(<16 x float>)

declare spir_func <16 x i32> @_Z18__spirv_ocl_rotateDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z18__spirv_ocl_s_haddDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z18__spirv_ocl_u_haddDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z19__spirv_ocl_s_mul24Dv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z19__spirv_ocl_s_rhaddDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z19__spirv_ocl_u_rhaddDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z22__spirv_ocl_s_abs_diffDv16_iS_(<16 x i32>, <16 x i32>)

declare spir_func <16 x i32> @_Z22__spirv_ocl_u_abs_diffDv16_iS_(<16 x i32>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @functions_of_c(ptr addrspace(1) %a.p, ptr addrspace(1) %b.p, ptr addrspace(1) %f.p, ptr addrspace(1) %g.p, ptr addrspace(1) %i.p, ptr addrspace(1) %j.p, ptr addrspace(1) %o.p, ptr addrspace(1) %q.p) #0 {
  %a.at = ptrtoint ptr addrspace(1) %a.p to i64
  %a.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %a = bitcast <16 x i32> %a.w to <16 x float>
  %b.at = ptrtoint ptr addrspace(1) %b.p to i64
  %b.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %b.at)
  %b = bitcast <16 x i32> %b.w to <16 x float>
  %f.at = ptrtoint ptr addrspace(1) %f.p to i64
  %f.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %f.at)
  %f = bitcast <16 x i32> %f.w to <16 x float>
  %g.at = ptrtoint ptr addrspace(1) %g.p to i64
  %g.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %g.at)
  %g = bitcast <16 x i32> %g.w to <16 x float>
  %i.at = ptrtoint ptr addrspace(1) %i.p to i64
  %i.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %i.at)
  %i = bitcast <16 x i32> %i.w to <16 x float>
  %j.at = ptrtoint ptr addrspace(1) %j.p to i64
  %j.w = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %j.at)
  %j = bitcast <16 x i32> %j.w to <16 x float>
  %o.at = ptrtoint ptr addrspace(1) %o.p to i64
  %q.at = ptrtoint ptr addrspace(1) %q.p to i64
  %sinpi = call spir_func <16 x float> @_Z17__spirv_ocl_sinpiDv16_f(<16 x float> %a)
  %sinpi.o0.b = bitcast <16 x float> %sinpi to <16 x i32>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %sinpi.o0.b)
  %cospi = call spir_func <16 x float> @_Z17__spirv_ocl_cospiDv16_f(<16 x float> %a)
  %cospi.o1.b = bitcast <16 x float> %cospi to <16 x i32>
  %o.t1 = add i64 %o.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t1, <16 x i32> %cospi.o1.b)
  %asinh = call spir_func <16 x float> @_Z17__spirv_ocl_asinhDv16_f(<16 x float> %a)
  %asinh.o2.b = bitcast <16 x float> %asinh to <16 x i32>
  %o.t2 = add i64 %o.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t2, <16 x i32> %asinh.o2.b)
  %cbrt = call spir_func <16 x float> @_Z16__spirv_ocl_cbrtDv16_f(<16 x float> %a)
  %cbrt.o3.b = bitcast <16 x float> %cbrt to <16 x i32>
  %o.t3 = add i64 %o.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t3, <16 x i32> %cbrt.o3.b)
  %logb = call spir_func <16 x float> @_Z16__spirv_ocl_logbDv16_f(<16 x float> %a)
  %logb.o4.b = bitcast <16 x float> %logb to <16 x i32>
  %o.t4 = add i64 %o.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t4, <16 x i32> %logb.o4.b)
  %sign = call spir_func <16 x float> @_Z16__spirv_ocl_signDv16_f(<16 x float> %a)
  %sign.o5.b = bitcast <16 x float> %sign to <16 x i32>
  %o.t5 = add i64 %o.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t5, <16 x i32> %sign.o5.b)
  %degrees = call spir_func <16 x float> @_Z19__spirv_ocl_degreesDv16_f(<16 x float> %a)
  %degrees.o6.b = bitcast <16 x float> %degrees to <16 x i32>
  %o.t6 = add i64 %o.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t6, <16 x i32> %degrees.o6.b)
  %radians = call spir_func <16 x float> @_Z19__spirv_ocl_radiansDv16_f(<16 x float> %a)
  %radians.o7.b = bitcast <16 x float> %radians to <16 x i32>
  %o.t7 = add i64 %o.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t7, <16 x i32> %radians.o7.b)
  %atanpi = call spir_func <16 x float> @_Z18__spirv_ocl_atanpiDv16_f(<16 x float> %a)
  %atanpi.o8.b = bitcast <16 x float> %atanpi to <16 x i32>
  %o.t8 = add i64 %o.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t8, <16 x i32> %atanpi.o8.b)
  %asinpi = call spir_func <16 x float> @_Z18__spirv_ocl_asinpiDv16_f(<16 x float> %f)
  %asinpi.o9.b = bitcast <16 x float> %asinpi to <16 x i32>
  %o.t9 = add i64 %o.at, 576
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t9, <16 x i32> %asinpi.o9.b)
  %acospi = call spir_func <16 x float> @_Z18__spirv_ocl_acospiDv16_f(<16 x float> %f)
  %acospi.o10.b = bitcast <16 x float> %acospi to <16 x i32>
  %o.t10 = add i64 %o.at, 640
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t10, <16 x i32> %acospi.o10.b)
  %atanh = call spir_func <16 x float> @_Z17__spirv_ocl_atanhDv16_f(<16 x float> %f)
  %atanh.o11.b = bitcast <16 x float> %atanh to <16 x i32>
  %o.t11 = add i64 %o.at, 704
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t11, <16 x i32> %atanh.o11.b)
  %acosh = call spir_func <16 x float> @_Z17__spirv_ocl_acoshDv16_f(<16 x float> %g)
  %acosh.o12.b = bitcast <16 x float> %acosh to <16 x i32>
  %o.t12 = add i64 %o.at, 768
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t12, <16 x i32> %acosh.o12.b)
  %hypot = call spir_func <16 x float> @_Z17__spirv_ocl_hypotDv16_fS_(<16 x float> %a, <16 x float> %b)
  %hypot.o13.b = bitcast <16 x float> %hypot to <16 x i32>
  %o.t13 = add i64 %o.at, 832
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t13, <16 x i32> %hypot.o13.b)
  %fdim = call spir_func <16 x float> @_Z16__spirv_ocl_fdimDv16_fS_(<16 x float> %a, <16 x float> %b)
  %fdim.o14.b = bitcast <16 x float> %fdim to <16 x i32>
  %o.t14 = add i64 %o.at, 896
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t14, <16 x i32> %fdim.o14.b)
  %maxmag = call spir_func <16 x float> @_Z18__spirv_ocl_maxmagDv16_fS_(<16 x float> %a, <16 x float> %b)
  %maxmag.o15.b = bitcast <16 x float> %maxmag to <16 x i32>
  %o.t15 = add i64 %o.at, 960
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t15, <16 x i32> %maxmag.o15.b)
  %minmag = call spir_func <16 x float> @_Z18__spirv_ocl_minmagDv16_fS_(<16 x float> %a, <16 x float> %b)
  %minmag.o16.b = bitcast <16 x float> %minmag to <16 x i32>
  %o.t16 = add i64 %o.at, 1024
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t16, <16 x i32> %minmag.o16.b)
  %atan2pi = call spir_func <16 x float> @_Z19__spirv_ocl_atan2piDv16_fS_(<16 x float> %a, <16 x float> %b)
  %atan2pi.o17.b = bitcast <16 x float> %atan2pi to <16 x i32>
  %o.t17 = add i64 %o.at, 1088
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t17, <16 x i32> %atan2pi.o17.b)
  %nextafter = call spir_func <16 x float> @_Z21__spirv_ocl_nextafterDv16_fS_(<16 x float> %a, <16 x float> %b)
  %nextafter.o18.b = bitcast <16 x float> %nextafter to <16 x i32>
  %o.t18 = add i64 %o.at, 1152
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t18, <16 x i32> %nextafter.o18.b)
  %step = call spir_func <16 x float> @_Z16__spirv_ocl_stepDv16_fS_(<16 x float> %a, <16 x float> %b)
  %step.o19.b = bitcast <16 x float> %step to <16 x i32>
  %o.t19 = add i64 %o.at, 1216
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t19, <16 x i32> %step.o19.b)
  %fmod = call spir_func <16 x float> @_Z16__spirv_ocl_fmodDv16_fS_(<16 x float> %a, <16 x float> %b)
  %fmod.o20.b = bitcast <16 x float> %fmod to <16 x i32>
  %o.t20 = add i64 %o.at, 1280
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t20, <16 x i32> %fmod.o20.b)
  %remainder = call spir_func <16 x float> @_Z21__spirv_ocl_remainderDv16_fS_(<16 x float> %a, <16 x float> %b)
  %remainder.o21.b = bitcast <16 x float> %remainder to <16 x i32>
  %o.t21 = add i64 %o.at, 1344
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t21, <16 x i32> %remainder.o21.b)
  %mix = call spir_func <16 x float> @_Z15__spirv_ocl_mixDv16_fS_S_(<16 x float> %a, <16 x float> %b, <16 x float> %f)
  %mix.o22.b = bitcast <16 x float> %mix to <16 x i32>
  %o.t22 = add i64 %o.at, 1408
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t22, <16 x i32> %mix.o22.b)
  %smoothstep = call spir_func <16 x float> @_Z22__spirv_ocl_smoothstepDv16_fS_S_(<16 x float> %f, <16 x float> %g, <16 x float> %a)
  %smoothstep.o23.b = bitcast <16 x float> %smoothstep to <16 x i32>
  %o.t23 = add i64 %o.at, 1472
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t23, <16 x i32> %smoothstep.o23.b)
  %n = and <16 x i32> %i.w, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %n.1 = add <16 x i32> %n, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %n.2 = sub <16 x i32> %n, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %ldexp = call spir_func <16 x float> @_Z17__spirv_ocl_ldexpDv16_fDv16_i(<16 x float> %a, <16 x i32> %n.2)
  %ldexp.o24.b = bitcast <16 x float> %ldexp to <16 x i32>
  %o.t24 = add i64 %o.at, 1536
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t24, <16 x i32> %ldexp.o24.b)
  %pown = call spir_func <16 x float> @_Z16__spirv_ocl_pownDv16_fDv16_i(<16 x float> %a, <16 x i32> %n.2)
  %pown.o25.b = bitcast <16 x float> %pown to <16 x i32>
  %o.t25 = add i64 %o.at, 1600
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t25, <16 x i32> %pown.o25.b)
  %rootn = call spir_func <16 x float> @_Z17__spirv_ocl_rootnDv16_fDv16_i(<16 x float> %g, <16 x i32> %n.1)
  %rootn.o26.b = bitcast <16 x float> %rootn to <16 x i32>
  %o.t26 = add i64 %o.at, 1664
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.t26, <16 x i32> %rootn.o26.b)
  %ilogb = call spir_func <16 x i32> @_Z17__spirv_ocl_ilogbDv16_f(<16 x float> %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.at, <16 x i32> %ilogb)
  %s_hadd = call spir_func <16 x i32> @_Z18__spirv_ocl_s_haddDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t1 = add i64 %q.at, 64
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t1, <16 x i32> %s_hadd)
  %u_hadd = call spir_func <16 x i32> @_Z18__spirv_ocl_u_haddDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t2 = add i64 %q.at, 128
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t2, <16 x i32> %u_hadd)
  %s_rhadd = call spir_func <16 x i32> @_Z19__spirv_ocl_s_rhaddDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t3 = add i64 %q.at, 192
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t3, <16 x i32> %s_rhadd)
  %u_rhadd = call spir_func <16 x i32> @_Z19__spirv_ocl_u_rhaddDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t4 = add i64 %q.at, 256
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t4, <16 x i32> %u_rhadd)
  %s_abs_diff = call spir_func <16 x i32> @_Z22__spirv_ocl_s_abs_diffDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t5 = add i64 %q.at, 320
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t5, <16 x i32> %s_abs_diff)
  %u_abs_diff = call spir_func <16 x i32> @_Z22__spirv_ocl_u_abs_diffDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t6 = add i64 %q.at, 384
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t6, <16 x i32> %u_abs_diff)
  %rotate = call spir_func <16 x i32> @_Z18__spirv_ocl_rotateDv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t7 = add i64 %q.at, 448
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t7, <16 x i32> %rotate)
  %s_mul24 = call spir_func <16 x i32> @_Z19__spirv_ocl_s_mul24Dv16_iS_(<16 x i32> %i.w, <16 x i32> %j.w)
  %q.t8 = add i64 %q.at, 512
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %q.t8, <16 x i32> %s_mul24)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
