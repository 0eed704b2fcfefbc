"""A program of Level Zero on the first device: spirv_module.py SPIRV

The module has a kernel `k` that triples each number of a buffer and adds 1. Structures and their types are those of ze_api.h.
"""
import ctypes as c
import sys
from pathlib import Path

ITEMS, GROUP = 256, 32
loader = c.CDLL("libze_loader.so.1")
Handle = c.c_void_p


def call(name, *arguments):
    result = getattr(loader, name)(*arguments)
    if result:
        sys.exit(f"{name}: {result & 0xffffffff:#x}")


def first(name, *above):
    count = c.c_uint32(0)
    call(name, *above, c.byref(count), None)
    handles = (Handle * count.value)()
    call(name, *above, c.byref(count), handles)
    return Handle(handles[0])


def described(kind, **fields):
    """A description: its type, no extension, and fields as (type, value)."""
    head = [("kind", c.c_uint32), ("next", Handle)]
    description = type("Description", (c.Structure,), {"_fields_": head + [(name, of) for name, (of, _) in fields.items()]})
    return c.byref(description(kind, None, *(value for _, value in fields.values())))


def made(name, *arguments):
    handle = Handle()
    call(name, *arguments, c.byref(handle))
    return handle


number = c.c_uint32
call("zeInit", 0)
driver = first("zeDriverGet")
device = first("zeDeviceGet", driver)
context = made("zeContextCreate", driver, described(0xd, flags=(number, 0)))
spirv = Path(sys.argv[1]).read_bytes()
memory = c.create_string_buffer(spirv, len(spirv))
module, log = Handle(), Handle()
call("zeModuleCreate", context, device, described(
    0x1b, format=(number, 0), size=(c.c_size_t, len(spirv)), data=(Handle, c.cast(memory, Handle)), options=(c.c_char_p, b""),
    constants=(Handle, None)), c.byref(module), c.byref(log))
kernel = made("zeKernelCreate", module, described(0x1d, flags=(number, 0), name=(c.c_char_p, b"k")))
commands = made("zeCommandListCreateImmediate", context, device, described(
    0xe, ordinal=(number, 0), index=(number, 0), flags=(number, 0), mode=(number, 1), priority=(number, 0)))
shared = Handle()
call("zeMemAllocShared", context, described(0x15, flags=(number, 0), ordinal=(number, 0)), described(0x16, flags=(number, 0)),
     c.c_size_t(4 * ITEMS), c.c_size_t(64), device, c.byref(shared))
values = c.cast(shared, c.POINTER(c.c_int32))
for item in range(ITEMS):
    values[item] = item
call("zeKernelSetGroupSize", kernel, GROUP, 1, 1)
call("zeKernelSetArgumentValue", kernel, 0, c.c_size_t(8), c.byref(shared))
groups = (number * 3)(ITEMS // GROUP, 1, 1)
call("zeCommandListAppendLaunchKernel", commands, kernel, groups, None, 0, None)
call("zeCommandListHostSynchronize", commands, c.c_uint64(2**64 - 1))
wrong = sum(values[item] != 3 * item + 1 for item in range(ITEMS))
print(f"Level Zero: {ITEMS - wrong} of {ITEMS}")
sys.exit(wrong > 0)
