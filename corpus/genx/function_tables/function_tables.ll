; Functions called by addresses in tables: a constant one, also in a function with a stack, one of structures, one that the kernel
; changes, and one in private memory.
;! global 8
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;! unlike bmg lnl ptl
;= def expect(args):
;=     M = 2**32
;=     steps = [lambda x: x * 5 % M, lambda x: x ^ 51, lambda x: (x + 1000) % M, lambda x: ~x % M]
;=     o = []
;=     for g in range(8):
;=         for x in args[0][8 * g:8 * g + 8]:
;=             # By the table, twice; by the structures; by the changed table; from memory.
;=             x = steps[(g + 1) % 4](steps[g % 4](x))
;=             x = (steps[1](x) + 7 if g % 2 else steps[0](x) + 9) % M
;=             x = steps[3 if g % 2 else 2](x)
;=             o.append(steps[g % 4](x))
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

%entry = type { i32, <8 x i32> (<8 x i32>)* }

@steps = internal constant [4 x <8 x i32> (<8 x i32>)*] [<8 x i32> (<8 x i32>)* @five, <8 x i32> (<8 x i32>)* @flip, <8 x i32> (<8 x i32>)* @more, <8 x i32> (<8 x i32>)* @not]
@pairs = internal constant [2 x %entry] [%entry { i32 9, <8 x i32> (<8 x i32>)* @five }, %entry { i32 7, <8 x i32> (<8 x i32>)* @flip }]
@changed = internal global [2 x <8 x i32> (<8 x i32>)*] [<8 x i32> (<8 x i32>)* @five, <8 x i32> (<8 x i32>)* @not] #2
@there = internal constant [4 x <8 x i32> (<8 x i32>)*] [<8 x i32> (<8 x i32>)* @five, <8 x i32> (<8 x i32>)* @flip, <8 x i32> (<8 x i32>)* @more, <8 x i32> (<8 x i32>)* @not]

declare i32 @llvm.genx.group.id.x()
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)

define internal spir_func <8 x i32> @five(<8 x i32> %x) #1 {
  %r = mul <8 x i32> %x, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  ret <8 x i32> %r
}
define internal spir_func <8 x i32> @flip(<8 x i32> %x) #1 {
  %r = xor <8 x i32> %x, <i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51, i32 51>
  ret <8 x i32> %r
}
define internal spir_func <8 x i32> @more(<8 x i32> %x) #1 {
  %r = add <8 x i32> %x, <i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000>
  ret <8 x i32> %r
}
define internal spir_func <8 x i32> @not(<8 x i32> %x) #1 {
  %r = xor <8 x i32> %x, <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
  ret <8 x i32> %r
}
; The entry of a number, by the table.
define internal spir_func <8 x i32> @step(<8 x i32> %x, i32 %n) #1 {
  %which = and i32 %n, 3
  %at = getelementptr [4 x <8 x i32> (<8 x i32>)*], [4 x <8 x i32> (<8 x i32>)*]* @steps, i32 0, i32 %which
  %f = load <8 x i32> (<8 x i32>)*, <8 x i32> (<8 x i32>)** %at, align 8
  %r = call spir_func <8 x i32> %f(<8 x i32> %x)
  ret <8 x i32> %r
}
define spir_kernel void @function_tables(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 32
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %a.at)
  %which = and i32 %group, 3
  %at = getelementptr [4 x <8 x i32> (<8 x i32>)*], [4 x <8 x i32> (<8 x i32>)*]* @steps, i32 0, i32 %which
  %f = load <8 x i32> (<8 x i32>)*, <8 x i32> (<8 x i32>)** %at, align 8
  %once = call spir_func <8 x i32> %f(<8 x i32> %x)
  %n = add i32 %group, 1
  %twice = call spir_func <8 x i32> @step(<8 x i32> %once, i32 %n)
  %bit = and i32 %group, 1
  %number.at = getelementptr [2 x %entry], [2 x %entry]* @pairs, i32 0, i32 %bit, i32 0
  %number = load i32, i32* %number.at, align 8
  %pair.at = getelementptr [2 x %entry], [2 x %entry]* @pairs, i32 0, i32 %bit, i32 1
  %pair = load <8 x i32> (<8 x i32>)*, <8 x i32> (<8 x i32>)** %pair.at, align 8
  %by.pair = call spir_func <8 x i32> %pair(<8 x i32> %twice)
  %one = insertelement <8 x i32> undef, i32 %number, i32 0
  %all = shufflevector <8 x i32> %one, <8 x i32> undef, <8 x i32> zeroinitializer
  %sum = add <8 x i32> %by.pair, %all
  %first = getelementptr [2 x <8 x i32> (<8 x i32>)*], [2 x <8 x i32> (<8 x i32>)*]* @changed, i32 0, i32 0
  store <8 x i32> (<8 x i32>)* @more, <8 x i32> (<8 x i32>)** %first, align 8
  %changed.at = getelementptr [2 x <8 x i32> (<8 x i32>)*], [2 x <8 x i32> (<8 x i32>)*]* @changed, i32 0, i32 %bit
  %g = load <8 x i32> (<8 x i32>)*, <8 x i32> (<8 x i32>)** %changed.at, align 8
  %third = call spir_func <8 x i32> %g(<8 x i32> %sum)
  %there = ptrtoint [4 x <8 x i32> (<8 x i32>)*]* @there to i64
  %by = mul i32 %which, 8
  %by.long = zext i32 %by to i64
  %place = add i64 %there, %by.long
  %pointer = inttoptr i64 %place to <8 x i32> (<8 x i32>)**
  %h = load <8 x i32> (<8 x i32>)*, <8 x i32> (<8 x i32>)** %pointer, align 8
  %r = call spir_func <8 x i32> %h(<8 x i32> %third)
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %o.at, <8 x i32> %r)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" "VCStackCall" }
attributes #2 = { "VCGlobalVariable" }
