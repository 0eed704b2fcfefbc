"""Exceptions of the package. Wrong arguments are ValueErrors; all others are Errors."""

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
    """vISA with errors, or that cannot be compiled."""


class UnsupportedError(CompileError):
    """Valid vISA that Kiln does not compile for this platform."""


class RegisterError(CompileError):
    """Too few registers for the values that must be live at once."""


class ObjectError(Error):
    """An object file or argument layout that does not fit."""


class RunError(Error):
    """A kernel that cannot be launched, or whose execution failed."""
