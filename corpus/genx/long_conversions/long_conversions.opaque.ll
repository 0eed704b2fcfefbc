target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

; Function Attrs: noinline nounwind
define spir_kernel void @long_conversions(ptr addrspace(1) %x.p, ptr addrspace(1) %f.p, ptr addrspace(1) %u, ptr addrspace(1) %s, ptr addrspace(1) %h, ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %x = load <16 x i64>, ptr addrspace(1) %x.p, align 8
  %f = load <16 x float>, ptr addrspace(1) %f.p, align 4
  %as.u = uitofp <16 x i64> %x to <16 x float>
  store <16 x float> %as.u, ptr addrspace(1) %u, align 4
  %as.s = sitofp <16 x i64> %x to <16 x float>
  store <16 x float> %as.s, ptr addrspace(1) %s, align 4
  %as.h = sitofp <16 x i64> %x to <16 x half>
  store <16 x half> %as.h, ptr addrspace(1) %h, align 2
  %as.p = fptoui <16 x float> %f to <16 x i64>
  store <16 x i64> %as.p, ptr addrspace(1) %p, align 8
  %minus = fneg <16 x float> %f
  %as.q = fptosi <16 x float> %minus to <16 x i64>
  store <16 x i64> %as.q, ptr addrspace(1) %q, align 8
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
