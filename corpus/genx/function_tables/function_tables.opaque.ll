target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

%entry = type { i32, ptr }

@steps = internal constant [4 x ptr] [ptr @five, ptr @flip, ptr @more, ptr @not]
@pairs = internal constant [2 x %entry] [%entry { i32 9, ptr @five }, %entry { i32 7, ptr @flip }]
@changed = internal global [2 x ptr] [ptr @five, ptr @not] #0
@there = internal constant [4 x ptr] [ptr @five, ptr @flip, ptr @more, ptr @not]

declare i32 @llvm.genx.group.id.x()

declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)

declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

; Function Attrs: noinline nounwind
define internal spir_func <8 x i32> @five(<8 x i32> %x) #1 {
  %r = mul <8 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  ret <8 x i32> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x i32> @flip(<8 x i32> %x) #1 {
  %r = xor <8 x i32> %x, <i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51>
  ret <8 x i32> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x i32> @more(<8 x i32> %x) #1 {
  %r = add <8 x i32> %x, <i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000>
  ret <8 x i32> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x i32> @not(<8 x i32> %x) #1 {
  %r = xor <8 x i32> %x, <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
  ret <8 x i32> %r
}

; Function Attrs: noinline nounwind
define internal spir_func <8 x i32> @step(<8 x i32> %x, i32 %n) #1 {
  %which = and i32 %n, 3
  %at = getelementptr [4 x ptr], ptr @steps, i32 0, i32 %which
  %f = load ptr, ptr %at, align 8
  %r = call spir_func <8 x i32> %f(<8 x i32> %x)
  ret <8 x i32> %r
}

; Function Attrs: noinline nounwind
define spir_kernel void @function_tables(ptr addrspace(1) %a, ptr addrspace(1) %o) #2 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint ptr addrspace(1) %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint ptr addrspace(1) %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %which = and i32 %group, 3
  %at = getelementptr [4 x ptr], ptr @steps, i32 0, i32 %which
  %f = load ptr, ptr %at, align 8
  %once = call spir_func <8 x i32> %f(<8 x i32> %x)
  %n = add i32 %group, 1
  %twice = call spir_func <8 x i32> @step(<8 x i32> %once, i32 %n)
  %bit = and i32 %group, 1
  %number.at = getelementptr [2 x %entry], ptr @pairs, i32 0, i32 %bit, i32 0
  %number = load i32, ptr %number.at, align 8
  %pair.at = getelementptr [2 x %entry], ptr @pairs, i32 0, i32 %bit, i32 1
  %pair = load ptr, ptr %pair.at, align 8
  %by.pair = call spir_func <8 x i32> %pair(<8 x i32> %twice)
  %one = insertelement <8 x i32> undef, i32 %number, i32 0
  %all = shufflevector <8 x i32> %one, <8 x i32> undef, <8 x i32> zeroinitializer
  %sum = add <8 x i32> %by.pair, %all
  %first = getelementptr [2 x ptr], ptr @changed, i32 0, i32 0
  store ptr @more, ptr %first, align 8
  %changed.at = getelementptr [2 x ptr], ptr @changed, i32 0, i32 %bit
  %g = load ptr, ptr %changed.at, align 8
  %third = call spir_func <8 x i32> %g(<8 x i32> %sum)
  %there = ptrtoint ptr @there to i64
  %by = mul i32 %which, 8
  %by.long = zext i32 %by to i64
  %place = add i64 %there, %by.long
  %pointer = inttoptr i64 %place to ptr
  %h = load ptr, ptr %pointer, align 8
  %r = call spir_func <8 x i32> %h(<8 x i32> %third)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %r)
  ret void
}

attributes #0 = { "VCGlobalVariable" }
attributes #1 = { noinline nounwind "VCFunction" "VCStackCall" }
attributes #2 = { noinline nounwind "VCFunction" }
