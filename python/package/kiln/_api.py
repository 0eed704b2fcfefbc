"""The functions of the package: they convert arguments, and make arrays of results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _kiln
from ._errors import RegisterError

Source = Union[str, "os.PathLike[str]", bytes, Sequence[Union[str, "os.PathLike[str]", bytes]]]

_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Local:
    """Bytes of shared local memory, as an argument of a kernel."""

    bytes: int


@dataclass(frozen=True)
class Image:
    """An argument of another kind, described as on the command line of ``kiln run``.

    For example ``Image("image2d:rgba8unorm:64x64:picture.png")`` or ``Image("sampler:linear")``.
    """

    spec: str


@dataclass(frozen=True)
class Value:
    """A value that is live at one point of the code."""

    register: str
    """Its name in machine IR."""
    kept: str
    """Why it is kept: ``active`` or ``waiting`` channels want it, ``constant``, or in ``memory``."""
    grfs: int
    """Registers allocated to it."""
    bytes: int
    """Bytes of them in use."""
    since: int | None
    """Index of its definition point; None for a value that is live at entry."""
    next: int | None
    """Index of the next point that reads it, in the order of the code."""
    is_parameter: bool
    """True if it is a block parameter."""


@dataclass(frozen=True)
class Stored:
    """A spill slot."""

    registers: list[str]
    """Names of the values that are in it at one point or another."""
    grfs: int
    stores: int
    loads: int
    cost: int
    """Cost of these messages: one in a loop counts ten times."""
    uses: int
    """Number of operands that are values of the slot."""
    first: int
    """Index of the point of the first message."""
    last: int
    """Index of the point of the last message."""
    most: int
    """Most registers live between these points."""


@dataclass(frozen=True)
class Profile:
    """The register pressure by instruction of a kernel, a function or a subroutine.

    The arrays have an element for each point: before each instruction, in the order of the code, and at the end of
    each block. They are measured before allocation, so that they do not depend on the allocator.
    """

    kernel: str
    name: str
    """Name of the subroutine, or of the kernel itself."""
    limit: int
    """Maximum number of registers."""
    peak: int
    """Index of the first point of maximum pressure."""
    at: int | None
    """Index of the point whose values are listed."""
    values: list[Value]
    """Values that are live there, by definition point."""
    stored: list[Stored]
    """Spill slots of the whole code."""
    reserved: int
    """Registers for copies of r0 and calling conventions."""
    address_taken: int
    """Registers of variables whose address is taken."""
    grf: NDArray[np.int64]
    """Registers of the live values."""
    bytes: NDArray[np.int64]
    """Bytes of them in use."""
    block: NDArray[np.int64]
    """The block of the control-flow graph."""
    loops: NDArray[np.int64]
    """Loop depth."""
    visa: NDArray[np.int64]
    """Index of the vISA instruction that the code comes from, or -1."""
    file: NDArray[np.int64]
    """Index of the source file in ``files``, or -1."""
    line: NDArray[np.int64]
    """Source line, or -1."""
    files: list[str] = field(repr=False)
    text: list[str] = field(repr=False)
    """The instructions."""


@dataclass(frozen=True)
class Run:
    """Figures of a run."""

    kernel: str
    groups: int
    threads: int
    instructions: int
    """Number of machine instructions executed by all threads."""
    messages: int
    lanes: int
    """Sum over all instructions of the channels that they acted on."""
    bytes_read: int
    bytes_written: int
    by_instruction: dict[str, int] = field(repr=False)
    by_message: dict[str, int] = field(repr=False)
    by_place: NDArray[np.uint64] = field(repr=False)
    """Execution count of each instruction of the code."""


class CompiledModule(Mapping[str, _kiln.Kernel]):
    """A finalized module: its kernels and functions by their names, in the order of the module."""

    def __init__(self, module: _kiln.Module) -> None:
        self._module = module
        self._kernels = {kernel.name: kernel for kernel in module.kernels()}

    def __getitem__(self, name: str) -> _kiln.Kernel:
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"<kiln.CompiledModule: {', '.join(self)}>"

    def object_file(self, info: str | os.PathLike[str] | bytes) -> bytes:
        """An object file. ``info`` is an object file or ``.ze_info`` document with the kernels' argument layouts.

        Raises ObjectError if that does not fit.
        """
        return self._module.object_file(_read(info)[1])


def _read(source: str | os.PathLike[str] | bytes) -> tuple[str, bytes]:
    if isinstance(source, (bytes, bytearray)):
        return "<bytes>", bytes(source)
    path = Path(source)
    return str(path), path.read_bytes()


def _sources(source: Source) -> list[tuple[str, bytes]]:
    if isinstance(source, (str, os.PathLike, bytes, bytearray)):
        return [_read(source)]
    return [_read(one) for one in source]


def _how(
    platform: str,
    kernel: str | None = None,
    grf_limit: int | None = None,
    optimize: int = 2,
    allocator: str = "scan",
    without: Sequence[str] = (),
    abi: int = 2,
    preemption: bool = False,
    profile: bool = False,
    at: int | None = None,
) -> dict[str, Any]:
    return {
        "platform": platform,
        "kernel": kernel,
        "grf_limit": grf_limit,
        "optimize": optimize,
        "allocator": allocator,
        "without": list(without),
        "abi": abi,
        "preemption": preemption,
        "profile": profile,
        "at": at,
    }


def compile(
    source: Source,
    *,
    platform: str,
    kernel: str | None = None,
    grf_limit: int | None = None,
    optimize: int = 2,
    allocator: str = "scan",
    without: Sequence[str] = (),
    abi: int = 2,
    preemption: bool = False,
) -> CompiledModule:
    """Compiles a module of vISA to machine code.

    Options, as of ``kiln compile``: ``kernel`` selects one kernel; ``grf_limit`` is the maximum number of registers
    (24 to 128); ``optimize`` is 2 for fast code or 0 for short compile times; ``allocator`` is ``"scan"`` or ``"ion"``;
    ``without`` is a list of passes to leave out (see ``passes``); ``abi`` is the version of the stack call convention;
    ``preemption`` allows mid-thread preemption.

    Raises CompileError, with its place, or ValueError for unknown values.
    """
    how = _how(platform, kernel, grf_limit, optimize, allocator, without, abi, preemption)
    return CompiledModule(_kiln.compile(_sources(source), how))


def pressure(
    source: Source,
    *,
    platform: str,
    at: int | None = None,
    kernel: str | None = None,
    grf_limit: int | None = None,
    optimize: int = 2,
    allocator: str = "scan",
    without: Sequence[str] = (),
    abi: int = 2,
    preemption: bool = False,
) -> list[Profile]:
    """The register pressure by instruction of each kernel, function and subroutine.

    ``values`` of a profile lists the values that are live at its peak, or with ``at`` at the code of that vISA
    instruction. Other options are those of ``compile``.
    """
    how = _how(platform, kernel, grf_limit, optimize, allocator, without, abi, preemption, True, at)
    return [_profile(one) for one in _kiln.compile(_sources(source), how).profiles()]


def _profile(raw: dict[str, Any]) -> Profile:
    for name in ("grf", "bytes", "block", "loops", "visa", "file", "line"):
        raw[name] = np.frombuffer(raw[name], dtype=np.int64)
    raw["values"] = [Value(**value) for value in raw["values"]]
    raw["stored"] = [Stored(**slot) for slot in raw["stored"]]
    return Profile(**raw)


_SWEEP = np.dtype(
    [
        ("kernel", "U64"),
        ("allocator", "U8"),
        ("without", "U32"),
        ("grf_limit", np.int64),
        ("compiled", np.bool_),
        ("instructions", np.int64),
        ("bytes", np.int64),
        ("moves", np.int64),
        ("spills", np.int64),
        ("fills", np.int64),
        ("spill_bytes", np.int64),
        ("cycles", np.float64),
        ("seconds", np.float64),
    ]
)


def sweep(
    source: Source,
    *,
    platform: str,
    grf_limit: Sequence[int] = (32, 48, 64, 80, 96, 112, 128),
    allocator: Sequence[str] = ("scan",),
    without: Sequence[str | None] = (None,),
    kernel: str | None = None,
    optimize: int = 2,
    abi: int = 2,
    preemption: bool = False,
) -> NDArray[np.void]:
    """Compiles the same code with several register limits and allocators, and without passes.

    Returns a structured array with a row for each kernel and setting: ``kernel``, ``allocator``, ``without`` (``""`` for
    none), ``grf_limit``, ``compiled``, and the figures of ``Kernel``. If registers are too few there is one row, whose
    ``compiled`` is False and whose figures are 0.
    """
    sources = _sources(source)
    rows: list[tuple[Any, ...]] = []
    for name in allocator:
        for leave in without:
            for size in grf_limit:
                left_out = [] if leave is None else [leave]
                how = _how(platform, kernel, size, optimize, name, left_out, abi, preemption)
                way = (name, leave or "", size)
                try:
                    kernels = _kiln.compile(sources, how).kernels()
                except RegisterError as error:
                    rows.append((error.kernel or "", *way, False, 0, 0, 0, 0, 0, 0, 0.0, 0.0))
                    continue
                for k in kernels:
                    figures = (k.instructions, len(k.code), k.moves, k.spills, k.fills, k.spill_bytes)
                    rows.append((k.name, *way, True, *figures, k.cycles, k.seconds))
    return np.array(rows, dtype=_SWEEP)


def run(
    program: Source,
    args: Sequence[Any],
    *,
    global_size: int | Sequence[int],
    local_size: int | Sequence[int],
    kernel: str | None = None,
    platform: str | None = None,
    info: str | os.PathLike[str] | bytes | None = None,
    threads: int = 0,
    budget: int = _kiln.BUDGET,
    check: bool = False,
    hardware: bool = False,
    engine: str = "auto",
    grf_limit: int | None = None,
    optimize: int = 2,
) -> Run:
    """Executes a kernel on the host.

    ``program`` is an object file; or vISA, with ``info`` for its argument layouts and a ``platform``, which is compiled
    first, with ``grf_limit`` and ``optimize`` as of ``compile``. Each argument is one of

    - a numpy array: a buffer, which has the kernel's results afterwards
    - a numpy number (``np.float32(2.5)``) or ``bytes``: passed by value
    - ``Local(bytes)`` or ``Image(spec)``

    ``threads`` is the number of host threads (0: one for each core), ``budget`` the maximum number of executed
    instructions; ``check`` stops at reads of undefined registers; ``hardware`` takes what the hardware leaves undefined
    at its worst. ``engine`` is ``interpret``, ``translate``, ``both``, which compares the two, or ``auto``: code of the
    host where that is possible and pays.

    Raises RunError, ObjectError or CompileError.
    """
    sources = _sources(program)
    if sources[0][1].startswith(_ELF):
        if info is not None or grf_limit is not None:
            raise ValueError("info and grf_limit are for vISA, and this is an object file")
        image = sources[0][1]
    elif info is None or platform is None:
        raise ValueError("vISA needs info, with its kernels' argument layouts, and a platform")
    else:
        module = compile(program, platform=platform, kernel=kernel, grf_limit=grf_limit, optimize=optimize)
        image = module.object_file(info)
    global_sizes, local_sizes = _sizes(global_size), _sizes(local_size)
    if len(global_sizes) != len(local_sizes):
        raise ValueError("global_size and local_size have different dimensions")
    how = {
        "platform": platform,
        "kernel": kernel,
        "global_size": global_sizes + [1] * (3 - len(global_sizes)),
        "local_size": local_sizes + [1] * (3 - len(local_sizes)),
        "dimensions": len(global_sizes),
        "threads": threads,
        "budget": budget,
        "check": check,
        "hardware": hardware,
        "engine": engine,
    }
    figures, left = _kiln.run(image, [_arg(arg) for arg in args], how)
    for arg, content in zip(args, left):
        if isinstance(arg, np.ndarray) and content is not None and arg.tobytes() != content:
            arg[...] = np.frombuffer(content, dtype=arg.dtype).reshape(arg.shape)
    figures["by_place"] = np.frombuffer(figures["by_place"], dtype=np.uint64)
    return Run(**figures)


def _sizes(size: int | Sequence[int]) -> list[int]:
    sizes = [size] if isinstance(size, (int, np.integer)) else list(size)
    if not 1 <= len(sizes) <= 3:
        raise ValueError("1 to 3 sizes are expected")
    return [int(size) for size in sizes]


def _arg(arg: Any) -> Any:
    if isinstance(arg, np.ndarray):
        return ("buffer", arg.tobytes())
    if isinstance(arg, np.generic):
        return ("value", arg.tobytes())
    if isinstance(arg, (bytes, bytearray)):
        return ("value", bytes(arg))
    if isinstance(arg, Local):
        return arg.bytes
    if isinstance(arg, Image):
        return arg.spec
    raise TypeError(
        f"{type(arg).__name__} is no argument: expected a numpy array or number, which has a type, "
        "bytes, Local or Image"
    )


def disassemble(code: bytes, *, platform: str) -> str:
    """The listing of raw machine code. Raises ValueError if the size is not that of whole instructions."""
    return _kiln.disassemble(code, platform)


def estimate_cycles(code: bytes, *, platform: str) -> float:
    """Estimated cycles of raw machine code, with ten iterations of each loop (docs/cost-model.md).

    Raises ValueError if some of the bytes are no instructions.
    """
    return _kiln.estimate(code, platform)


def platforms() -> list[dict[str, Any]]:
    """The platforms: ``name``, ``aliases``, whether Kiln ``compiles`` for it, ``grf_count`` and ``grf_bytes``."""
    return _kiln.platforms()


def passes() -> list[str]:
    """Names of the optional passes, for ``without``."""
    return _kiln.passes()
