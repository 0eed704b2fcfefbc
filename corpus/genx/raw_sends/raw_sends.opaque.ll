target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1))

declare <8 x i32> @llvm.genx.r0.v8i32()

declare <16 x i32> @llvm.genx.raw.send2.v16i32.i1.v8i32(i8, i8, i1, i8, i8, i8, i32, i32, <8 x i32>, <16 x i32>)

declare void @llvm.genx.raw.sends2.noresult.i1.v8i32.v16i32(i8, i8, i1, i8, i8, i8, i32, i32, <8 x i32>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @raw_sends(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %owords = shl i32 %group, 2
  %in = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1intel.buffer_rw_t(ptr addrspace(1) %o)
  %r0 = call <8 x i32> @llvm.genx.r0.v8i32()
  %header = insertelement <8 x i32> %r0, i32 %owords, i32 2
  %read = add i32 %in, 36176640
  %x = call <16 x i32> @llvm.genx.raw.send2.v16i32.i1.v8i32(i8 0, i8 1, i1 true, i8 1, i8 2, i8 10, i32 10, i32 %read, <8 x i32> %header, <16 x i32> undef)
  %y = xor <16 x i32> %x, <i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119, i32 119>
  %write = add i32 %out, 34210560
  call void @llvm.genx.raw.sends2.noresult.i1.v8i32.v16i32(i8 0, i8 1, i1 true, i8 1, i8 2, i8 10, i32 138, i32 %write, <8 x i32> %header, <16 x i32> %y)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
