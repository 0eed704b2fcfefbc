; All that a work-item knows of its place, in three dimensions.
;! global 4 6 4
;! local 2 3 2
;! out o u32 1536
;= def expect(args):
;=     o = []
;=     for n in range(96):
;=         x, y, z = n % 4, n // 4 % 6, n // 24
;=         o += [x // 2, y // 3, z // 2, 0, x % 2, y % 3, z % 2, 0, 2, 3, 2, 0, 2, 2, 2, n]
;=     return {0: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.group.id.y()
declare i32 @llvm.genx.group.id.z()
declare <3 x i32> @llvm.genx.local.id.v3i32()
declare <3 x i32> @llvm.genx.local.size.v3i32()
declare <3 x i32> @llvm.genx.group.count.v3i32()
declare <16 x i32> @llvm.genx.wrregioni.v16i32.v3i32.i16.i1(<16 x i32>, <3 x i32>, i32, i32, i32, i16, i32, i1)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

define spir_kernel void @places(i32 addrspace(1)* %o) #0 {
  %gx = call i32 @llvm.genx.group.id.x()
  %gy = call i32 @llvm.genx.group.id.y()
  %gz = call i32 @llvm.genx.group.id.z()
  %id = call <3 x i32> @llvm.genx.local.id.v3i32()
  %size = call <3 x i32> @llvm.genx.local.size.v3i32()
  %count = call <3 x i32> @llvm.genx.group.count.v3i32()
  %g0 = insertelement <3 x i32> undef, i32 %gx, i32 0
  %g1 = insertelement <3 x i32> %g0, i32 %gy, i32 1
  %g = insertelement <3 x i32> %g1, i32 %gz, i32 2
  %far = mul <3 x i32> %g, %size
  %global = add <3 x i32> %far, %id
  %whole = mul <3 x i32> %size, %count
  %x = extractelement <3 x i32> %global, i32 0
  %y = extractelement <3 x i32> %global, i32 1
  %z = extractelement <3 x i32> %global, i32 2
  %width = extractelement <3 x i32> %whole, i32 0
  %height = extractelement <3 x i32> %whole, i32 1
  %zh = mul i32 %z, %height
  %zhy = add i32 %zh, %y
  %row = mul i32 %zhy, %width
  %n = add i32 %row, %x
  %w0 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v3i32.i16.i1(<16 x i32> zeroinitializer, <3 x i32> %g, i32 0, i32 3, i32 1, i16 0, i32 undef, i1 true)
  %w1 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v3i32.i16.i1(<16 x i32> %w0, <3 x i32> %id, i32 0, i32 3, i32 1, i16 16, i32 undef, i1 true)
  %w2 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v3i32.i16.i1(<16 x i32> %w1, <3 x i32> %size, i32 0, i32 3, i32 1, i16 32, i32 undef, i1 true)
  %w3 = call <16 x i32> @llvm.genx.wrregioni.v16i32.v3i32.i16.i1(<16 x i32> %w2, <3 x i32> %count, i32 0, i32 3, i32 1, i16 48, i32 undef, i1 true)
  %w4 = insertelement <16 x i32> %w3, i32 %n, i32 15
  %bytes = shl i32 %n, 6
  %bytes.far = zext i32 %bytes to i64
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %bytes.far
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %w4)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
