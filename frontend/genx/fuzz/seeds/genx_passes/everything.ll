; A bit of everything that is supported.
source_filename = "everything"
target datalayout = "e-p:64:64-p3:32:32-i64:64-n8:16:32:64"
target triple = "spir64-unknown-unknown"

%pair = type { i32, <4 x float> }
%intel.buffer_rw_t = type opaque

@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4

declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32>, i32, i32, i32, i16, i32)
declare <16 x i32> @llvm.genx.wrregioni.v16i32.v8i32.i16.v8i1(<16 x i32>, <8 x i32>, i32, i32, i32, i16, i32, <8 x i1>)
declare { <32 x i1>, <8 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v8i1(<32 x i1>, <8 x i1>, <8 x i1>)
declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v8i1(<32 x i1>, <8 x i1>)
declare <8 x i32> @llvm.genx.svm.gather.v8i32.v8i1.v8i64(<8 x i1>, i32, <8 x i64>, <8 x i32>)
declare <8 x i32> @llvm.genx.gather.scaled.v8i32.v8i1.v8i32(<8 x i1>, i32, i16, i32, i32, <8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1.v8i32(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare i32 @llvm.genx.address.convert.i32.p1(%intel.buffer_rw_t addrspace(1)*)
declare <3 x i32> @llvm.genx.local.id.v3i32()
declare i1 @llvm.genx.any.v8i1(<8 x i1>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x i32> @llvm.genx.uuadd.sat.v8i32.v8i32(<8 x i32>, <8 x i32>)
declare void @llvm.genx.barrier()
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare i32 @llvm.ctlz.i32(i32, i1)

define internal spir_func { <8 x i32>, i1 } @helper(<8 x i32> %a, i32 %b) #1 {
  %s = insertelement <8 x i32> undef, i32 %b, i32 0
  %t = shufflevector <8 x i32> %s, <8 x i32> undef, <8 x i32> zeroinitializer
  %c = mul nsw <8 x i32> %a, %t
  %z = icmp eq i32 %b, 0
  %r = insertvalue { <8 x i32>, i1 } undef, <8 x i32> %c, 0
  %q = insertvalue { <8 x i32>, i1 } %r, i1 %z, 1
  ret { <8 x i32>, i1 } %q
}

define dllexport spir_kernel void @everything(i32 addrspace(1)* %p, %intel.buffer_rw_t addrspace(1)* %buf, i32 %n, <8 x float> %f, half %h) #0 {
entry:
  %array = alloca [8 x i32], align 32
  %flag = alloca i1
  store i1 true, i1* %flag
  %address = ptrtoint i32 addrspace(1)* %p to i64
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %address), !dbg !4
  %low = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %x, i32 4, i32 2, i32 1, i16 4, i32 undef)
  %call = call { <8 x i32>, i1 } @helper(<8 x i32> %low, i32 %n)
  %product = extractvalue { <8 x i32>, i1 } %call, 0
  %zero = extractvalue { <8 x i32>, i1 } %call, 1
  %slot = getelementptr inbounds [8 x i32], [8 x i32]* %array, i32 0, i32 %n
  store i32 7, i32* %slot
  %slot2 = getelementptr inbounds [8 x i32], [8 x i32]* %array, i32 0, i32 2
  %seven = load i32, i32* %slot2
  %c = icmp sgt <8 x i32> %product, <i32 0, i32 1, i32 2, i32 -3, i32 4, i32 5, i32 6, i32 7>
  %goto = call { <32 x i1>, <8 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v8i1(<32 x i1> splat (i1 true), <8 x i1> zeroinitializer, <8 x i1> %c)
  %em = extractvalue { <32 x i1>, <8 x i1>, i1 } %goto, 0
  %rm = extractvalue { <32 x i1>, <8 x i1>, i1 } %goto, 1
  %none = extractvalue { <32 x i1>, <8 x i1>, i1 } %goto, 2
  br i1 %none, label %join, label %then
then:
  %fm = call <8 x float> @llvm.fma.v8f32(<8 x float> %f, <8 x float> %f, <8 x float> splat (float 0x3FF8000000000000))
  %fi = fptosi <8 x float> %fm to <8 x i32>
  %m = shufflevector <32 x i1> %em, <32 x i1> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %w = call <16 x i32> @llvm.genx.wrregioni.v16i32.v8i32.i16.v8i1(<16 x i32> %x, <8 x i32> %fi, i32 8, i32 8, i32 2, i16 4, i32 undef, <8 x i1> %m)
  br label %join
join:
  %v = phi <16 x i32> [ %x, %entry ], [ %w, %then ]
  %joined = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v8i1(<32 x i1> %em, <8 x i1> %rm)
  %surface = call i32 @llvm.genx.address.convert.i32.p1(%intel.buffer_rw_t addrspace(1)* %buf)
  %offsets = shl <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, splat (i32 2)
  %g = call <8 x i32> @llvm.genx.gather.scaled.v8i32.v8i1.v8i32(<8 x i1> %c, i32 2, i16 0, i32 %surface, i32 0, <8 x i32> %offsets, <8 x i32> undef)
  %old = call <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1.v8i32(<8 x i1> splat (i1 true), i32 %surface, <8 x i32> %offsets, <8 x i32> %g, <8 x i32> undef)
  %sat = call <8 x i32> @llvm.genx.uuadd.sat.v8i32.v8i32(<8 x i32> %old, <8 x i32> %product)
  %wide = zext <8 x i32> %offsets to <8 x i64>
  %base = insertelement <8 x i64> undef, i64 %address, i32 0
  %bases = shufflevector <8 x i64> %base, <8 x i64> undef, <8 x i32> zeroinitializer
  %addresses = add <8 x i64> %bases, %wide
  %svm = call <8 x i32> @llvm.genx.svm.gather.v8i32.v8i1.v8i64(<8 x i1> %c, i32 0, <8 x i64> %addresses, <8 x i32> %sat)
  call void @llvm.genx.barrier()
  br label %loop
loop:
  %i = phi i32 [ 0, %join ], [ %i.next, %loop ]
  %acc = phi <8 x i32> [ %svm, %join ], [ %acc.next, %loop ]
  %id = call <3 x i32> @llvm.genx.local.id.v3i32()
  %id.x = extractelement <3 x i32> %id, i32 0
  %over = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %i, i32 1)
  %i.next = extractvalue { i32, i1 } %over, 0
  %sum = add i32 %id.x, %seven
  %element = extractelement <8 x i32> %acc, i32 %i
  %lz = call i32 @llvm.ctlz.i32(i32 %element, i1 false)
  %both = xor i32 %sum, %lz
  %acc.next = insertelement <8 x i32> %acc, i32 %both, i32 %i
  %done = icmp uge i32 %i.next, %n
  br i1 %done, label %after, label %loop
after:
  %rest = load i1, i1* %flag
  %pick = select i1 %rest, <8 x i32> %acc.next, <8 x i32> %old
  switch i32 %n, label %end [
    i32 1, label %one
    i32 2, label %one
  ]
one:
  %half = fpext half %h to float
  %bits = bitcast float %half to i32
  br label %end
end:
  %last = phi i32 [ 3, %after ], [ %bits, %one ]
  %head = shufflevector <8 x i32> %pick, <8 x i32> %product, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 undef>
  %final = insertelement <16 x i32> %head, i32 %last, i32 15
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %address, <16 x i32> %final)
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" "VCSLMSize"="1024" }
attributes #1 = { noinline nounwind "VCFunction" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, isOptimized: false, emissionKind: FullDebug)
!2 = !DIFile(filename: "everything.c", directory: "/")
!3 = distinct !DISubprogram(name: "everything", scope: !2, file: !2, line: 1, unit: !1, flags: DIFlagPrototyped | DIFlagArtificial)
!4 = !DILocation(line: 12, column: 3, scope: !3)
