"""Modules of Level Zero on the first device: modules.py MODULE LIBRARY, both SPIR-V

MODULE has kernels `fill`, `add` and `count`, a variable `counter`, and a kernel `called` that calls `many`, which LIBRARY defines. Each is built with
several flags and linked by the driver; results are those that Python computes. Structures and their types are those of ze_api.h.
"""
import ctypes as c
import sys
from pathlib import Path

ITEMS, GROUP, FOREVER = 256, 32, c.c_uint64(2**64 - 1)
FLAGS = (b"", b"-ze-opt-disable", b"-ze-opt-large-register-file", b"-ze-opt-level=O2 -cl-fast-relaxed-math")
loader = c.CDLL("libze_loader.so.1")
Handle, number = c.c_void_p, c.c_uint32


def call(name, *arguments):
    result = getattr(loader, name)(*arguments)
    if result:
        sys.exit(f"{name}: {result & 0xffffffff:#x}")


def made(name, *arguments):
    handle = Handle()
    call(name, *arguments, c.byref(handle))
    return handle


def first(name, *above):
    count = number(0)
    call(name, *above, c.byref(count), None)
    handles = (Handle * count.value)()
    call(name, *above, c.byref(count), handles)
    return Handle(handles[0])


def described(kind, **fields):
    """A description: its type, no extension, and fields as (type, value)."""
    head = [("kind", number), ("next", Handle)]
    description = type("Description", (c.Structure,), {"_fields_": head + [(name, of) for name, (of, _) in fields.items()]})
    return c.byref(description(kind, None, *(value for _, value in fields.values())))


call("zeInit", 0)
driver = first("zeDriverGet")
device = first("zeDeviceGet", driver)
context = made("zeContextCreate", driver, described(0xd, flags=(number, 0)))
commands = made("zeCommandListCreateImmediate", context, device, described(
    0xe, ordinal=(number, 0), index=(number, 0), flags=(number, 0), mode=(number, 1), priority=(number, 0)))
shared = Handle()
call("zeMemAllocShared", context, described(0x15, flags=(number, 0), ordinal=(number, 0)), described(0x16, flags=(number, 0)),
     c.c_size_t(4 * ITEMS), c.c_size_t(64), device, c.byref(shared))
values = c.cast(shared, c.POINTER(c.c_int32))


def module_of(path, flags):
    spirv = Path(path).read_bytes()
    memory = c.create_string_buffer(spirv, len(spirv))
    module, log = Handle(), Handle()
    call("zeModuleCreate", context, device, described(
        0x1b, format=(number, 0), size=(c.c_size_t, len(spirv)), data=(Handle, c.cast(memory, Handle)), options=(c.c_char_p, flags),
        constants=(Handle, None)), c.byref(module), c.byref(log))
    call("zeModuleBuildLogDestroy", log)
    return module


def launch(module, name, *more):
    kernel = made("zeKernelCreate", module, described(0x1d, flags=(number, 0), name=(c.c_char_p, name)))
    call("zeKernelSetGroupSize", kernel, GROUP, 1, 1)
    call("zeKernelSetArgumentValue", kernel, 0, c.c_size_t(8), c.byref(shared))
    for place, value in enumerate(more, 1):
        call("zeKernelSetArgumentValue", kernel, place, c.c_size_t(4), c.byref(c.c_int32(value)))
    call("zeCommandListAppendLaunchKernel", commands, kernel, (number * 3)(ITEMS // GROUP, 1, 1), None, 0, None)
    call("zeCommandListHostSynchronize", commands, FOREVER)
    call("zeKernelDestroy", kernel)
    return values[:ITEMS]


right = checks = 0


def check(what, condition):
    global right, checks
    right, checks = right + bool(condition), checks + 1
    if not condition:
        print(f"{what}: wrong", flush=True)


for flags in FLAGS:
    module, library = (module_of(path, flags + b" -library-compilation") for path in sys.argv[1:3])
    log = Handle()
    call("zeModuleDynamicLink", 2, (Handle * 2)(module, library), c.byref(log))
    names, count = (c.c_char_p * 16)(), number(16)
    call("zeModuleGetKernelNames", module, c.byref(count), names)
    kernels = sorted(name for name in names[:count.value] if not name.startswith(b"Intel_Symbol_Table"))
    check(f"{flags}: names", kernels == [b"add", b"called", b"count", b"fill"])
    check(f"{flags}: fill", launch(module, b"fill", 7) == [7 + item for item in range(ITEMS)])
    check(f"{flags}: add", launch(module, b"add", 5) == [7 + item + 5 * [1, 2, 4, 9][item & 3] for item in range(ITEMS)])
    check(f"{flags}: count", sorted(launch(module, b"count")) == [40 + item for item in range(ITEMS)])
    size, place, found = c.c_size_t(), Handle(), c.c_int32()
    call("zeModuleGetGlobalPointer", module, b"counter", c.byref(size), c.byref(place))
    call("zeCommandListAppendMemoryCopy", commands, c.byref(found), place, c.c_size_t(4), None, 0, None)
    call("zeCommandListHostSynchronize", commands, FOREVER)
    check(f"{flags}: the variable", (size.value, found.value) == (4, 40 + ITEMS))
    check(f"{flags}: called", launch(module, b"called") == [item * (item - 1) for item in range(ITEMS)])
    for one in (module, library):
        call("zeModuleDestroy", one)
print(f"Level Zero modules: {right} of {checks}")
sys.exit(right != checks)
