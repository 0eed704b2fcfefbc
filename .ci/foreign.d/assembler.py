"""The reference assembler over our listing of machine code.

Gives its errors, its warnings that the reference's own code does not get, and whether the bytes differ.
"""
import bisect
import re
import subprocess
import tempfile
from pathlib import Path

import novelty
import reference_tools as reference
from listing import parse

SAID = re.compile(r"^(?:.*?:)?\s*line (\d+)\.\d+: (warning|error): (.*)")
def kind(message, text):
    instruction = parse(text)
    function = "." + instruction.function if instruction.op == "math" else ""
    types = ','.join(o.type or '-' for o in instruction.ops)
    return f"{re.sub('[0-9]+', 'N', message)}: {instruction.op}{function} {types}".strip()


def run(platform, kernels, kiln):
    """(line's instruction, offset, kind) of what the assembler says of the code of all kernels: errors, warnings, instructions whose bytes differ."""
    tool = reference.find("iga64", platform)
    with tempfile.TemporaryDirectory() as folder:
        code, source, made = (Path(folder) / name for name in ("all.bin", "all.asm", "made.bin"))
        code.write_bytes(b"".join(code for _, code in kernels))
        subprocess.run([kiln, "disasm", "-p", platform, code, "-o", source], check=True)
        command = [tool, "-a", "-p=" + reference.PLATFORMS[platform][0], "-Wtypes", "-Wregions", "-Wscheduling", source, "-o", made]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        lines = source.read_text().splitlines()
        offsets, at = [], 0
        for line in lines:
            offsets.append(at)
            if line.strip() and not line.endswith(":"):
                at += 8 if "Compacted" in line else 16
        said = []
        for line in (done.stdout + done.stderr).splitlines():
            found = SAID.match(line)
            if found and "label redefinition" not in found[3]:
                number = int(found[1]) - 1
                said.append((" ".join(lines[number].split()), offsets[number], found[2], kind(found[3], lines[number].strip())))
        if made.exists():
            code, made = code.read_bytes(), made.read_bytes()
            if len(code) != len(made):
                said.append(("", 0, "error", "other length"))
            elif code != made:
                for line, at, end in zip(lines, offsets, [*offsets[1:], len(code)]):
                    if code[at:end] != made[at:end]:
                        said.append((" ".join(line.split()), at, "bytes", kind("other bytes", line.strip())))
        return said


def kinds(platform, kernels, kiln):
    """The kinds of what the assembler says, without its errors: it says nothing else of code that has one."""
    said = run(platform, kernels, kiln)
    if not any(level == "error" for _, _, level, _ in said):
        yield from (what for *_, what in said)
    elif len(kernels) > 1:
        half = len(kernels) // 2
        yield from kinds(platform, kernels[:half], kiln)
        yield from kinds(platform, kernels[half:], kiln)


def check(platform, kernels, kiln):
    """(kernel, offset in it, instruction, rule) of each finding."""
    said = run(platform, kernels, kiln)
    starts, size = [], 0
    for _, code in kernels:
        starts.append(size)
        size += len(code)

    def place(offset):
        number = bisect.bisect_right(starts, offset) - 1
        return kernels[number][0], offset - starts[number]

    known, legal = novelty.said(platform), novelty.allowed()
    for text, offset, level, what in said:
        if novelty.coarse(what) not in known and not legal(novelty.SAID + novelty.coarse(what)):
            yield *place(offset), f"{text}: {what}", f"assembler-{level}"
