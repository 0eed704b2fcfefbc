"""Instructions as the reference disassembler prints them.

Takes machine code, gives instructions with their offsets. The text of iga64 is the only source of facts: nothing of Kiln's decoder or
tables is used, except on Panther Lake, which no public assembler knows.
"""
import functools
import json
import re
import subprocess
import tempfile
from pathlib import Path

import reference_tools as reference

# Platform -> generation: 9, 11, then 12.0 for Xe-LP, 12.5 for XeHPG, 12.6 for XeHPC, 20 for Xe2, 30 for Xe3.
GENERATIONS = {"skl": 9, "icllp": 11, "tgllp": 12.0, "dg2": 12.5, "mtl": 12.5, "pvc": 12.6, "lnl": 20, "bmg": 20, "ptl": 30}
# Bytes of a type.
SIZES = {"b": 1, "ub": 1, "bf8": 1, "hf8": 1, "w": 2, "uw": 2, "hf": 2, "bf": 2, "d": 4, "ud": 4, "f": 4, "tf32": 4, "v": 4, "uv": 4,
         "vf": 4, "nf": 4, "q": 8, "uq": 8, "df": 8}
FLOATS = {"hf", "f", "df", "bf", "vf", "nf", "tf32", "bf8", "hf8"}
CONDITIONS = "lt|le|gt|ge|eq|ne|ze|nz|ov|un|eo|e|z|g|l|o|u|r"
CONTROL_FLOW = {"jmpi", "goto", "join", "if", "else", "endif", "while", "break", "cont", "halt", "call", "calla", "ret", "brc", "brd"}

HEAD = re.compile(r"^(?P<predicate>\((?:W|W&[^)]*|~?f[^)]*)\))?\s*(?P<op>[a-z][a-z0-9_]*)(?P<function>\.(?:\([^ ]*|[a-z0-9_.&|^~()]+))?"
                  r"\s*(?:\((?P<width>\d+)(?:\|M(?P<first>\d+))?\))?\s*(?P<rest>.*)$")
OPERAND = re.compile(r"^(?P<modifier>(?:\(-\)|\(abs\)|~|-)*)(?:(?P<file>r|acc|msg|a|f|cr|sr|tm|n|ce|null|ip|sp|dbg|tdr|s)(?P<number>\d*)"
                     r"(?:\.(?P<sub>\d+|nomme|mme\d))?|r\[a0\.(?P<address>\d+)(?:,(?P<offset>-?\d+))?\])(?P<region><[^>]*>)?(?::(?P<type>[a-z]+\d*))?$")
IMMEDIATE = re.compile(r"^-?(?:0x|\d|inf|[qs]?nan)[^:]*:([a-z]+\d*)$")
MODIFIERS = re.compile(rf"\((?:{CONDITIONS}|sat)\)(?:f\d\.\d)?")
CONDITION = re.compile(rf"\(({CONDITIONS})\)(?:f\d|\s)")
OPTIONS = re.compile(r"\{([^{}]*)\}\s*$")
ADDRESS = re.compile(r"(r\[a0\.\d+),\s*")
NUMBER = re.compile(r"\d+")
# Facts that no rule of one instruction asks for: register numbers, tokens, labels, values. Each is a zero in the form.
DETAILS = re.compile(r"(?<=\br)\d+(?=[.<:\s])|(?<=\$)\d+|(?<=\bL)\d+|(?<=\s)-?(?:0x[0-9A-Fa-f]+|[\d.]+(?:e[-+]?\d+)?)(?=:)")


class Operand:
    """A register or an immediate. `offset` is in bytes in its register, `region` a list of its numbers."""

    def __init__(self, text):
        self.text = text
        found = OPERAND.match(text)
        self.modifier, self.region, self.number, self.sub, self.address, self.macro = "", [], 0, 0, None, False
        if found is None or text.lstrip("-").startswith(("inf", "nan", "qnan", "snan")):
            immediate = IMMEDIATE.match(text)
            self.file, self.type = ("immediate", immediate[1]) if immediate else ("unknown", "")
            self.size, self.offset = SIZES.get(self.type, 4), 0
            return
        self.file = "indirect" if found["address"] is not None else found["file"]
        self.number, self.address = int(found["number"] or 0), found["address"]
        sub = found["sub"] or "0"
        self.macro = not sub.isdigit()
        self.sub = 0 if self.macro else int(sub)
        self.modifier, self.type = found["modifier"], found["type"] or ""
        self.region = [int(n) for n in NUMBER.findall(found["region"] or "")]
        self.size = SIZES.get(self.type, 4)
        self.offset = self.sub * self.size

    @property
    def grf(self):
        return self.file == "r"

    @property
    def float(self):
        return self.type in FLOATS

    @property
    def scalar(self):
        return self.file == "immediate" or self.region in ([0, 1, 0], [0, 0], [0])

    @property
    def by_channel(self):
        """An address of its own for each channel or row: VxH."""
        return self.file == "indirect" and len(self.region) == 2

    def stride(self, width):
        """Bytes from one channel to the next, or None if it is not the same for all."""
        region = self.region
        if len(region) == 3:
            vertical, row, horizontal = region
            if row == 1:
                step = vertical
            elif width <= row or vertical == row * horizontal:
                step = horizontal
            else:
                return None
        elif len(region) == 2 and not self.by_channel:
            step = region[1] or region[0]
        else:
            step = region[0] if len(region) == 1 else 1
        return step * self.size


@functools.lru_cache(1 << 16)
def operand(text):
    return Operand(text)


class Instruction:
    """An instruction: `ops` are its operands, the destination first; of a send `words` are the words after its head."""

    def __init__(self, text):
        text, _, self.comment = text.partition("//")
        self.text = text.strip()
        head = HEAD.match(self.text)
        self.op = head["op"] if head else ""
        self.function = (head["function"] or "")[1:] if head else ""
        self.width = int(head["width"] or 1) if head else 1
        self.first = int(head["first"] or 0) if head else 0
        predicate = (head["predicate"] or "") if head else ""
        self.nomask, self.predicated = predicate.startswith("(W"), "f" in predicate
        self.predicate = predicate
        rest = head["rest"] if head else ""
        options = OPTIONS.search(rest)
        self.options = [x.strip() for x in options[1].split(",")] if options else []
        if options:
            rest = rest[:options.start()]
        self.saturated = "(sat)" in rest
        condition = CONDITION.search(rest)
        self.condition = condition[1] if condition else None
        rest = ADDRESS.sub(r"\1,", MODIFIERS.sub(" ", rest))
        self.words = rest.split()
        self.send = self.op.startswith("send")
        plain = not self.send and self.op not in CONTROL_FLOW and self.op not in ("sync", "nop", "illegal", "wait")
        self.ops = [operand(word) for word in self.words] if plain else []
        self.dst = self.ops[0] if self.ops else None
        self.srcs = self.ops[1:]

    @property
    def eot(self):
        return "EOT" in self.options

    def distances(self):
        return [(m[1], int(m[2])) for m in (re.match(r"^([A-Z]?)@(\d+)$", x) for x in self.options) if m]


@functools.lru_cache(1 << 18)
def parse(text):
    return Instruction(text)


def form(text):
    """The text without the details that no rule of one instruction asks for."""
    return DETAILS.sub("0", text.partition("//")[0]).strip()


class Place:
    """An instruction of a kernel at an offset in bytes; the labels before it."""
    __slots__ = ("offset", "text", "labels", "form")

    def __init__(self, offset, text, labels, shape):
        self.offset, self.text, self.labels, self.form = offset, text, labels, shape

    @property
    def instruction(self):
        return parse(self.text)


def places(lines, forms):
    """Places of lines `/* [OFFSET] */ INSTRUCTION` and `LABEL:`. `forms` keeps the parsed forms, and the form of each text."""
    labels = []
    for line in lines:
        if not line.startswith("/*"):
            label = line.strip()
            if label.endswith(":"):
                labels.append(label[:-1])
            continue
        close = line.index("]")
        text = line[line.index("*/", close) + 2:].strip()
        kept = forms.get(text)
        if kept is None:
            shape = form(text)
            kept = forms.get(shape)
            if kept is None:
                kept = forms[shape] = Instruction(shape)
            forms[text] = kept
        yield Place(int(line[line.index("[") + 1:close], 16), text, labels, kept)
        labels = []


def trimmed(code):
    """The code without the zeros after its last instruction. Bit 29 of an instruction says that it is compacted."""
    at = 0
    while any(code[at:at + 8]):
        at += 8 if code[at + 3] & 0x20 else 16
    return code[:at]


def decode(platform, kernels, forms, kiln=None):
    """(name, places) of each kernel of a list (name, trimmed code), by one run of the disassembler over the code of all. If it does not
    take one, the text of its error is in the place of the places."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "all.bin"
        code.write_bytes(b"".join(code for _, code in kernels))
        if reference.find("iga64", platform) is None:
            lines = list(own_listing(platform, code, kiln))
        else:
            command = [reference.find("iga64", platform), "-d", "-p=" + reference.PLATFORMS[platform][0], "-Xprint-pc", code]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if done.returncode != 0 and len(kernels) == 1:
                yield kernels[0][0], done.stderr
                return
            if done.returncode != 0:
                half = len(kernels) // 2
                yield from decode(platform, kernels[:half], forms, kiln)
                yield from decode(platform, kernels[half:], forms, kiln)
                return
            lines = done.stdout.splitlines()
    found = list(places(lines, forms))
    at, start = 0, 0
    for name, code in kernels:
        end, first = start + len(code), at
        while at < len(found) and found[at].offset < end:
            found[at].offset -= start
            at += 1
        yield name, found[first:at]
        start = end


def own_listing(platform, code, kiln):
    """The lines of our own listing. Labels, which only rules of Xe-LP ask for, are left out."""
    done = subprocess.run([kiln, "disasm", "-p", platform, "--format", "json", code], capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{platform}: {done.stderr[:1000]}")
    for unit in json.loads(done.stdout)["files"][0]["units"]:
        for row in unit["instructions"]:
            yield f"/* [{row['offset']:04X}] */ {row['text']}"
