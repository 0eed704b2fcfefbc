; Blocks of two dimensions of an image: a picture whose rows are mixed with their neighbours.
;! global 2 2
;! local 1 1
;! image a image2d r32uint 16x8 bits 32
;! outimage o image2d r32uint 16x8
;= def expect(args):
;=     a = args[0]
;=     return {1: [(a[16 * y + x] + a[16 * (y ^ 1) + x]) % 2**32 for y in range(8) for x in range(16)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.group.id.y()
declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)*)
declare i32 @llvm.genx.address.convert.i32.p1opencl.image2d_wo_t(%opencl.image2d_wo_t addrspace(1)*)
declare <32 x i32> @llvm.genx.media.ld.v32i32(i32, i32, i32, i32, i32, i32)
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32>, <16 x i32>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.media.st.v32i32(i32, i32, i32, i32, i32, i32, <32 x i32>)

%opencl.image2d_ro_t = type opaque
%opencl.image2d_wo_t = type opaque

define spir_kernel void @media_blocks(%opencl.image2d_ro_t addrspace(1)* %a, %opencl.image2d_wo_t addrspace(1)* %o) #0 {
  %x = call i32 @llvm.genx.group.id.x()
  %y = call i32 @llvm.genx.group.id.y()
  %in = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_ro_t(%opencl.image2d_ro_t addrspace(1)* %a)
  %out = call i32 @llvm.genx.address.convert.i32.p1opencl.image2d_wo_t(%opencl.image2d_wo_t addrspace(1)* %o)
  %column = shl i32 %x, 5
  %row = shl i32 %y, 2
  %v = call <32 x i32> @llvm.genx.media.ld.v32i32(i32 0, i32 %in, i32 0, i32 32, i32 %column, i32 %row)
  %low = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %v, i32 16, i32 8, i32 1, i16 0, i32 undef)
  %high = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %v, i32 16, i32 8, i32 1, i16 32, i32 undef)
  %sum = add <16 x i32> %low, %high
  %first = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> undef, <16 x i32> %sum, i32 16, i32 8, i32 1, i16 0, i32 undef, i1 true)
  %both = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> %first, <16 x i32> %sum, i32 16, i32 8, i32 1, i16 32, i32 undef, i1 true)
  call void @llvm.genx.media.st.v32i32(i32 0, i32 %out, i32 0, i32 32, i32 %column, i32 %row, <32 x i32> %both)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
