; Allocations whose addresses are used: passed to a function, put into a vector of addresses, chosen by a select.
;! global 4
;! local 1
;! in a u32 64 bits 32
;! out o u32 64
;= def expect(args):
;=     out, a = [], args[0]
;=     for g in range(4):
;=         x = a[16 * g:16 * g + 16]
;=         x[1] = (x[1] + x[14]) % 2**32
;=         x[5] = 77
;=         x[8] = x[8] ^ 0x55 if g & 1 else x[8]
;=         out += [(v + 1) % 2**32 for v in x]
;=     return {1: out}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare void @llvm.genx.svm.scatter.v1i1.v1i64.v1i32(<1 x i1>, i32, <1 x i64>, <1 x i32>)

define internal spir_func void @add_to(i32* %to, i32* %from) #1 {
  %x = load i32, i32* %to, align 4
  %y = load i32, i32* %from, align 4
  %s = add i32 %x, %y
  store i32 %s, i32* %to, align 4
  ret void
}
define spir_kernel void @private_memory(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %array = alloca [16 x i32], align 64
  %spare = alloca i32, align 4
  %group = call i32 @llvm.genx.group.id.x()
  %bytes = mul i32 %group, 64
  %offset = zext i32 %bytes to i64
  %a.at.base = ptrtoint i32 addrspace(1)* %a to i64
  %a.at = add i64 %a.at.base, %offset
  %o.at.base = ptrtoint i32 addrspace(1)* %o to i64
  %o.at = add i64 %o.at.base, %offset
  %x = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a.at)
  %whole = bitcast [16 x i32]* %array to <16 x i32>*
  store <16 x i32> %x, <16 x i32>* %whole, align 64
  %one = getelementptr inbounds [16 x i32], [16 x i32]* %array, i32 0, i32 1
  %other = getelementptr inbounds [16 x i32], [16 x i32]* %array, i32 0, i32 14
  call spir_func void @add_to(i32* %one, i32* %other)
  %five = getelementptr inbounds [16 x i32], [16 x i32]* %array, i64 0, i64 5
  %five.at = ptrtoint i32* %five to i64
  %five.places = insertelement <1 x i64> undef, i64 %five.at, i32 0
  call void @llvm.genx.svm.scatter.v1i1.v1i64.v1i32(<1 x i1> <i1 true>, i32 0, <1 x i64> %five.places, <1 x i32> <i32 77>)
  %eight = getelementptr inbounds [16 x i32], [16 x i32]* %array, i32 0, i32 8
  %old = load i32, i32* %eight, align 4
  %bit = and i32 %group, 1
  %odd = icmp ne i32 %bit, 0
  %chosen = select i1 %odd, i32* %eight, i32* %spare
  %new = xor i32 %old, 85
  store i32 %new, i32* %chosen, align 4
  %y = load <16 x i32>, <16 x i32>* %whole, align 64
  %r = add <16 x i32> %y, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %o.at, <16 x i32> %r)
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
attributes #1 = { noinline nounwind "VCFunction" }
