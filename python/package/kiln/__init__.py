"""Kiln: a finalizer for Intel GPUs, for experiments.

>>> import kiln
>>> module = kiln.compile("examples/nbody/nbody.visaasm", platform="skl")
>>> module["nbody"].instructions
132
>>> profile = kiln.pressure("examples/nbody/nbody.visaasm", platform="skl")[0]
>>> int(profile.grf.max()), profile.limit
(62, 124)

A source is the path of a vISA file, text or binary, its bytes, or a list of these that make one module.
"""

from ._api import (
    Image,
    Local,
    Profile,
    Run,
    Stored,
    Value,
    compile,
    disassemble,
    estimate_cycles,
    passes,
    platforms,
    pressure,
    run,
    sweep,
)
from ._api import CompiledModule
from ._errors import (
    CompileError,
    Error,
    ObjectError,
    RegisterError,
    RunError,
    UnsupportedError,
)
from ._kiln import Kernel, __version__

__all__ = [
    "CompileError",
    "CompiledModule",
    "Error",
    "Image",
    "Kernel",
    "Local",
    "ObjectError",
    "Profile",
    "RegisterError",
    "Run",
    "RunError",
    "Stored",
    "UnsupportedError",
    "Value",
    "__version__",
    "compile",
    "disassemble",
    "estimate_cycles",
    "passes",
    "platforms",
    "pressure",
    "run",
    "sweep",
]
