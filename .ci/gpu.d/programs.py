"""Ways to make programs of OpenCL, and all that can be asked of them: programs.py MODULE, which is SPIR-V with a kernel `k`.

Prints what a program says of itself, its kernels and their results, a line each. The lines do not depend on who made the code.
"""
import sys

import numpy
import pyopencl as cl

SOURCE = """
#warning a warning
__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void first(global int *a, local int *l, constant float *c, int n) {
    l[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = l[31 - get_local_id(0)] * n + (int)c[get_local_id(0) & 3];
}
kernel void second(global const uint *restrict a, write_only image2d_t o, sampler_t s, ulong n) {
    int own[64];
    for (int i = 0; i < 64; i++) own[i] = a[i] + n;
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += own[(sum + i) & 63];
    write_imagei(o, (int2)(get_global_id(0), 0), (int4)(sum));
}
"""
LIBRARY = "int twice(int x) { return 2 * x; }\nint many(int n) { int s = 0; for (int i = 0; i < n; i++) s += twice(i); return s; }\n"
CALLER = "int many(int n);\nkernel void called(global int *a) { a[get_global_id(0)] = many(get_global_id(0)); }\n"


def asked(of, infos, *more):
    for name in sorted(name for name in dir(infos) if name.isupper()):
        # Handles, counts of references and devices, and what follows from the code.
        if name in ("CONTEXT", "REFERENCE_COUNT", "DEVICES", "BINARIES", "BINARY_SIZES", "SPILL_MEM_SIZE_INTEL", "PROGRAM", "IL", "DEVICE"):
            continue
        try:
            value = of(*more, getattr(infos, name))
        except (cl.Error, ValueError, AttributeError) as error:
            value = f"error {getattr(error, 'code', type(error).__name__)}"
        print("  ", name, repr(value))


def describe(title, program, device):
    print(title)
    asked(program.get_info, cl.program_info)
    asked(program.get_build_info, cl.program_build_info, device)
    for kernel in sorted(program.all_kernels(), key=lambda kernel: kernel.function_name):
        print(" ", kernel.function_name)
        asked(kernel.get_info, cl.kernel_info)
        asked(kernel.get_work_group_info, cl.kernel_work_group_info, device)
        for number in range(kernel.num_args):
            asked(kernel.get_arg_info, cl.kernel_arg_info, number)


def main():
    context = cl.create_some_context(interactive=False)
    device, queue = context.devices[0], cl.CommandQueue(context)
    flags = cl.mem_flags

    def buffer(data):
        return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=data)

    def checked(title, made, expected):
        print(title, "right" if numpy.array_equal(made, expected) else f"wrong: {made}")

    numbers = numpy.arange(64, dtype=numpy.int32)
    program = cl.Program(context, SOURCE).build(["-cl-kernel-arg-info", "-cl-std=CL2.0"])
    describe("source", program, device)

    def first(program):
        a, c = buffer(numbers), buffer(numpy.arange(4, dtype=numpy.float32))
        program.first(queue, (64,), (32,), a, cl.LocalMemory(128), c, numpy.int32(5))
        out = numpy.empty_like(numbers)
        cl.enqueue_copy(queue, out, a)
        return out

    expected = numbers.reshape(2, 32)[:, ::-1].ravel() * 5 + numbers % 4
    checked("source", first(program), expected)
    again = cl.Program(context, [device], program.get_info(cl.program_info.BINARIES)).build()
    describe("binary", again, device)
    checked("binary", first(again), expected)

    parts = [cl.Program(context, text).compile() for text in (LIBRARY, CALLER)]
    linked = cl.link_program(context, parts)
    describe("linked", linked, device)
    a = buffer(numbers)
    linked.called(queue, (64,), None, a)
    out = numpy.empty_like(numbers)
    cl.enqueue_copy(queue, out, a)
    checked("linked", out, numbers * (numbers - 1))

    with open(sys.argv[1], "rb") as file:
        module = cl.Program(context, file.read()).build()
    describe("module", module, device)
    a = buffer(numbers)
    module.k(queue, (64,), None, a)
    cl.enqueue_copy(queue, out, a)
    checked("module", out, 3 * numbers + 1)

    try:
        cl.Program(context, "kernel void k(global int *a) { *a = none; }").build()
    except cl.RuntimeError as error:
        print("an error", "none" in str(error), error.code)

    # Kernels of the driver's own: fills and copies of parts.
    a = buffer(numpy.zeros(64, numpy.int32))
    cl.enqueue_fill_buffer(queue, a, numpy.int32(7), 4, 128)
    cl.enqueue_copy(queue, out, a)
    checked("fill", out, numpy.r_[0, numpy.full(32, 7), numpy.zeros(31)].astype(numpy.int32))
    source, target = buffer(numbers), buffer(numpy.zeros(64, numpy.int32))
    cl.enqueue_copy(queue, target, source, src_origin=(4, 1), dst_origin=(0, 0), region=(16, 4), src_pitches=(32,), dst_pitches=(32,))
    cl.enqueue_copy(queue, out, target)
    rows = numpy.zeros((8, 8), numpy.int32)
    rows[:4, :4] = numbers.reshape(8, 8)[1:5, 1:5]
    checked("rectangle", out, rows.ravel())


main()
