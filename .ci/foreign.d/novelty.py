"""Features of instructions, and those that only one of two bodies of code has.

A feature is a fact of one instruction without its registers and values: its types, its regions against the destination's, its modifiers,
its scoreboard options, the class of its message. The summary of the reference's code is kept, one file a platform; its features that
each kernel has are marked. With them is what the reference assembler says of that code (`said`).
"""
import collections
import fnmatch
import functools
import lzma
import re
from pathlib import Path

from listing import CONTROL_FLOW, FLOATS
from rules import Platform, live, step

HERE = Path(__file__).parent
ALLOWED = HERE / "allow"
EVERY = "!"
SAID = "assembler "
SIGNS = re.compile(r"\bu(?=[bwdq]\b)")
# Platform -> those whose summaries are taken, since there are more objects of some with the same instructions.
ALIKE = {"lnl": ["bmg"], "mtl": ["mtl", "dg2"], "ptl": ["ptl", "bmg"]}
# Bits of a descriptor that do not tell the kind of a message: lengths, and but for loads and stores by address the index of a surface or a
# sampler, or the place in scratch memory.
LENGTHS, PLACES = 0x1FF00000, 0xFFF
BY_ADDRESS = ("ugm", "ugml", "slm", "tgm")


def message(function, descriptor):
    """The kind of a message, by its descriptor's text."""
    if not descriptor.startswith("0x"):
        return descriptor
    bits = int(descriptor, 16) & ~LENGTHS
    return f"0x{bits if function in BY_ADDRESS else bits & ~PLACES:08X}"


def features(i, facts):
    """The features of an instruction, as text."""
    if not i.op:
        return {f"unknown {i.text[:40]}"}
    kind = "send" if i.send else i.op if i.op in ("math", "sync") else "dpas" if i.op.startswith("dpas") else "alu"
    options = [re.sub(r"[\d]+", "N", option) for option in i.options if option != "Compacted"]
    found = {f"option {kind} {option}" for option in options}
    if len([o for o in options if "@" in o or "$" in o]) > 1:
        found.add(f"scoreboard {kind} {' '.join(sorted(o for o in options if '@' in o or '$' in o))}")
    mask = "W" if i.nomask else ""
    if i.predicated:
        found.add(f"predicate {i.op} {re.sub('[0-9]+[.][0-9]', 'f', i.predicate)}")
    if i.condition:
        found.add(f"condition {i.op} {i.condition}")
    rest = " ".join(o for o in options if "@" not in o and "$" not in o)
    if i.send:
        words = [re.sub(r"\d+", "N", word) if re.match(r"a0|s0|r|null", word) else word for word in i.words]
        # Masks of fewer channels are of the same message.
        found.add(f"send {i.op}.{i.function} {message(i.function, words[-1])} {rest}".strip())
        return found
    if i.op in CONTROL_FLOW or not i.ops:
        found.add(f"flow {i.op}.{i.function} {i.width} {mask} {'P' if i.predicated else ''} {rest}")
        return found
    name = f"{i.op}.{i.function}" if i.op == "math" else i.op
    types = ",".join(o.type for o in i.ops)
    found.add(f"types {name} {types}")
    found.add(f"files {i.op} {','.join(o.file for o in i.ops)}")
    if any(o.modifier for o in i.ops):
        found.add(f"modifiers {i.op} {','.join(o.modifier for o in i.ops)} {types}")
    if i.saturated:
        found.add(f"saturate {i.op} {types}")
    d = i.dst
    if d.file not in ("r", "null", "indirect"):
        found.add(f"state {d.file} {i.op} {types} {i.width} {' '.join(o for o in options if '$' not in o)}")
    for n, s in enumerate(i.srcs):
        if s.file in ("indirect",):
            found.add(f"indirect {i.op} {n} {'VxH' if s.by_channel else s.region} {s.type} {d.type}")
        elif s.file not in ("r", "null", "immediate"):
            found.add(f"state source {s.file} {i.op} {n} {s.type} {d.type}")
        if s.grf and not s.scalar and i.width > 1 and d.file != "indirect":
            shift = "same" if s.offset % facts.grf == d.offset % facts.grf else "other"
            if d.float or s.float or 8 in (d.size, s.size) or len(i.srcs) == 3:
                found.add(f"region {'three' if len(i.srcs) == 3 else ''}{n if len(i.srcs) == 3 else ''} {d.type}:{step(i)} {s.type}:{s.stride(i.width)} {shift}")
    if i.width > 1 and d.grf and live(i) and max(s.size for s in live(i)) > d.size:
        found.add(f"narrow {i.op} {d.type}:{step(i)} {','.join(sorted({s.type for s in live(i)}))}")
    return found


class Gathered:
    """Features of kernels, with their number, the number of kernels, and a place of each."""

    def __init__(self, platform):
        self.facts, self.of_form = Platform(platform), {}
        self.kernels, self.count, self.places, self.in_kernels = 0, collections.Counter(), {}, collections.Counter()

    def add(self, name, code):
        shapes = collections.Counter(place.form for place in code)
        first = {}
        for place in code:
            first.setdefault(place.form, place)
        here = set()
        for shape, times in shapes.items():
            known = self.of_form.get(shape)
            if known is None:
                known = self.of_form[shape] = features(shape, self.facts)
            for feature in known:
                self.count[feature] += times
                self.places.setdefault(feature, (name, first[shape]))
            here |= known
        if any(place.form.eot for place in code):
            self.kernels += 1
            self.in_kernels.update(here)

    def say(self, kind):
        """What the assembler says of the code."""
        self.count[SAID + kind] += 1

    def write(self, platform, adds):
        """Writes the summary, or adds to it: a feature that each kernel of both has is marked."""
        every = {feature for feature, times in self.in_kernels.items() if times == self.kernels}
        features = set(self.count)
        if adds:
            old = read(platform)
            features |= {row.removesuffix(EVERY) for row in old}
            every &= {row.removesuffix(EVERY) for row in old if row.endswith(EVERY)}
        rows = (feature + EVERY * (feature in every) for feature in sorted(features))
        (HERE / f"{platform}.xz").write_bytes(lzma.compress("\n".join(rows).encode(), preset=9 | lzma.PRESET_EXTREME))


def read(platform):
    return lzma.decompress((HERE / f"{platform}.xz").read_bytes()).decode().splitlines()


def coarse(feature):
    """A feature without the signs of integers: which of them an operation takes is for the assembler to say. Of modifiers, whether operands
    are floats; of a message, not whether it may be interrupted, which depends on its registers."""
    kind, _, rest = feature.partition(" ")
    if kind == "send":
        return feature.removesuffix(" NoPreempt")
    if kind == "modifiers":
        head, _, types = rest.rpartition(" ")
        return f"modifiers {head} {''.join('f' if name in FLOATS else 'i' for name in types.split(','))}"
    return SIGNS.sub("", feature)


@functools.cache
def summary(platform):
    """The reference's features, and those that each of its kernels has."""
    rows = [[coarse(row) for row in read(name)] for name in ALIKE.get(platform, [platform])]
    return {row.removesuffix(EVERY) for all in rows for row in all}, {row.removesuffix(EVERY) for row in rows[0] if row.endswith(EVERY)}


def said(platform):
    """What the assembler says of the reference's code."""
    return {row.removeprefix(SAID) for row in summary(platform)[0] if row.startswith(SAID)}


def allowed():
    """Features that were judged legal, as a predicate: each line is a pattern of features, a tab, and the reason."""
    patterns = [line.split("\t")[0] for line in ALLOWED.read_text().splitlines() if "\t" in line]
    return re.compile("|".join(map(fnmatch.translate, patterns))).match


def findings(platform, ours):
    """(kernel, place or None, feature, rule)."""
    theirs, every = summary(platform)
    legal = allowed()
    made = {coarse(feature) for feature in ours.count}
    for feature in sorted(ours.count):
        if coarse(feature) not in theirs and not legal(coarse(feature)):
            yield *ours.places[feature], f"{feature} ({ours.count[feature]} times)", "novel"
    for feature in sorted(every):
        if feature not in made and not legal(feature):
            yield "", None, feature, "missing"
