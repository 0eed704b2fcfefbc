"""The reference tools: their paths, their platforms, and their outputs.

They are searched on PATH and in $GEN_REFERENCE/bin (default ~/.cache/gen-reference/bin). If one is missing, a script
../shared/reference/setup beside the checkout, if there is one, may install it there. Two generations may be installed: the older one for
Gen9 and Gen11, and the newer one, whose names end in `-xe`, for later platforms.
"""
import functools
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

SETUP = Path(__file__).resolve().parent.parent.parent / "shared/reference/setup"
INSTALL_SECONDS = 400
FOLDER = Path(os.environ.get("GEN_REFERENCE", Path.home() / ".cache/gen-reference"))
# Platform -> its name in the assembler, and the suffix of the tools that support it.
PLATFORMS = {
    "skl": ("9", ""),
    "bxt": ("9", ""),
    "icllp": ("11", ""),
    "tgllp": ("12p1", "-xe"),
    "dg2": ("12p71", "-xe"),
    "mtl": ("12p71", "-xe"),
    "pvc": ("12p72", "-xe"),
    "lnl": ("2", "-xe"),
    "bmg": ("2", "-xe"),
    "ptl": ("3", "-xe"),
}
# Root of the newer driver's packages, and devices that older drivers alone know, which are those of the system.
DRIVER = FOLDER / "sid"
OLDER = ("skl", "icllp")
# Tools that do not know a platform: of those for Panther Lake, only the compiler is public.
UNKNOWN = {("iga64", "ptl"), ("GenX_IR", "ptl")}


class Failed(Exception):
    """A tool refused its input; the message has its output."""


def find(tool, platform):
    """The path of a tool for a platform, or None if it is missing or does not know the platform."""
    if (tool, platform) in UNKNOWN:
        return None
    name = tool + PLATFORMS[platform][1]
    path = os.pathsep.join([str(FOLDER / "bin"), os.environ.get("PATH", "")])
    if shutil.which(name, path=path) is None:
        install()
    return shutil.which(name, path=path)


def has_driver(platform):
    """Whether the driver of a virtual device is there."""
    root = Path("/") if platform in OLDER else DRIVER
    return (root / "usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so").exists()


def below(platform):
    """Options of `kiln gpu` for the driver of a device."""
    return ["-p", platform, *([] if platform in OLDER else ["--driver", str(DRIVER)])]


@functools.cache
def install():
    """Runs the script, once. What it installed before it failed may be enough."""
    try:
        subprocess.run([SETUP, FOLDER], timeout=INSTALL_SECONDS, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        pass


def run(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True,
                          errors="replace")
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[:500]
        raise Failed(f"{Path(command[0]).name}: {said}")
    return done.stdout


def disassemble(platform, code, *options):
    """The reference disassembler's listing of a file of machine code."""
    return run(find("iga64", platform), "-d", f"-p={PLATFORMS[platform][0]}", *options, code)


def assemble(platform, text):
    """What the reference assembler makes of a listing."""
    with tempfile.TemporaryDirectory() as folder:
        source, code = Path(folder) / "code.asm", Path(folder) / "code.bin"
        source.write_text(text)
        run(find("iga64", platform), "-a", f"-p={PLATFORMS[platform][0]}", source, "-o", code)
        return code.read_bytes()


def normal(listing):
    """The listing's lines without comments and superfluous white space."""
    lines = (re.sub(r"//.*", "", line).split() for line in listing.splitlines())
    return [" ".join(line) for line in lines if line]


def first_difference(ours, theirs):
    """Where two lists of lines differ, or None."""
    for number, (a, b) in enumerate(zip(ours, theirs), 1):
        if a != b:
            return f"line {number}: ours is `{a}`, the reference's `{b}`"
    if len(ours) != len(theirs):
        return f"our listing has {len(ours)} lines, the reference's {len(theirs)}"
    return None


def compile_kernels(platform, source, options=""):
    """Kernel name -> machine code, of an OpenCL C file."""
    with tempfile.TemporaryDirectory() as folder:
        command = [find("ocloc", platform), "compile", "-file", Path(source).resolve(), "-device", platform]
        command += ["--format", "zebin", "-out_dir", folder]
        run(*command, *(["-options", options] if options else []), cwd=folder)
        objects = sorted(Path(folder).glob("*.bin"))
        if len(objects) != 1:
            raise Failed(f"ocloc made {len(objects)} objects of {Path(source).name}")
        return code_sections(objects[0].read_bytes())


def code_sections(elf):
    """Kernel name -> machine code, of an object file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    _, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, table + i * 64) for i in range(count)]
    strings = heads[names][4]
    found = {}
    for head in heads:
        name = elf[strings + head[0]:elf.index(b"\0", strings + head[0])].decode()
        if name.startswith(".text.") and head[5]:
            found[name.removeprefix(".text.")] = elf[head[4]:head[4] + head[5]]
    return found
