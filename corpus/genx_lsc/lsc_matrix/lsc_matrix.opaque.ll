target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare void @llvm.genx.lsc.prefetch2d.stateless.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)

declare <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)

declare <64 x i32> @llvm.genx.lsc.load2d.stateless.v64i32.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)

declare <128 x i16> @llvm.genx.lsc.load2d.stateless.v128i16.i1.i64(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32)

declare void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32, <128 x i32>)

declare void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1, i8, i8, i8, i8, i8, i16, i16, i8, i64, i32, i32, i32, i32, i32, <64 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @lsc_matrix(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %a.at = ptrtoint ptr addrspace(1) %a to i64
  %o.at = ptrtoint ptr addrspace(1) %o to i64
  call void @llvm.genx.lsc.prefetch2d.stateless.i1.i64(i1 true, i8 2, i8 2, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 3, i32 2)
  %x = call <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 3, i32 2)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 0, i32 0, <128 x i32> %x)
  %y = call <128 x i32> @llvm.genx.lsc.load2d.stateless.v128i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 24, i32 12)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v128i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 16, i32 0, <128 x i32> %y)
  %z = call <64 x i32> @llvm.genx.lsc.load2d.stateless.v64i32.i1.i64(i1 true, i8 0, i8 0, i8 3, i8 2, i8 1, i16 8, i16 8, i8 0, i64 %a.at, i32 127, i32 15, i32 127, i32 4, i32 1)
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 8, i16 8, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 0, i32 8, <64 x i32> %z)
  %v = call <128 x i16> @llvm.genx.lsc.load2d.stateless.v128i16.i1.i64(i1 true, i8 0, i8 0, i8 2, i8 1, i8 1, i16 16, i16 8, i8 1, i64 %a.at, i32 127, i32 15, i32 127, i32 0, i32 0)
  %pairs = bitcast <128 x i16> %v to <64 x i32>
  call void @llvm.genx.lsc.store2d.stateless.i1.i64.v64i32(i1 true, i8 0, i8 0, i8 3, i8 1, i8 1, i16 16, i16 4, i8 0, i64 %o.at, i32 127, i32 15, i32 127, i32 16, i32 8, <64 x i32> %pairs)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
