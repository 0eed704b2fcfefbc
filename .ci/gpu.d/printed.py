"""Runs the kernel of runtime/tests/genx_printed on the first device: printed.py OBJECT. The driver prints its text."""
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
program = cl.Program(context, context.devices, [Path(sys.argv[1]).read_bytes()]).build()
kernel = cl.Kernel(program, "printed")
result = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
kernel.set_args(np.int32(7), np.int64(0x123456789AB), np.float32(3.140625), result)
cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
queue.finish()
