; Elements at variable places of vectors of 33, 48 and 100 i1: read, and written.
;! global 4
;! local 1
;! in a u32 404 bits 8
;! out o u32 12
;= def expect(args):
;=     a, o = args[0], []
;=     for g in range(4):
;=         for n in (33, 48, 100):
;=             x = [int(v > 100) for v in a[g:g + n]]
;=             at, to = (a[g] * 7) % n, (a[g + 1] * 5) % n
;=             found = x[at]
;=             x[to] = 1 - found
;=             o.append(found | x[(at + to) % n] << 1 | x[to] << 2)
;=     return {1: o}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

declare i32 @llvm.genx.group.id.x()

define dllexport spir_kernel void @wide_predicates(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %base = getelementptr i32, i32 addrspace(1)* %a, i32 %group
  %first = load i32, i32 addrspace(1)* %base, align 4
  %next = getelementptr i32, i32 addrspace(1)* %base, i32 1
  %second = load i32, i32 addrspace(1)* %next, align 4
  %f7 = mul i32 %first, 7
  %s5 = mul i32 %second, 5
  %row = mul i32 %group, 3
  %p33 = bitcast i32 addrspace(1)* %base to <33 x i32> addrspace(1)*
  %v33 = load <33 x i32>, <33 x i32> addrspace(1)* %p33, align 4
  %x33 = icmp ugt <33 x i32> %v33, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %at33 = urem i32 %f7, 33
  %to33 = urem i32 %s5, 33
  %found33 = extractelement <33 x i1> %x33, i32 %at33
  %other33 = xor i1 %found33, true
  %y33 = insertelement <33 x i1> %x33, i1 %other33, i32 %to33
  %both33 = add i32 %at33, %to33
  %third33 = urem i32 %both33, 33
  %c33 = extractelement <33 x i1> %y33, i32 %third33
  %d33 = extractelement <33 x i1> %y33, i32 %to33
  %fz33 = zext i1 %found33 to i32
  %cz33 = zext i1 %c33 to i32
  %dz33 = zext i1 %d33 to i32
  %c133 = shl i32 %cz33, 1
  %d233 = shl i32 %dz33, 2
  %e33 = or i32 %fz33, %c133
  %r33 = or i32 %e33, %d233
  %place33 = add i32 %row, 0
  %q33 = getelementptr i32, i32 addrspace(1)* %o, i32 %place33
  store i32 %r33, i32 addrspace(1)* %q33, align 4
  %p48 = bitcast i32 addrspace(1)* %base to <48 x i32> addrspace(1)*
  %v48 = load <48 x i32>, <48 x i32> addrspace(1)* %p48, align 4
  %x48 = icmp ugt <48 x i32> %v48, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %at48 = urem i32 %f7, 48
  %to48 = urem i32 %s5, 48
  %found48 = extractelement <48 x i1> %x48, i32 %at48
  %other48 = xor i1 %found48, true
  %y48 = insertelement <48 x i1> %x48, i1 %other48, i32 %to48
  %both48 = add i32 %at48, %to48
  %third48 = urem i32 %both48, 48
  %c48 = extractelement <48 x i1> %y48, i32 %third48
  %d48 = extractelement <48 x i1> %y48, i32 %to48
  %fz48 = zext i1 %found48 to i32
  %cz48 = zext i1 %c48 to i32
  %dz48 = zext i1 %d48 to i32
  %c148 = shl i32 %cz48, 1
  %d248 = shl i32 %dz48, 2
  %e48 = or i32 %fz48, %c148
  %r48 = or i32 %e48, %d248
  %place48 = add i32 %row, 1
  %q48 = getelementptr i32, i32 addrspace(1)* %o, i32 %place48
  store i32 %r48, i32 addrspace(1)* %q48, align 4
  %p100 = bitcast i32 addrspace(1)* %base to <100 x i32> addrspace(1)*
  %v100 = load <100 x i32>, <100 x i32> addrspace(1)* %p100, align 4
  %x100 = icmp ugt <100 x i32> %v100, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %at100 = urem i32 %f7, 100
  %to100 = urem i32 %s5, 100
  %found100 = extractelement <100 x i1> %x100, i32 %at100
  %other100 = xor i1 %found100, true
  %y100 = insertelement <100 x i1> %x100, i1 %other100, i32 %to100
  %both100 = add i32 %at100, %to100
  %third100 = urem i32 %both100, 100
  %c100 = extractelement <100 x i1> %y100, i32 %third100
  %d100 = extractelement <100 x i1> %y100, i32 %to100
  %fz100 = zext i1 %found100 to i32
  %cz100 = zext i1 %c100 to i32
  %dz100 = zext i1 %d100 to i32
  %c1100 = shl i32 %cz100, 1
  %d2100 = shl i32 %dz100, 2
  %e100 = or i32 %fz100, %c1100
  %r100 = or i32 %e100, %d2100
  %place100 = add i32 %row, 2
  %q100 = getelementptr i32, i32 addrspace(1)* %o, i32 %place100
  store i32 %r100, i32 addrspace(1)* %q100, align 4
  ret void
}

attributes #0 = { "VCFunction" }
