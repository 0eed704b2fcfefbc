target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <3 x i32> @llvm.genx.local.id.v3i32()

declare <3 x i32> @llvm.genx.local.size.v3i32()

declare void @llvm.genx.barrier()

declare void @llvm.genx.slm.init(i32)

declare void @llvm.genx.fence(i8)

declare <16 x i32> @llvm.genx.gather.scaled.v16i32.v16i1.v16i32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <16 x i32>)

declare void @llvm.genx.scatter.scaled.v16i1.v16i32.v16i32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <16 x i32>)

declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @neighbours(ptr addrspace(1) %out) #0 {
  call void @llvm.genx.slm.init(i32 256)
  %id = call <3 x i32> @llvm.genx.local.id.v3i32()
  %size = call <3 x i32> @llvm.genx.local.size.v3i32()
  %x = extractelement <3 x i32> %id, i32 0
  %y = extractelement <3 x i32> %id, i32 1
  %width = extractelement <3 x i32> %size, i32 0
  %row = mul i32 %y, %width
  %item = add i32 %row, %x
  %first = shl i32 %item, 4
  %one = insertelement <16 x i32> undef, i32 %first, i32 0
  %firsts = shufflevector <16 x i32> %one, <16 x i32> undef, <16 x i32> zeroinitializer
  %number = add <16 x i32> %firsts, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %square = mul <16 x i32> %number, %number
  %offset = shl <16 x i32> %number, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  call void @llvm.genx.scatter.scaled.v16i1.v16i32.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 2, i16 0, i32 254, i32 0, <16 x i32> %offset, <16 x i32> %square)
  call void @llvm.genx.fence(i8 33)
  call void @llvm.genx.barrier()
  %far = add <16 x i32> %offset, <i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80, i32 80>
  %there = and <16 x i32> %far, <i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255, i32 255>
  %other = call <16 x i32> @llvm.genx.gather.scaled.v16i32.v16i1.v16i32(<16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, i32 2, i16 0, i32 254, i32 0, <16 x i32> %there, <16 x i32> undef)
  %group = call i32 @llvm.genx.group.id.x()
  %apart = shl i32 %group, 6
  %place = add i32 %apart, %first
  %group.one = insertelement <16 x i32> undef, i32 %group, i32 0
  %groups = shufflevector <16 x i32> %group.one, <16 x i32> undef, <16 x i32> zeroinitializer
  %sum = add <16 x i32> %other, %groups
  %bytes = shl i32 %place, 2
  %far.bytes = zext i32 %bytes to i64
  %base = ptrtoint ptr addrspace(1) %out to i64
  %at = add i64 %base, %far.bytes
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %at, <16 x i32> %sum)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
