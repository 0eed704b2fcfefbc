"""A kernel with a fault of its own: faults.py KERNEL [EXIT]. Ends with an exit code, 0 if none is given, unless the driver tells of no fault, or of another."""
import sys

import numpy
import pyopencl as cl

SOURCE = """
kernel void outside(global int *a, int n) {
    int i = get_global_id(0);
    if (i == 5) a[i + n] = 7;
    else a[i] = i;
}
kernel void undefined(global int *a, int n) {
    int i = get_global_id(0), y;
    for (int k = 0; k < n; k++) y = (y >> 3) ^ k * i;
    a[i] = y + 1;
}
kernel void endless(global volatile int *a, int n) { while (a[0] == 0); }
"""
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, SOURCE).build("-g")
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
# The copy engine's queue: memory is freed without a wait for the queue with the fault.
cl.enqueue_copy(queue, buffer, numpy.zeros(64, numpy.int32))
kernel = getattr(program, sys.argv[1])
try:
    kernel(queue, (64,), (16,), buffer, numpy.int32(1 << 28 if sys.argv[1] == "outside" else 0))
    queue.finish()
except cl.RuntimeError as error:
    print(error)
    assert "OUT_OF_RESOURCES" in str(error)
    sys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
sys.exit("the driver told of no fault")
