target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <16 x i16> @llvm.genx.ssadd3.sat.v16i16.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)

declare <16 x i32> @llvm.genx.usadd3.sat.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i16>)

declare <16 x i32> @llvm.genx.ssmad.sat.v16i32.v16i16(<16 x i16>, <16 x i16>, <16 x i32>)

; Function Attrs: noinline nounwind
define spir_kernel void @sums_of_three(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %o, ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %a.at = getelementptr <16 x i32>, ptr addrspace(1) %a, i32 %group
  %b.at = getelementptr <16 x i32>, ptr addrspace(1) %b, i32 %group
  %c.at = getelementptr <16 x i32>, ptr addrspace(1) %c, i32 %group
  %o.at = getelementptr <16 x i32>, ptr addrspace(1) %o, i32 %group
  %p.at = getelementptr <16 x i32>, ptr addrspace(1) %p, i32 %group
  %q.at = getelementptr <16 x i32>, ptr addrspace(1) %q, i32 %group
  %x = load <16 x i32>, ptr addrspace(1) %a.at, align 64
  %y = load <16 x i32>, ptr addrspace(1) %b.at, align 64
  %z = load <16 x i32>, ptr addrspace(1) %c.at, align 64
  %x16 = trunc <16 x i32> %x to <16 x i16>
  %y16 = trunc <16 x i32> %y to <16 x i16>
  %z16 = trunc <16 x i32> %z to <16 x i16>
  %words = call <16 x i16> @llvm.genx.ssadd3.sat.v16i16.v16i32(<16 x i32> %x, <16 x i32> %y, <16 x i32> %z)
  %wide = zext <16 x i16> %words to <16 x i32>
  store <16 x i32> %wide, ptr addrspace(1) %o.at, align 64
  %sums = call <16 x i32> @llvm.genx.usadd3.sat.v16i32.v16i16(<16 x i16> %x16, <16 x i16> %y16, <16 x i16> %z16)
  store <16 x i32> %sums, ptr addrspace(1) %p.at, align 64
  %mads = call <16 x i32> @llvm.genx.ssmad.sat.v16i32.v16i16(<16 x i16> %x16, <16 x i16> %y16, <16 x i32> %z)
  store <16 x i32> %mads, ptr addrspace(1) %q.at, align 64
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
