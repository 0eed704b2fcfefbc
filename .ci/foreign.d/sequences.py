"""Rules of several instructions, one function each: takes the places of a kernel, yields those where the rule is broken.

The table SEQUENCES names, for each, the platforms and the source.
"""
import re

from listing import CONTROL_FLOW
from rules import XE_LP, Platform, on, since, state, step, waits

FENCE = re.compile(r"fence")
REGISTER = re.compile(r"\br(\d+)")
HEADER = re.compile(r"\br0\b")


def ends(code):
    return (n for n, place in enumerate(code) if place.form.eot)


def fence_read(code, p):
    for n, place in enumerate(code):
        if not place.form.send or not FENCE.search(place.text):
            continue
        answer = place.instruction.words[0].split(":")[0]
        if answer == "null":
            continue
        read = re.compile(rf"\b{answer}(?:\.\d+)?[<:\s]")
        for after in code[n + 1:]:
            if after.form.ops and any(read.match(o.text + " ") for o in after.instruction.srcs):
                break
            if after.form.send or after.form.op in ("wait", "ret"):
                yield place
                break


def math_nop(code, p):
    for n, place in enumerate(code[:-1]):
        if place.form.op == "math" and place.form.function in ("fdiv", "pow"):
            after = code[n + 1].form
            if after.dst is not None and after.dst.grf and after.op != "nop":
                if after.dst.offset + (after.width - 1) * step(after) + after.dst.size > p.grf:
                    yield place


def release(place):
    """The move that waits for a message's sources on Ponte Vecchio."""
    return place.form.dst is not None and place.form.dst.file == "null" and "0x30433" in place.text


def state_next(code, p):
    for n, place in enumerate(code[:-1]):
        if place.form.ops and state(place.form) and code[n + 1].form.op != "sync" and not release(code[n + 1]) and not waits(code[n + 1].form, p):
            yield place


FLAG = re.compile(r"\bf(\d)\.\d")
CONDITION_FLAG = re.compile(r"\([a-z]+\)f(\d)\.\d")


def flags_read(code, p):
    """The end of the thread after a write of a flag that nothing reads. The form keeps the numbers of flags."""
    pending = set()
    for place in code:
        f = place.form
        if f.eot:
            if pending:
                yield place
            pending = set()
            continue
        if pending:
            pending -= set(FLAG.findall(f.predicate)) | {str(s.number) for s in f.srcs if s.file == "f"}
        if f.condition and f.op not in ("sel", "csel"):
            pending.update(CONDITION_FLAG.findall(f.text))
        if f.dst is not None and f.dst.file == "f":
            pending.add(str(f.dst.number))


def accumulator_cleared(code, p):
    for n in ends(code):
        if not any(place.form.dst is not None and place.form.dst.file == "acc" for place in code[max(0, n - 12):n]):
            yield code[n]


def fence_last(code, p):
    """Writes of the data cache, then the end of the thread without a fence."""
    for n in ends(code):
        writes = any(place.form.send and re.search(r"write|store|atomic|scatter", place.text) and "slm" not in place.text for place in code[:n])
        if writes and not any(place.form.send and FENCE.search(place.text) for place in code[max(0, n - 16):n]):
            yield code[n]


def end_distance(code, p):
    for n in ends(code):
        if not any(d == 1 for _, d in code[n].form.distances()):
            yield code[n]


def end_nop(code, p):
    """Functions may follow; the reference puts the `nop` after the last instruction only."""
    if code and code[-1].form.eot:
        yield code[-1]


def end_payload(code, p):
    for n in ends(code):
        registers = [int(r) for r in REGISTER.findall(code[n].text.partition("//")[0])]
        if registers and min(registers) < 112:
            yield code[n]


def depths(code):
    """The number of divergent branches open at each place: those by a mask of channels, from the branch to its target."""
    at = {label: n for n, place in enumerate(code) for label in place.labels}
    change = [0] * (len(code) + 1)
    for n, place in enumerate(code):
        f = place.form
        if f.op not in ("goto", "if", "while", "break", "cont", "brc", "brd") or f.nomask or not (f.predicated or f.op == "if"):
            continue
        targets = [at[w] for w in place.instruction.words if w in at]
        if not targets:
            continue
        first, last = min(targets + [n]), max(targets + [n])
        change[first + (first == n)] += 1
        change[last + (last == n and first != n)] -= 1
    depth, result = 0, []
    for c in change[:len(code)]:
        depth += c
        result.append(depth)
    return result


def unmasked(code, p):
    for place, depth in zip(code, depths(code)):
        f = place.form
        if depth < 2 or not f.nomask or f.predicated or f.op in CONTROL_FLOW or f.op in ("sync", "nop", "wait") or f.eot:
            continue
        # Predication by any channel of the mask is set up by instructions without a predicate, from the mask to a flag.
        if f.dst is not None and (f.dst.file in ("f", "null") or any(s.file in ("ce", "f", "sr", "cr", "ip") for s in f.srcs)):
            continue
        if f.op == "csel" and f.width <= 4:
            continue
        yield place


def read_suppression(code, p):
    """A divergent branch without the dummy `csel` before it."""
    for n, place in enumerate(code):
        f = place.form
        if f.op in ("goto", "if", "while", "break") and f.predicated and not f.nomask and ".any" not in f.predicate and ".all" not in f.predicate:
            if not any(before.form.op == "csel" and before.form.width <= 4 for before in code[max(0, n - 3):n]):
                yield place


def source_release(code, p):
    """A wait for the sources of a message of the same stretch of code without the moves that make up for their early release. The reference
    looks no further than a block: between labels, and between branches. A class of functions reads its messages in order: the moves after
    a later message of the class are for the earlier ones, too."""
    # Token -> true for a message of loads and stores.
    sent = {}
    for place in code:
        f = place.form
        if place.labels:
            sent.clear()
        tokens = [o for o in place.instruction.options if o.startswith("$")] if "$" in place.text else []
        if not f.send and f.op != "sync" and f.dst is not None and f.dst.grf and any(o.endswith(".src") and o[:-4] in sent for o in tokens):
            yield place
        waited = next((o[:-4] for o in tokens if o.endswith(".src") and o[:-4] in sent), None)
        if waited is not None and f.op == "mov" and f.dst is not None and not f.dst.grf:
            earlier = list(sent)[:list(sent).index(waited)]
            for token in earlier:
                if sent[token] == sent[waited]:
                    del sent[token]
        for token in tokens:
            if "." not in token:
                sent.pop(token, None)
                if f.send and any(length for _, length in list(filter(None, payloads(place)))[1:]):
                    sent[token] = place.instruction.function in ("ugm", "ugml", "slm", "tgm")
        if f.op in CONTROL_FLOW:
            sent.clear()


def header_written(code, p):
    """The first register of the thread's header written, though a preemption reads it."""
    for place in code:
        if HEADER.search(place.text) is None:
            continue
        d = place.form.dst
        if d is not None and d.grf and place.instruction.dst.number == 0:
            yield place
        elif place.form.send and place.instruction.words[:1] and re.match(r"r0(\D|$)", place.instruction.words[0]):
            yield place


def product_after_sum(code, p):
    for before, place in zip(code, code[1:]):
        if place.form.op in ("macl", "mach", "mul") and before.form.op == "add3" and place.form.op == "macl":
            a, b = before.instruction, place.instruction
            if a.srcs[1].grf and b.srcs[1].grf and a.srcs[1].text.split(":")[0] == b.srcs[1].text.split(":")[0]:
                yield place


def overlap(code, p):
    for place in code:
        if not place.form.send:
            continue
        words = place.instruction.words
        lengths = re.search(r"wr:(\d+)h?\+(\d+), rd:(\d+)", place.text)
        if lengths is None or len(words) < 3:
            continue
        first, second, answer = (int(n) for n in lengths.groups())
        ranges = []
        for word, length in zip(words, (answer, first, second)):
            found = re.match(r"r(\d+)", word)
            ranges.append(set(range(int(found[1]), int(found[1]) + length)) if found else set())
        if ranges[0] & (ranges[1] | ranges[2]):
            yield place


def payloads(place):
    """First register and length of both payloads of a message, and of its answer; nothing where the text has none."""
    lengths = re.search(r"wr:(\d+)h?\+(\d+), rd:(\d+)", place.text)
    words = place.instruction.words
    if lengths is None or len(words) < 3:
        return []
    first, second, answer = (int(n) for n in lengths.groups())
    registers = (re.match(r"r(\d+)(?:[:.]|$)", word) for word in words)
    return [(int(r[1]), length) if r and length else None for r, length in zip(registers, (answer, first, second))]


def together(code, p):
    """Payloads that share registers."""
    for place in code:
        if place.form.send:
            _, first, second = payloads(place) or (None, None, None)
            if first and second and first[0] < sum(second) and second[0] < sum(first):
                yield place


def answers_last(code, p):
    """An answer that ends with the last register, over registers that the message sends."""
    for place in code:
        if place.form.op in ("send", "sendc"):
            answer, first, _ = (payloads(place) or (None, None, None))[:3]
            if answer and first and sum(answer) > 127 and sum(first) > answer[0]:
                yield place


def registers_of_file(code, p):
    """A register beyond the file: 128 of them, 256 in the large file of XeHPG and later."""
    last = 255 if p.generation > XE_LP else 127
    legal = set()
    for place in code:
        text = place.text
        if text in legal:
            continue
        if any(int(n) > last for n in REGISTER.findall(text.partition("//")[0])):
            yield place
        else:
            legal.add(text)


FLOW = {"if", "else", "endif", "while", "break", "cont", "goto", "join", "halt", "call", "calla", "ret", "brd", "brc", "jmpi"}


def while_after_flow(code, p):
    """The end of a loop directly after another instruction of control flow."""
    before = None
    for place in code:
        if place.form.op == "while" and before in FLOW:
            yield place
        before = place.form.op


# Name, platforms, function, source.
SEQUENCES = [
    ("while-after-flow", on("lnl", "bmg", "ptl"), while_after_flow, "Mesa mesa_defs.json 22020521218, brw_to_binary.cpp"),
    ("fence-read", on("skl", "icllp"), fence_read, "IGC SWWA.cpp addFenceCommit: the response is read before the next message"),
    ("math-nop", on("skl"), math_nop, "IGC HWCaps.inc hasFdivPowWA, SWWA.cpp HWWorkaround"),
    ("state-next", since(XE_LP), state_next, "IGC SWSB_G4IR.cpp setFollowDistOneAReg, insertSync"),
    ("end-flags", on("skl"), flags_read, "IGC iskl_wa.c WaClearArfDependenciesBeforeEot"),
    ("end-accumulator", on("tgllp"), accumulator_cleared, "IGC Wa_14010017096; Mesa mesa_defs.json"),
    ("end-fence", on("tgllp"), fence_last, "IGC Wa_1807084924 (-waClearHDCWrite)"),
    ("end-distance", on("tgllp", "dg2"), end_distance, "IGC Wa_14013672992"),
    ("end-nop", on("tgllp", "dg2", "pvc"), end_nop, "IGC Wa_16013338947"),
    ("end-payload", on("skl", "icllp", "tgllp", "dg2", "mtl", "pvc", "lnl", "bmg"), end_payload, "PRM: the payload of an end of thread is in r112 to r127; not so on Xe3"),
    ("unmasked-divergent", on("tgllp"), unmasked, "Mesa mesa_defs.json Wa_1808850743; IGC SWWA.cpp doNoMaskWA"),
    ("read-suppression", on("tgllp"), read_suppression, "IGC Wa_16012061344, Wa_16012292205"),
    ("source-release", on("pvc"), source_release, "IGC SWSB_G4IR.cpp PVCSendWARWA"),
    ("header-written", on("skl", "icllp", "tgllp", "dg2", "mtl", "lnl", "bmg", "ptl"), header_written, "IGC getR0AccessFromOptions, mustReserveR1"),
    ("product-after-sum", on("lnl", "bmg", "ptl"), product_after_sum, "Mesa Wa_18035690555 (emit_dummy_mov_mulmac)"),
    ("payloads-overlap", since(XE_LP), together, "Mesa: split-send payloads must not overlap"),
    ("answer-last", on("skl"), answers_last, "Mesa: r127 must not be used for return address when there is a src and dest overlap"),
    ("register-file", since(9), registers_of_file, "Mesa: gen_validate.cpp 549, 557"),
    ("response-overlap", on("icllp", "mtl", "pvc"), overlap, "IGC WaDisableSendSrcDstOverlap"),
]


def select(platform, names=None):
    facts = Platform(platform)
    return facts, [(name, test, source) for name, when, test, source in SEQUENCES if when(facts) and (names is None or name in names)]


# Rule -> why our code, without its object, breaks it. Such findings are shown as decided.
OURS = {
    "unmasked-divergent": "our objects say that such kernels do not run in pairs (docs/errata.md, Wa_1808850743)",
    "flow-jmpi": "our objects say that kernels with a jmpi under divergence do not run in pairs (docs/errata.md, Wa_1808850743)",
}
# (rule, platform) -> why the reference's code breaks it. Such findings are shown with --reference as decided.
DECIDED = {
    ("assembler-warning", "skl"): "the region of `ret`, which the reference's own printer writes out",
    ("assembler-warning", "icllp"): "the region of `ret`, which the reference's own printer writes out",
    ("end-flags", "skl"): "GenX_IR and ocloc make the tree's objects without the driver's option; 328 of the driver's kernels read a flag",
    **{("immediate-vector-step", name): "sums of `uv` and a scalar into dwords, which the rule of `mov` does not reach" for name in ("skl", "icllp", "tgllp")},
    **{("type-bfn-scalar", name): "constants in registers keep the sign of vISA (IGC HWConformity.cpp fixBfnInst of this release)" for name in ("dg2", "mtl", "pvc", "lnl", "bmg", "ptl")},
    ("type-byte-64", "skl"): "selections of bytes into quadwords; the manual forbids conversions by mov",
    ("source-release", "pvc"): "16 of 7,042: the message that is waited for was followed by the moves, or reads no register that is written",
    ("unmasked-divergent", "tgllp"): "calls by address: the return address is made from ip, and copies around the loop over the callees",
}
