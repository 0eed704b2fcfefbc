; Conversions between integers of 64 bits and floats and halves, which round to the nearest and ties to even.
;! global 1
;! local 1
;! in x u64 16 list 0 1 4294967295 4294967296 16777217 281474993487872 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551488 33554435 144115200960757760 255 8589934591 9223372586610589697 9223372586610589696
;! in f f32 16 list 0.0 0.75 1.5 4294967040.0 4294967296.0 1e10 9.2233715e18 123456.78 16777216.0 3.0 65504.0 1e18 12.99 255.5 2147483648.0 1e15
;! out u f32 16
;! out s f32 16
;! out h f16 16
;! out p u64 16
;! out q u64 16
;= from fractions import Fraction
;= import struct
;= def near(n, digits, most):
;=     sign, m = (-1.0 if n < 0 else 1.0), abs(n)
;=     shift = max(m.bit_length() - digits, 0)
;=     whole, rest = m >> shift, m & (1 << shift) - 1
;=     half = 1 << shift >> 1
;=     whole += shift > 0 and (rest > half or rest == half and whole & 1)
;=     v = whole << shift
;=     return sign * (float("inf") if v >= most else float(v))
;= def f32(v):
;=     return struct.unpack("f", struct.pack("f", v))[0]
;= def signed(n):
;=     return n - 2**64 if n >> 63 else n
;= def expect(args):
;=     x, f = args[0], [f32(v) for v in args[1]]
;=     u = [near(n, 24, 2**128) for n in x]
;=     s = [near(signed(n), 24, 2**128) for n in x]
;=     h = [near(signed(n), 11, 65520) for n in x]
;=     p = [int(v) for v in f]
;=     q = [-int(v) % 2**64 for v in f]
;=     return {2: u, 3: s, 4: h, 5: p, 6: q}
target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "spir64-unknown-unknown"

define spir_kernel void @long_conversions(<16 x i64> addrspace(1)* %x.p, <16 x float> addrspace(1)* %f.p, <16 x float> addrspace(1)* %u, <16 x float> addrspace(1)* %s, <16 x half> addrspace(1)* %h, <16 x i64> addrspace(1)* %p, <16 x i64> addrspace(1)* %q) #0 {
  %x = load <16 x i64>, <16 x i64> addrspace(1)* %x.p, align 8
  %f = load <16 x float>, <16 x float> addrspace(1)* %f.p, align 4
  %as.u = uitofp <16 x i64> %x to <16 x float>
  store <16 x float> %as.u, <16 x float> addrspace(1)* %u, align 4
  %as.s = sitofp <16 x i64> %x to <16 x float>
  store <16 x float> %as.s, <16 x float> addrspace(1)* %s, align 4
  %as.h = sitofp <16 x i64> %x to <16 x half>
  store <16 x half> %as.h, <16 x half> addrspace(1)* %h, align 2
  %as.p = fptoui <16 x float> %f to <16 x i64>
  store <16 x i64> %as.p, <16 x i64> addrspace(1)* %p, align 8
  %minus = fneg <16 x float> %f
  %as.q = fptosi <16 x float> %minus to <16 x i64>
  store <16 x i64> %as.q, <16 x i64> addrspace(1)* %q, align 8
  ret void
}

attributes #0 = { noinline nounwind "VCFunction" }
