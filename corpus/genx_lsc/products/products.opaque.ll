target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare <128 x i32> @llvm.genx.dpas2.v128i32.v128i32.v128i32.v64i32(<128 x i32>, <128 x i32>, <64 x i32>, i32, i32, i32, i32, i32, i32)

declare <128 x i32> @llvm.genx.dpas.v128i32.v128i32.v64i32(<128 x i32>, <128 x i32>, <64 x i32>, i32)

declare <128 x i32> @llvm.genx.dpas.nosrc0.v128i32.v128i32.v64i32(<128 x i32>, <64 x i32>, i32)

declare <128 x float> @llvm.genx.dpas2.v128f32.v128f32.v128i32.v64i32(<128 x float>, <128 x i32>, <64 x i32>, i32, i32, i32, i32, i32, i32)

; Function Attrs: noinline nounwind
define spir_kernel void @products(ptr addrspace(1) %b, ptr addrspace(1) %a, ptr addrspace(1) %h, ptr addrspace(1) %g, ptr addrspace(1) %c, ptr addrspace(1) %o, ptr addrspace(1) %p, ptr addrspace(1) %f) #0 {
  %b.v = load <128 x i32>, ptr addrspace(1) %b, align 64
  %a.v = load <64 x i32>, ptr addrspace(1) %a, align 64
  %h.v = load <128 x i32>, ptr addrspace(1) %h, align 64
  %g.v = load <64 x i32>, ptr addrspace(1) %g, align 64
  %c.v = load <128 x i32>, ptr addrspace(1) %c, align 64
  %once = call <128 x i32> @llvm.genx.dpas2.v128i32.v128i32.v128i32.v64i32(<128 x i32> %c.v, <128 x i32> %b.v, <64 x i32> %a.v, i32 8, i32 8, i32 8, i32 8, i32 1, i32 1)
  %twice = call <128 x i32> @llvm.genx.dpas.v128i32.v128i32.v64i32(<128 x i32> %once, <128 x i32> %b.v, <64 x i32> %a.v, i32 134744072)
  %alone = call <128 x i32> @llvm.genx.dpas.nosrc0.v128i32.v128i32.v64i32(<128 x i32> %b.v, <64 x i32> %a.v, i32 134744072)
  %halves = call <128 x float> @llvm.genx.dpas2.v128f32.v128f32.v128i32.v64i32(<128 x float> zeroinitializer, <128 x i32> %h.v, <64 x i32> %g.v, i32 10, i32 10, i32 8, i32 8, i32 1, i32 1)
  store <128 x i32> %twice, ptr addrspace(1) %o, align 64
  store <128 x i32> %alone, ptr addrspace(1) %p, align 64
  store <128 x float> %halves, ptr addrspace(1) %f, align 64
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
