"""Features of OpenCL on the first device, with results that numpy computes: features.py [OBJECT KERNEL]

With an object file, one more test: the driver loads it, and its kernel adds two buffers of floats to a third.
"""
import os
import sys
import threading
import traceback
from pathlib import Path

import numpy as np
import pyopencl as cl

READ_WRITE = cl.mem_flags.READ_WRITE
COPY = READ_WRITE | cl.mem_flags.COPY_HOST_PTR
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
device = context.devices[0]
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
random = np.random.default_rng(7)
TESTS = []


def test(function):
    TESTS.append(function)


def test_with_kernel(function):
    """Drivers of simulators have no clock."""
    if "SetCommandStreamReceiver" not in os.environ:
        TESTS.append(function)


def test_of_images(function):
    if device.image_support:
        TESTS.append(function)


def buffer(array):
    return cl.Buffer(context, COPY, hostbuf=array)


def kernel(source):
    return cl.Kernel(cl.Program(context, source).build(), "k")


def read(memory, array):
    cl.enqueue_copy(queue, array, memory)
    return array


@test
def threads():
    """Threads of the program with a queue each, which share the driver's connection to a simulator."""
    program, wrong = cl.Program(context, "kernel void k(global int *a, int n) { a[get_global_id(0)] += n; }").build(), []

    def work(number):
        own, add, array = cl.CommandQueue(context), cl.Kernel(program, "k"), np.arange(4096, dtype=np.int32)
        memory = buffer(array)
        for _ in range(10):
            add(own, array.shape, None, memory, np.int32(number))
            own.finish()
        result = np.empty_like(array)
        cl.enqueue_copy(own, result, memory)
        if not (result == array + 10 * number).all():
            wrong.append(number)
    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong


def image(array, order, kind):
    """An image of texels; the sizes are those of numpy, the fastest last."""
    sizes = array.shape if order == cl.channel_order.R else array.shape[:-1]
    shape = tuple(reversed(sizes))
    return cl.Image(context, COPY, cl.ImageFormat(order, kind), shape=shape, hostbuf=np.ascontiguousarray(array))


@test_with_kernel
def times_of_the_first_command():
    """The driver tells by the device's clock when a command was queued, also before it has first asked for it."""
    event = cl.enqueue_copy(queue, cl.Buffer(context, READ_WRITE, 4096), np.zeros(1024, np.uint32))
    event.wait()
    times = event.profile
    assert times.queued <= times.submit <= times.start < times.end


@test
def local_memory_and_barriers():
    given = random.integers(0, 1000, 8192, dtype=np.int32)
    sums = buffer(np.zeros(64, np.int32))
    kernel("""kernel void k(global int *a, global int *sums) {
        local int part[128];
        int l = get_local_id(0);
        part[l] = a[get_global_id(0)];
        for (int step = 64; step; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < step) part[l] += part[l + step];
        }
        if (l == 0) sums[get_group_id(0)] = part[0]; }""")(queue, (8192,), (128,), buffer(given), sums)
    assert (read(sums, np.zeros(64, np.int32)) == given.reshape(64, 128).sum(1)).all()


@test
def sizes_that_are_no_powers_of_two():
    out = buffer(np.zeros(9 * 15 * 21, np.uint32))
    kernel("""kernel void k(global uint *o) {
        uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
        o[(z * 15 + y) * 21 + x] = x + 100 * y + 10000 * z + 1000000 * (get_local_id(0) + get_local_id(1) + get_local_id(2)); }""")(
            queue, (21, 15, 9), (7, 5, 3), out)
    z, y, x = np.indices((9, 15, 21)).astype(np.uint32)
    expected = x + 100 * y + 10000 * z + 1000000 * (x % 7 + y % 5 + z % 3)
    assert (read(out, np.zeros_like(expected)) == expected).all()


@test
def private_arrays_and_spills():
    given = random.integers(0, 1 << 32, (64, 120), dtype=np.uint32)
    out = buffer(np.zeros(64, np.uint32))
    values = range(120)
    lines = [f"uint v{i} = a[g * 120 + {i}];" for i in values]
    lines += [f"v{i} = v{i * 11 % 120} * 7u + (v{(i + 3) % 120} ^ v{i});" for i in values]
    total = " ^ ".join(f"v{i}" for i in values)
    kernel("kernel void k(global uint *a, global uint *o) { uint t[32]; int g = get_global_id(0);" + "\n".join(lines)
           + f"for (int i = 0; i < 32; i++) t[i] = ({total}) * i; o[g] = t[a[g * 120] % 32] + t[(a[g * 120 + 1] + 5) % 32]; }}")(
               queue, (64,), (16,), buffer(given), out)
    v = [given[:, i].copy() for i in values]
    for i in values:
        v[i] = v[i * 11 % 120] * np.uint32(7) + (v[(i + 3) % 120] ^ v[i])
    total = np.bitwise_xor.reduce(v)
    expected = total * (given[:, 0] % 32) + total * ((given[:, 1] + np.uint32(5)) % 32)
    assert (read(out, np.zeros(64, np.uint32)) == expected).all()


@test
def atomic_operations():
    out = buffer(np.zeros(4, np.uint32))
    kernel("""kernel void k(global uint *o) { uint i = get_global_id(0);
        atomic_add(o, i); atomic_max(o + 1, i * 37 % 1009); atomic_inc(o + 2); atomic_xor(o + 3, i * 2654435761u); }""")(
            queue, (1000,), None, out)
    i = np.arange(1000, dtype=np.uint32)
    expected = [i.sum(), (i * 37 % 1009).max(), 1000, np.bitwise_xor.reduce(i * np.uint32(2654435761))]
    assert list(read(out, np.zeros(4, np.uint32))) == expected


@test_of_images
def pictures_in_every_size_of_texels():
    for bits in (8, 16, 32):
        kind = getattr(cl.channel_type, f"UNSIGNED_INT{bits}")
        for order, count in ((cl.channel_order.R, 1), (cl.channel_order.RGBA, 4)):
            shape = (67, 131) + ((count,) if count > 1 else ())
            given = random.integers(0, 1 << bits, shape, dtype=f"uint{bits}")
            source, target = image(given, order, kind), image(np.zeros_like(given), order, kind)
            kernel("""kernel void k(read_only image2d_t a, write_only image2d_t o) {
                const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imageui(o, p, read_imageui(a, s, (int2)(130 - p.x, p.y + 9))); }""")(queue, (131, 67), None, source, target)
            found = np.zeros_like(given)
            cl.enqueue_copy(queue, found, target, origin=(0, 0), region=(131, 67))
            rows = np.minimum(np.arange(67) + 9, 66)
            assert (found == given[rows][:, ::-1]).all(), (bits, count)


@test_of_images
def volumes():
    for bits in (8, 16, 32):
        kind = getattr(cl.channel_type, f"UNSIGNED_INT{bits}")
        given = random.integers(0, 1 << bits, (37, 41, 43), dtype=f"uint{bits}")
        out = buffer(np.zeros(given.shape, np.uint32))
        kernel("""kernel void k(read_only image3d_t a, global uint *o) {
            int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
            o[(p.z * 41 + p.y) * 43 + p.x] = read_imageui(a, p).x; }""")(queue, (43, 41, 37), None, image(given, cl.channel_order.R, kind), out)
        assert (read(out, np.zeros(given.shape, np.uint32)) == given).all(), bits


@test_of_images
def linear_filters():
    given = random.random((16, 16), np.float32)
    out = buffer(np.zeros((32, 32), np.float32))
    kernel("""kernel void k(read_only image2d_t a, global float *o) {
        const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP_TO_EDGE;
        int x = get_global_id(0), y = get_global_id(1);
        o[y * 32 + x] = read_imagef(a, s, (float2)((x + 0.5f) / 32, (y + 0.5f) / 32)).x; }""")(
            queue, (32, 32), None, image(given, cl.channel_order.R, cl.channel_type.FLOAT), out)
    at = (np.arange(32) + 0.5) / 2 - 0.5
    first = np.floor(at).astype(int)
    weight = at - first
    low, high = first.clip(0, 15), (first + 1).clip(0, 15)
    rows = given[low] * (1 - weight)[:, None] + given[high] * weight[:, None]
    expected = rows[:, low] * (1 - weight) + rows[:, high] * weight
    assert abs(read(out, np.zeros((32, 32), np.float32)) - expected).max() < 1 / 200


@test
def copies_and_fills():
    given = random.integers(0, 256, (48, 80), dtype=np.uint8)
    source, target = buffer(given), buffer(np.zeros((48, 80), np.uint8))
    cl.enqueue_fill_buffer(queue, target, np.uint16(0xbeef), 0, 48 * 80)
    cl.enqueue_copy(queue, target, source, src_origin=(5, 3), dst_origin=(17, 9), region=(31, 20), src_pitches=(80,), dst_pitches=(80,))
    expected = np.full((48, 40), 0xbeef, np.uint16).view(np.uint8).copy()
    expected[9:29, 17:48] = given[3:23, 5:36]
    assert (read(target, np.zeros((48, 80), np.uint8)) == expected).all()


@test
def vectors_of_all_sizes():
    """Channels with several elements each: in order, with some of them off, and in reverse."""
    for element, dtype in (("uint", np.uint32), ("ulong", np.uint64)):
        for size in (2, 3, 4, 8):
            given = random.integers(0, 1 << 32, (512, 4 if size == 3 else size), dtype=dtype)
            run = kernel(f"""kernel void k(global const {element}{size} *a, global {element}{size} *o, uint all, uint flip) {{
                uint i = get_global_id(0);
                if (i * 7 % 32 < all) o[i] = a[i ^ flip] + ({element})i; }}""")
            for on, flip in ((32, 0), (13, 0), (32, 31)):
                out = buffer(np.zeros_like(given))
                run(queue, (512,), (64,), buffer(given), out, np.uint32(on), np.uint32(flip))
                item = np.arange(512)
                expected = np.where((item * 7 % 32 < on)[:, None], given[item ^ flip] + item[:, None].astype(dtype), 0)
                assert (read(out, np.zeros_like(given))[:, :size] == expected[:, :size]).all(), (element, size, on, flip)


@test
def several_queues():
    given = np.arange(512, dtype=np.uint32)
    memory = buffer(given)
    add = kernel("kernel void k(global uint *a, uint n) { a[get_global_id(0)] = a[get_global_id(0)] * 3 + n; }")
    queues = [cl.CommandQueue(context) for _ in range(4)]
    event, expected = None, given
    for number in range(12):
        event = add(queues[number % 4], (512,), None, memory, np.uint32(number), wait_for=[event] if event else None)
        expected = expected * np.uint32(3) + np.uint32(number)
    for other in queues:
        other.finish()
    assert (read(memory, np.zeros(512, np.uint32)) == expected).all()


@test_with_kernel
def times_of_events():
    event = kernel("kernel void k(global uint *o) { uint s = 0; for (int i = 0; i < 2000; i++) s = s * 33 + i; o[get_global_id(0)] = s; }")(
        queue, (4096,), None, buffer(np.zeros(4096, np.uint32)))
    event.wait()
    times = event.profile
    assert times.queued <= times.submit <= times.start < times.end < times.queued + 10**11


@test
def shared_virtual_memory():
    memory = cl.SVM(cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, 300, np.uint32))
    with memory.map_rw(queue) as numbers:
        numbers[:] = np.arange(300)
    kernel("kernel void k(global uint *a) { a[get_global_id(0)] *= 5; }")(queue, (300,), None, memory)
    with memory.map_ro(queue) as numbers:
        assert (numbers == np.arange(300) * 5).all()


@test
def recursion():
    out = buffer(np.zeros(96, np.uint32))
    kernel("""__attribute__((noinline)) uint f(uint n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        kernel void k(global uint *o) { o[get_global_id(0)] = f(get_global_id(0) % 13); }""")(queue, (96,), None, out)
    numbers = [0, 1]
    while len(numbers) < 13:
        numbers.append(numbers[-1] + numbers[-2])
    assert list(read(out, np.zeros(96, np.uint32))) == [numbers[i % 13] for i in range(96)]


@test
def subgroup_operations():
    given = random.integers(0, 1000, 256, dtype=np.int32)
    out = buffer(np.zeros(256, np.int32))
    kernel("""__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *a, global int *o) {
        int i = get_global_id(0);
        o[i] = sub_group_scan_inclusive_add(a[i]) - intel_sub_group_shuffle(a[i], get_sub_group_local_id() ^ 5); }""")(
            queue, (256,), (64,), buffer(given), out)
    rows = given.reshape(16, 16)
    expected = rows.cumsum(1) - rows[:, np.arange(16) ^ 5]
    assert (read(out, np.zeros(256, np.int32)) == expected.ravel()).all()


@test
def groups_of_several_sizes():
    out = buffer(np.zeros((11, 37), np.int32))
    program = cl.Program(context, """kernel void k(global int *o) {
        int x = get_global_id(0), y = get_global_id(1);
        o[y * get_global_size(0) + x] = x + 100 * y + 10000 * get_local_size(0) + 1000000 * get_local_size(1)
            + 10000000 * get_group_id(0) + 100000000 * get_group_id(1); }""").build(["-cl-std=CL2.0"])
    whole = cl.Kernel(program, "k")
    whole.set_args(out)
    cl.enqueue_nd_range_kernel(queue, whole, (37, 11), (16, 4))
    y, x = np.indices((11, 37))
    widths, heights = np.where(x < 32, 16, 5), np.where(y < 8, 4, 3)
    expected = x + 100 * y + 10000 * widths + 1000000 * heights + 10000000 * (x // 16) + 100000000 * (y // 4)
    assert (read(out, np.zeros((11, 37), np.int32)) == expected).all()


def an_object(path, name):
    program = cl.Program(context, [device], [Path(path).read_bytes()]).build()
    a, b = random.random(5000, np.float32), random.random(5000, np.float32)
    out = buffer(np.zeros_like(a))
    cl.Kernel(program, name)(queue, (5000,), None, buffer(a), buffer(b), out)
    assert (read(out, np.zeros_like(a)) == a + b).all()


failed = []
tests = [(function.__name__, function) for function in TESTS]
if len(sys.argv) == 3:
    tests.insert(0, ("an object", lambda: an_object(*sys.argv[1:])))
for title, function in tests:
    try:
        function()
    except Exception:  # noqa: BLE001: each failure is reported, and the next test runs
        traceback.print_exc()
        failed.append(title)
print(f"{device.name}: {len(tests) - len(failed)} of {len(tests)}" + "".join(f", {name} failed" for name in failed))
sys.exit(bool(failed))
