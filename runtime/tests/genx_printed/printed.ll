; A kernel that prints: each kind of conversion, texts that are chosen, a loop, a subroutine. printed.c has the same calls, and
; printed.txt their text; printed.spv was made by llvm-spirv-15.
target datalayout = "e-p:64:64-i64:64-n8:16:32:64"
target triple = "spir64-unknown-unknown"

@plain = internal addrspace(2) constant [24 x i8] c"100%% of %% is no %%d.\0A\00"
@ints = internal addrspace(2) constant [25 x i8] c"%d %5u %-6x|%#o %c %hhd\0A\00"
@longs = internal addrspace(2) constant [20 x i8] c"%ld %llu %#lX %20i\0A\00"
@floats = internal addrspace(2) constant [27 x i8] c"%f %e %G %a %+.3f %010.2f\0A\00"
@strings = internal addrspace(2) constant [18 x i8] c"[%s] [%10s] [%s]\0A\00"
@pointers = internal addrspace(2) constant [7 x i8] c"%p %p\0A\00"
@vectors = internal addrspace(2) constant [26 x i8] c"%v4d %.2v2f %v3hd %#v2lx\0A\00"
@round = internal addrspace(2) constant [14 x i8] c"round %d: %s\0A\00"
@called = internal addrspace(2) constant [20 x i8] c"called with %g, %u\0A\00"
@even = internal addrspace(2) constant [5 x i8] c"even\00"
@odd = internal addrspace(2) constant [4 x i8] c"odd\00"

declare spir_func i32 @printf(i8 addrspace(2)*, ...)

define internal spir_func void @report(float %x, i32 %n) noinline {
  %wide = fpext float %x to double
  %r = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([20 x i8], [20 x i8] addrspace(2)* @called, i64 0, i64 0), double %wide, i32 %n)
  ret void
}

define dllexport spir_kernel void @printed(i32 %n, i64 %l, float %f, i8 addrspace(1)* %out) #0 {
entry:
  %r0 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([24 x i8], [24 x i8] addrspace(2)* @plain, i64 0, i64 0))
  %negative = sub i32 0, %n
  %byte = trunc i32 %negative to i8
  %as.int = sext i8 %byte to i32
  %letter = add i32 %n, 58
  %r1 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([25 x i8], [25 x i8] addrspace(2)* @ints, i64 0, i64 0), i32 %negative, i32 %n, i32 %n, i32 %n, i32 %letter, i32 %as.int)
  %less = sub i64 0, %l
  %r2 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([20 x i8], [20 x i8] addrspace(2)* @longs, i64 0, i64 0), i64 %less, i64 %less, i64 %l, i32 %n)
  %wide = fpext float %f to double
  %h = fptrunc float %f to half
  %half = fpext half %h to double
  %r3 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([27 x i8], [27 x i8] addrspace(2)* @floats, i64 0, i64 0), double %wide, double 1.0e-10, double %half, double %wide, double %wide, double -2.5e3)
  %bit = and i32 %n, 1
  %is.odd = icmp ne i32 %bit, 0
  %chosen = select i1 %is.odd, i8 addrspace(2)* getelementptr ([4 x i8], [4 x i8] addrspace(2)* @odd, i64 0, i64 0), i8 addrspace(2)* getelementptr ([5 x i8], [5 x i8] addrspace(2)* @even, i64 0, i64 0)
  %tail = getelementptr i8, i8 addrspace(2)* %chosen, i32 1
  %r4 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([18 x i8], [18 x i8] addrspace(2)* @strings, i64 0, i64 0), i8 addrspace(2)* %chosen, i8 addrspace(2)* %tail, i8 addrspace(2)* null)
  %p = inttoptr i64 %l to i8 addrspace(1)*
  %r5 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([7 x i8], [7 x i8] addrspace(2)* @pointers, i64 0, i64 0), i8 addrspace(1)* %p, i8 addrspace(1)* null)
  %v0 = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %negative, i32 1
  %v1 = insertelement <2 x float> <float 0.5, float 0.25>, float %f, i32 0
  %short = trunc i32 %negative to i16
  %v2 = insertelement <3 x i16> <i16 1, i16 2, i16 3>, i16 %short, i32 2
  %v3 = insertelement <2 x i64> <i64 10, i64 11>, i64 %l, i32 1
  %r6 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([26 x i8], [26 x i8] addrspace(2)* @vectors, i64 0, i64 0), <4 x i32> %v0, <2 x float> %v1, <3 x i16> %v2, <2 x i64> %v3)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %name = phi i8 addrspace(2)* [ getelementptr ([5 x i8], [5 x i8] addrspace(2)* @even, i64 0, i64 0), %entry ], [ %other, %loop ]
  %other = phi i8 addrspace(2)* [ getelementptr ([4 x i8], [4 x i8] addrspace(2)* @odd, i64 0, i64 0), %entry ], [ %name, %loop ]
  %r7 = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([14 x i8], [14 x i8] addrspace(2)* @round, i64 0, i64 0), i32 %i, i8 addrspace(2)* %name)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  call spir_func void @report(float %f, i32 %n)
  %place = bitcast i8 addrspace(1)* %out to i32 addrspace(1)*
  store i32 %r7, i32 addrspace(1)* %place, align 4
  ret void
}

attributes #0 = { "VCFunction" }
