"""The exceptions of the package. All but wrong arguments, which are ValueErrors, are Errors."""

from __future__ import annotations


class Error(Exception):
    """Something that Kiln could not do.

    The attributes say where, each None where that is not known:

    - ``file``: the name of the input
    - ``line``, ``column``: the place in a text, from 1
    - ``kernel``: the kernel or function
    - ``instruction``: the number of the instruction of vISA in it
    - ``code``: the code of the diagnostic, as ``kiln check`` writes it
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        kernel: str | None = None,
        instruction: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.kernel = kernel
        self.instruction = instruction
        self.code = code


class CompileError(Error):
    """vISA that is wrong, or that no code can be made of."""


class UnsupportedError(CompileError):
    """Valid vISA that Kiln does not compile for this platform."""


class RegisterError(CompileError):
    """More values live at once than the registers hold, and none of them can be spilled."""


class ObjectError(Error):
    """An object file, or the argument layout for one, that does not fit."""


class RunError(Error):
    """A kernel that cannot be launched, or that did something undefined."""
