target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

define dllexport spir_kernel void @bits_in_memory(ptr addrspace(1) %a, ptr addrspace(1) %o) #0 {
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 0
  %p1 = bitcast ptr addrspace(1) %a1 to ptr addrspace(1)
  %x1 = load <1 x i1>, ptr addrspace(1) %p1, align 1
  %y1 = xor <1 x i1> %x1, zeroinitializer
  %o1 = getelementptr i8, ptr addrspace(1) %o, i64 0
  %q1 = bitcast ptr addrspace(1) %o1 to ptr addrspace(1)
  store <1 x i1> %y1, ptr addrspace(1) %q1, align 1
  %a3 = getelementptr i8, ptr addrspace(1) %a, i64 4
  %p3 = bitcast ptr addrspace(1) %a3 to ptr addrspace(1)
  %x3 = load <3 x i1>, ptr addrspace(1) %p3, align 1
  %y3 = xor <3 x i1> %x3, <i1 false, i1 true, i1 true>
  %o3 = getelementptr i8, ptr addrspace(1) %o, i64 4
  %q3 = bitcast ptr addrspace(1) %o3 to ptr addrspace(1)
  store <3 x i1> %y3, ptr addrspace(1) %q3, align 1
  %a9 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %p9 = bitcast ptr addrspace(1) %a9 to ptr addrspace(1)
  %x9 = load <9 x i1>, ptr addrspace(1) %p9, align 1
  %y9 = xor <9 x i1> %x9, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o9 = getelementptr i8, ptr addrspace(1) %o, i64 8
  %q9 = bitcast ptr addrspace(1) %o9 to ptr addrspace(1)
  store <9 x i1> %y9, ptr addrspace(1) %q9, align 1
  %a17 = getelementptr i8, ptr addrspace(1) %a, i64 13
  %p17 = bitcast ptr addrspace(1) %a17 to ptr addrspace(1)
  %x17 = load <17 x i1>, ptr addrspace(1) %p17, align 1
  %y17 = xor <17 x i1> %x17, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o17 = getelementptr i8, ptr addrspace(1) %o, i64 13
  %q17 = bitcast ptr addrspace(1) %o17 to ptr addrspace(1)
  store <17 x i1> %y17, ptr addrspace(1) %q17, align 1
  %a24 = getelementptr i8, ptr addrspace(1) %a, i64 19
  %p24 = bitcast ptr addrspace(1) %a24 to ptr addrspace(1)
  %x24 = load <24 x i1>, ptr addrspace(1) %p24, align 1
  %y24 = xor <24 x i1> %x24, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o24 = getelementptr i8, ptr addrspace(1) %o, i64 19
  %q24 = bitcast ptr addrspace(1) %o24 to ptr addrspace(1)
  store <24 x i1> %y24, ptr addrspace(1) %q24, align 1
  %a31 = getelementptr i8, ptr addrspace(1) %a, i64 25
  %p31 = bitcast ptr addrspace(1) %a31 to ptr addrspace(1)
  %x31 = load <31 x i1>, ptr addrspace(1) %p31, align 1
  %y31 = xor <31 x i1> %x31, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o31 = getelementptr i8, ptr addrspace(1) %o, i64 25
  %q31 = bitcast ptr addrspace(1) %o31 to ptr addrspace(1)
  store <31 x i1> %y31, ptr addrspace(1) %q31, align 1
  %a33 = getelementptr i8, ptr addrspace(1) %a, i64 32
  %p33 = bitcast ptr addrspace(1) %a33 to ptr addrspace(1)
  %x33 = load <33 x i1>, ptr addrspace(1) %p33, align 1
  %y33 = xor <33 x i1> %x33, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o33 = getelementptr i8, ptr addrspace(1) %o, i64 32
  %q33 = bitcast ptr addrspace(1) %o33 to ptr addrspace(1)
  store <33 x i1> %y33, ptr addrspace(1) %q33, align 1
  %a64 = getelementptr i8, ptr addrspace(1) %a, i64 40
  %p64 = bitcast ptr addrspace(1) %a64 to ptr addrspace(1)
  %x64 = load <64 x i1>, ptr addrspace(1) %p64, align 1
  %y64 = xor <64 x i1> %x64, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o64 = getelementptr i8, ptr addrspace(1) %o, i64 40
  %q64 = bitcast ptr addrspace(1) %o64 to ptr addrspace(1)
  store <64 x i1> %y64, ptr addrspace(1) %q64, align 1
  %a123 = getelementptr i8, ptr addrspace(1) %a, i64 51
  %p123 = bitcast ptr addrspace(1) %a123 to ptr addrspace(1)
  %x123 = load <123 x i1>, ptr addrspace(1) %p123, align 1
  %y123 = xor <123 x i1> %x123, <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o123 = getelementptr i8, ptr addrspace(1) %o, i64 51
  %q123 = bitcast ptr addrspace(1) %o123 to ptr addrspace(1)
  store <123 x i1> %y123, ptr addrspace(1) %q123, align 1
  ret void
}

attributes #0 = { "VCFunction" }
