target triple = "spir64-unknown-unknown"

define spir_kernel void @k(<2049 x i32> addrspace(1)* %p) #0 {
  %a = load <2049 x i32>, <2049 x i32> addrspace(1)* %p
  %b = add <2049 x i32> %a, %a
  store <2049 x i32> %b, <2049 x i32> addrspace(1)* %p
  ret void
}
attributes #0 = { "VCFunction" }
