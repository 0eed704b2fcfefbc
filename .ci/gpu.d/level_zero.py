"""Level Zero on the first device, with results that Python computes: level_zero.py LIBRARY OBJECT KERNEL

The object file's kernel adds two buffers of floats to a third. It is loaded as native code, launched with memory of each kind, in a list that is
executed and in one that executes at once, and ordered by events.
"""
import ctypes
import random
import struct
import sys
from ctypes import byref, c_float, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

COUNT = 1000
GROUP = 8
# Kinds of structures (`ze_api.h`).
CONTEXT, QUEUE, LIST, POOL, EVENT, DEVICE_MEMORY, HOST_MEMORY, MODULE, KERNEL = 0xd, 0xe, 0xf, 0x10, 0x11, 0x15, 0x16, 0x1b, 0x1d
NATIVE = 1
FOREVER = 2**64 - 1


class Failed(Exception):
    pass


class Library:
    """Functions that raise an exception if they return an error."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            code = function(*arguments)
            if code:
                raise Failed(f"{name}: {code:#x}")

        return call


def structure(kind, layout, *values):
    """A structure that starts with its kind and a pointer to nothing."""
    packed = bytearray(struct.pack("<IxxxxQ" + layout, kind, 0, *values))
    packed += bytes(-len(packed) % 8)
    return (ctypes.c_char * len(packed)).from_buffer(packed)


def main(path, program, name):
    ze = Library(path)
    ze.zeInit(c_uint32(0))
    driver, device, context = c_void_p(), c_void_p(), c_void_p()
    ze.zeDriverGet(byref(c_uint32(1)), byref(driver))
    ze.zeDeviceGet(driver, byref(c_uint32(1)), byref(device))
    ze.zeContextCreate(driver, structure(CONTEXT, "I", 0), byref(context))

    code = Path(program).read_bytes()
    held = ctypes.create_string_buffer(code, len(code))
    module, log = c_void_p(), c_void_p()
    description = structure(MODULE, "IxxxxQQQQ", NATIVE, len(code), ctypes.addressof(held), 0, 0)
    ze.zeModuleCreate(context, device, description, byref(module), byref(log))
    kernel = c_void_p()
    text = ctypes.create_string_buffer(name.encode())
    ze.zeKernelCreate(module, structure(KERNEL, "IxxxxQ", 0, ctypes.addressof(text)), byref(kernel))
    ze.zeKernelSetGroupSize(kernel, c_uint32(GROUP), c_uint32(1), c_uint32(1))

    def allocate(kind):
        place, size = c_void_p(), c_size_t(COUNT * 4)
        own, host = structure(DEVICE_MEMORY, "II", 0, 0), structure(HOST_MEMORY, "I", 0)
        if kind == "device":
            ze.zeMemAllocDevice(context, own, size, c_size_t(64), device, byref(place))
        elif kind == "host":
            ze.zeMemAllocHost(context, host, size, c_size_t(64), byref(place))
        else:
            ze.zeMemAllocShared(context, own, host, size, c_size_t(64), device, byref(place))
        return place

    pool, events = c_void_p(), [c_void_p() for _ in range(3)]
    # Seen by the host, too.
    ze.zeEventPoolCreate(context, structure(POOL, "II", 1, len(events)), c_uint32(1), byref(device), byref(pool))
    for number, event in enumerate(events):
        ze.zeEventCreate(pool, structure(EVENT, "III", number, 1, 1), byref(event))

    queue, commands, at_once = c_void_p(), c_void_p(), c_void_p()
    ze.zeCommandQueueCreate(context, device, structure(QUEUE, "IIIII", 0, 0, 0, 0, 0), byref(queue))
    ze.zeCommandListCreate(context, device, structure(LIST, "II", 0, 0), byref(commands))
    ze.zeCommandListCreateImmediate(context, device, structure(QUEUE, "IIIII", 0, 0, 0, 0, 0), byref(at_once))

    given = random.Random(5)
    a, b = ([given.randrange(1000) / 8 for _ in range(COUNT)] for _ in range(2))
    floats = c_float * COUNT
    sources = [floats(*a), floats(*b)]
    groups = (c_uint32 * 3)(COUNT // GROUP, 1, 1)
    for title, target in (("a list", commands), ("a list that executes at once", at_once)):
        for kind in ("device", "shared", "host"):
            places = [allocate(kind) for _ in range(3)]
            for number, place in enumerate(places):
                ze.zeKernelSetArgumentValue(kernel, c_uint32(number), c_size_t(8), byref(place))
            found = floats()
            for event in events:
                ze.zeEventHostReset(event)
            copied, ran, read = events
            size = c_size_t(COUNT * 4)
            ze.zeCommandListAppendMemoryCopy(target, places[0], sources[0], size, None, c_uint32(0), None)
            ze.zeCommandListAppendBarrier(target, None, c_uint32(0), None)
            ze.zeCommandListAppendMemoryCopy(target, places[1], sources[1], size, copied, c_uint32(0), None)
            ze.zeCommandListAppendLaunchKernel(target, kernel, groups, ran, c_uint32(1), byref(copied))
            ze.zeCommandListAppendMemoryCopy(target, found, places[2], size, read, c_uint32(1), byref(ran))
            if target is commands:
                ze.zeCommandListClose(commands)
                ze.zeCommandQueueExecuteCommandLists(queue, c_uint32(1), byref(commands), None)
                ze.zeCommandQueueSynchronize(queue, c_uint64(FOREVER))
                ze.zeCommandListReset(commands)
            ze.zeEventHostSynchronize(read, c_uint64(FOREVER))
            expected = [x + y for x, y in zip(a, b)]
            if list(found) != expected:
                raise Failed(f"{title}, {kind} memory: wrong results")
            for place in places:
                ze.zeMemFree(context, place)
    print("Level Zero: 6 of 6")


main(*sys.argv[1:])
