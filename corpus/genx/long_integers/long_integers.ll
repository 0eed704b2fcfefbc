; Integers of 128 and 256 bits, by which an optimizer moves parts of vectors and structures.
; The reference's path by SPIR-V has no such integers.
;! global 1
;! local 1
;! unlike
;! in a u32 8 bits 32
;! out o u32 16
;= def expect(args):
;=     m = (1 << 128) - 1
;=     w = sum(v << 32 * i for i, v in enumerate(args[0]))
;=     t = w >> 40 & m
;=     u = t >> 64 | t << 64 & m
;=     x = u & 0xffffffff | (u & 65535) << 96
;=     return {1: [x >> 32 * i & 0xffffffff for i in range(8)] + [t >> 32 * i & 0xffffffff for i in range(4)]
;=             + [t & 0xffffffff, t >> 32 & 1, u & 255, int(t != 0)]}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"
declare <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
define internal spir_func i128 @swap(i128 %x) #0 {
  %h = lshr i128 %x, 64
  %l = shl i128 %x, 64
  %r = or i128 %h, %l
  ret i128 %r
}
define spir_kernel void @long_integers(i32 addrspace(1)* %a, i32 addrspace(1)* %o) #0 {
  %p = ptrtoint i32 addrspace(1)* %a to i64
  %q = ptrtoint i32 addrspace(1)* %o to i64
  %x = call <8 x i32> @llvm.genx.svm.block.ld.unaligned.v8i32.i64(i64 %p)
  %w = bitcast <8 x i32> %x to i256
  %s = lshr i256 %w, 40
  %t = trunc i256 %s to i128
  %u = call spir_func i128 @swap(i128 %t)
  %c = icmp eq i128 %u, %t
  %m = select i1 %c, i128 %t, i128 %u
  %k = and i128 %m, 65535
  %n = trunc i128 %m to i32
  %n8 = trunc i128 %m to i8
  %z = zext i128 %k to i256
  %z2 = shl i256 %z, 96
  %y = zext i32 %n to i256
  %v = or i256 %z2, %y
  %d = bitcast i256 %v to <8 x i32>
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %q, <8 x i32> %d)
  %q2 = getelementptr i32, i32 addrspace(1)* %o, i64 8
  %q128 = bitcast i32 addrspace(1)* %q2 to i128 addrspace(1)*
  store i128 %t, i128 addrspace(1)* %q128, align 4
  %e = load i128, i128 addrspace(1)* %q128, align 4
  %f = trunc i128 %e to i33
  %g = zext i33 %f to i64
  %g1 = trunc i64 %g to i32
  %g2 = lshr i64 %g, 32
  %g3 = trunc i64 %g2 to i32
  %q4 = getelementptr i32, i32 addrspace(1)* %o, i64 12
  store i32 %g1, i32 addrspace(1)* %q4, align 4
  %q5 = getelementptr i32, i32 addrspace(1)* %o, i64 13
  store i32 %g3, i32 addrspace(1)* %q5, align 4
  %h = zext i8 %n8 to i32
  %q6 = getelementptr i32, i32 addrspace(1)* %o, i64 14
  store i32 %h, i32 addrspace(1)* %q6, align 4
  %cc = icmp ne i128 %t, 0
  %ccw = zext i1 %cc to i32
  %q7 = getelementptr i32, i32 addrspace(1)* %o, i64 15
  store i32 %ccw, i32 addrspace(1)* %q7, align 4
  ret void
}
attributes #0 = { noinline nounwind "VCFunction" }
