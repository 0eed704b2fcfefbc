"""The extension module."""

from typing import Any

__version__: str
BUDGET: int

class Kernel:
    """A finalized kernel or function."""

    name: str
    platform: str
    is_function: bool
    simd: int
    """Number of channels."""
    visa_instructions: int
    instructions: int
    spills: int
    """Messages that write scratch space."""
    fills: int
    """Messages that read it."""
    spill_bytes: int
    """Bytes of scratch space for a thread's spill slots."""
    moves: int
    """Copies that allocation added."""
    grf_used: int
    max_pressure: int | None
    """Maximum register pressure, before allocation."""
    seconds: float
    """Seconds of compilation."""
    @property
    def code(self) -> bytes:
        """Machine code."""
    @property
    def relocations(self) -> list[tuple[int, str, str]]:
        """Offset, symbol and kind of each address that a loader fills in."""
    @property
    def cycles(self) -> float:
        """Estimated cycles with ten iterations of each loop."""
    def asm(self) -> str:
        """The listing."""

class Module:
    def kernels(self) -> list[Kernel]: ...
    def profiles(self) -> list[dict[str, Any]]: ...
    def object_file(self, info: bytes) -> bytes: ...

def platforms() -> list[dict[str, Any]]: ...
def passes() -> list[str]: ...
def compile(sources: list[tuple[str, bytes]], how: dict[str, Any]) -> Module: ...
def run(
    object: bytes, args: list[Any], how: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes | None]]: ...
def disassemble(code: bytes, platform: str) -> str: ...
def estimate(code: bytes, platform: str) -> float: ...
