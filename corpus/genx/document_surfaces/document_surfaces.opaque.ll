target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

declare <3 x i32> @llvm.genx.local.id.v3i32()

declare <16 x i32> @llvm.genx.oword.ld.v16i32(i32, i32, i32)

declare void @llvm.genx.oword.st.v16i32(i32, i32, <16 x i32>)

declare void @llvm.genx.fence(i8)

declare void @llvm.genx.barrier()

; Function Attrs: noinline nounwind
define internal <16 x i32> @twice(<16 x i32> %x) #0 {
  %double = shl <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %r = add <16 x i32> %double, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  ret <16 x i32> %r
}

; Function Attrs: noinline nounwind
define dllexport void @document_surfaces(i32 %a, i32 %o) #1 {
  %group = call i32 @llvm.genx.group.id.x()
  %id = call <3 x i32> @llvm.genx.local.id.v3i32()
  %item = extractelement <3 x i32> %id, i32 0
  %pair = shl i32 %group, 1
  %thread = add i32 %pair, %item
  %owords = shl i32 %thread, 2
  %x = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %a, i32 %owords)
  %y = call <16 x i32> @twice(<16 x i32> %x)
  %mine = shl i32 %item, 2
  call void @llvm.genx.oword.st.v16i32(i32 254, i32 %mine, <16 x i32> %y)
  call void @llvm.genx.fence(i8 33)
  call void @llvm.genx.barrier()
  %other = xor i32 %mine, 4
  %z = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 254, i32 %other)
  call void @llvm.genx.oword.st.v16i32(i32 %o, i32 %owords, <16 x i32> %z)
  ret void
}

attributes #0 = { noinline nounwind }
attributes #1 = { noinline nounwind "CMGenxMain" }

!genx.kernels = !{!0}

!0 = !{ptr @document_surfaces, !"document_surfaces", !"document_surfaces.asm", !1, i32 128, !2}
!1 = !{i32 2, i32 2}
!2 = !{i32 64, i32 68}
