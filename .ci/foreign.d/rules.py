"""Rules of one instruction, one a row: name, generations, predicate (true where it is broken), source.

They are written from the sources named, never from Kiln's tables. Sources: `IGC` is the Intel Graphics Compiler (visa/), `Mesa` its
validator (src/intel/compiler/gen/gen_validate.cpp), `PRM` the programmer's reference manuals.
"""
import re

from listing import FLOATS, GENERATIONS, SIZES

LOGIC = {"and", "or", "xor", "not", "bfn"}
PRODUCTS = {"mul", "mad", "mach", "macl", "mac"}
# Operations whose sources take no modifier.
PLAIN = {"rol", "ror", "bfrev", "cbit", "fbh", "fbl", "lzd", "bfi1", "bfi2", "bfe", "dp4a", "addc", "subb"}
DIVISIONS = {"idiv", "iqot", "irem"}
STATE = {"cr", "sr", "ce", "tm", "ip", "sp", "dbg"}
GEN9, GEN11, XE_LP, XE_HPG, XE_HPC, XE2, XE3 = 9, 11, 12.0, 12.5, 12.6, 20, 30


class Platform:
    def __init__(self, name):
        self.name, self.generation = name, GENERATIONS[name]
        self.grf = 64 if self.generation >= XE_HPC else 32


def since(first, last=99):
    return lambda p: first <= p.generation <= last


def on(*names):
    return lambda p: p.name in names


# Facts of an instruction.

def regular(i):
    """An instruction with a typed destination and typed sources, without macro registers."""
    return (i.dst is not None and not i.op.startswith("dpas") and not any(o.macro or o.file == "unknown" for o in i.ops)
            and i.dst.type in SIZES and all(s.type in SIZES for s in live(i)) and bool(live(i)))


def live(i):
    return [s for s in i.srcs if s.file != "null"]


def registers(i):
    return [s for s in i.srcs if s.grf]


def integer(i):
    return not i.dst.float and not any(s.float for s in live(i))


def step(i):
    """Bytes between channels of the destination."""
    return (i.dst.region[0] if len(i.dst.region) == 1 else 1) * i.dst.size


def execution(i):
    return max([2] + [s.size for s in live(i) if s.type not in ("v", "uv", "vf")])


def fixed(o):
    """An operand of a type whose channels keep their place."""
    return o.float or o.size == 8


def dword_product(i):
    return i.op == "mul" and all(s.size == 4 and not s.float for s in i.srcs)


def raw_move(i):
    s = live(i)[0]
    return i.op == "mov" and not i.saturated and i.dst.type.lstrip("u") == s.type.lstrip("u") and not s.modifier and s.file != "immediate"


def three(i):
    return len(i.srcs) == 3


def mixed(i, *types):
    return any(o.type in types for o in i.ops if o.file != "null")


def moves_channels(i, p):
    """A float or 64-bit operand whose channels are not where the destination's are."""
    d = i.dst
    if i.width == 1 or not (d.float or d.size == 8 or dword_product(i) or any(s.size == 8 or s.float and not s.scalar for s in live(i))):
        return False
    for s in registers(i):
        if s.scalar:
            continue
        stride = s.stride(i.width)
        if not d.float and s.type == "hf" or "bf8" in (d.type, s.type) or "hf8" in (d.type, s.type):
            continue
        if stride is None:
            return True
        packed = {d.type, s.type} in ({"f", "hf"}, {"f", "bf"}) or "bf" in (d.type, s.type)
        if packed and 2 in (stride, step(i)):
            continue
        if stride != step(i) or s.offset % p.grf != d.offset % p.grf:
            if d.file == "null" and stride == max(d.size, s.size):
                continue
            return True
    return False


def rows_of_two_bytes(s, d):
    """Packed bytes of rows of two bytes that are out of reach (Mesa, gen_validate.cpp 2053)."""
    vertical, _, horizontal = s.region
    near = horizontal in (0, 1) and vertical < 4 or horizontal == 2 and vertical < 2
    to = d.sub % 32
    there = ((horizontal, vertical) == (1, 4) and to == 2 * (s.sub // 4) and s.sub % 2 == 0
             or (horizontal, vertical) == (2, 4) and to == s.sub // 2 or (horizontal, vertical) == (4, 8) and to == s.sub // 4)
    return not near and not there


def crossbar(i, p):
    """A packed byte or word destination of sources that are not packed at the same place."""
    d = i.dst
    if (i.width == 1 or three(i) or d.float or d.size == 8 or any(s.size == 8 or s.float for s in live(i))):
        return False
    across = step(i) // d.size
    for s in [s for s in i.srcs if s.file in ("r", "indirect")][:2]:
        if s.scalar or len(s.region) != 3:
            continue
        vertical, row, horizontal = s.region
        stride = vertical if row == 1 else horizontal
        rows = row > 1 and row * horizontal != vertical and i.width > row
        one = not rows and "indirect" not in (d.file, s.file)
        if s.size == 2 and d.size * across == 2:
            first = one and d.sub % (32 // d.size) == s.sub // d.size
            bad = stride > 2 or stride == 2 and not first or rows and (d.file == "indirect" or d.offset % 4 != 0)
        elif s.size == 1 and (d.size, across) == (2, 1):
            bad = (stride > 8 or stride == 4 and not (one and 2 * (d.sub % 16) == s.sub // 2)
                   or stride == 8 and not (one and 2 * (d.sub % 8) == s.sub // 4))
        elif s.size == 1 and (d.size, across) == (1, 2):
            bad = (stride > 8 or stride == 4 and not (one and d.sub % 32 == s.sub // 2)
                   or stride == 8 and not (one and d.sub % 16 == s.sub // 4))
        elif s.size == 1 and (d.size, across) == (1, 1) and row != 2:
            bad = (stride > 4 or stride == 2 and not (one and d.sub % 32 == s.sub // 2)
                   or stride == 4 and not (one and d.sub % 16 == s.sub // 4))
        else:
            bad = s.size == 2 and (d.size, across) == (1, 1) or s.size == d.size == across == 1 and rows_of_two_bytes(s, d)
        if bad:
            return True
    return False


def end(o, width, stride):
    """The byte after an operand's last channel, from its register's start."""
    return o.offset + (width - 1) * stride + o.size


def source_end(s, width):
    if len(s.region) != 3 or width < s.region[1]:
        return 0
    vertical, row, horizontal = s.region
    return s.offset + ((width // row - 1) * vertical + (row - 1) * horizontal) * s.size + s.size


def math_source(i, p):
    return any(s.grf and not s.scalar and i.width > 1 and (s.stride(i.width) != s.size or s.offset % p.grf != i.dst.offset % p.grf)
               for s in live(i))


def own_region(i, p):
    s = i.srcs[2]
    if mixed(i, "hf", "bf") and mixed(i, "f"):
        return False
    return (s.grf and not s.scalar and i.width > 1 and i.dst.grf
            and (s.offset % p.grf != i.dst.offset % p.grf or s.stride(i.width) != step(i)))


def waits(i, p):
    """The distance that reads and writes of architecture registers need."""
    return any(d[0] in (("", "A") if p.generation == XE_LP else ("A",)) and d[1] == 1 for d in i.distances())


def state(i):
    return any(o.file in STATE for o in i.ops)


def floating(i):
    """Single and half precision together, in an instruction of one or two sources."""
    return not three(i) and {"f", "hf"} <= {o.type for o in i.ops if o.file != "null"}


def brain(i):
    """`bf` beside other types."""
    types = {o.type for o in i.ops if o.file != "null"}
    return "bf" in types and len(types) > 1


def accumulated(i):
    return i.op in ("mac", "mach", "macl") or any(s.file == "acc" for s in i.srcs[:2])


def leaves_row(i, p):
    """A row of a region that goes on in the next register."""
    return any(len(s.region) == 3 and s.region[1] > 1 and i.width >= s.region[1] and any(
        (s.offset + row * s.region[0] * s.size) // p.grf
        != (s.offset + (row * s.region[0] + (s.region[1] - 1) * s.region[2]) * s.size + s.size - 1) // p.grf
        for row in range(i.width // s.region[1])) for s in registers(i))


def uneven(i, p):
    """A result whose halves are not each a register's."""
    first = sum((i.dst.offset + n * step(i)) // p.grf == 0 for n in range(i.width))
    return first not in (i.width, i.width // 2)


def half_placed(i, p):
    """A half float made of another type, in words that are neither every second one nor packed in an aligned half."""
    if i.dst.type != "hf" or not any(s.type in ("f", "bf", "df") for s in live(i)):
        return False
    return step(i) != 4 and not (floating(i) and step(i) == 2 and i.dst.offset % 16 == 0)


def descriptors(i):
    """The constant descriptors of a message: the extended one, if it is constant, and the other; none if it is in a register."""
    numbers = [int(word, 16) if word.startswith("0x") else None for word in i.words if re.match(r"0x|a0", word)]
    return numbers[-2:] if len(numbers) >= 2 else [None, None]


def load_store(i):
    return i.send and i.function in ("ugm", "ugml", "slm", "tgm", "urb")


def systolic(i):
    return i.op in ("dpas", "dpasw")


def by_floats(i):
    return any(o.type in FLOATS for o in i.ops)


ANY = since(GEN9)
# Name, platforms, predicate (instruction, platform), source. The predicate sees instructions that `regular` takes, unless the name begins
# with a word of BEFORE.
BEFORE = ("swsb", "arf", "a0", "send", "flow", "dpas", "sat", "operation", "channels", "scalar", "null")
RULES = [
    # Scoreboard.
    ("swsb-distance", since(XE_LP), lambda i, p: any(d > 7 for _, d in i.distances()), "IGC SWSB_G4IR.cpp: the field has three bits; iga error"),
    ("swsb-pipe", since(XE_LP, XE_LP), lambda i, p: any(pipe for pipe, _ in i.distances()), "Mesa: SWSB pipe on Gfx12.0"),
    ("swsb-two", since(XE_LP), lambda i, p: len(i.distances()) > 1 or sum(o.startswith("$") for o in i.options) > 1, "PRM: one distance and one token"),
    ("swsb-none", since(GEN9, GEN11), lambda i, p: bool(i.distances()) or any(o.startswith("$") for o in i.options), "PRM: no scoreboard information before Xe"),
    ("swsb-long-pipe", since(XE_HPG), lambda i, p: any(pipe == "" for pipe, _ in i.distances()) and i.op in ("sync",), "IGA SWSB::verify: sync needs a pipe"),
    # Architecture registers.
    ("arf-switch", since(GEN9, GEN11), lambda i, p: i.dst is not None and i.dst.file in STATE | {"tdr", "n"} and "Switch" not in i.options, "IGC G4_Operand noScoreBoard; IGA arfNeedsSwitch"),
    ("arf-wait", since(XE_LP), lambda i, p: state(i) and not waits(i, p), "IGC SWSB_G4IR.cpp getGRFFootPrint"),
    ("arf-float", ANY, lambda i, p: any(o.file == "f" and o.float for o in i.ops) or i.dst is not None and i.dst.file in ("a", "f") and i.dst.float, "IGC HWConformity.cpp fixFloatARFDst"),
    ("a0-hazard", since(XE_HPG, XE_HPC), lambda i, p: i.dst is not None and i.dst.file == "a" and not any(d[0] in ("A", "F") for d in i.distances()), "IGC HWCaps.inc hasA0WARHWissue"),
    ("a0-cross", ANY, lambda i, p: i.dst is not None and i.dst.file == "a" and i.width > 1 and i.dst.offset // 32 != (end(i.dst, i.width, step(i)) - 1) // 32, "PRM: address register, eight dwords"),
    # Control flow.
    ("flow-jmpi", on("tgllp"), lambda i, p: i.op == "jmpi", "IGC CISABuilder.cpp: no workaround for jmpi (Wa_1808850743)"),
    ("flow-switch", since(XE_LP), lambda i, p: bool({"Switch", "NoPreempt", "NoDDChk", "NoDDClr", "Atomic"} & set(i.options)) and not i.op.startswith("dpas") and "Atomic" not in i.options, "PRM: thread control before Xe"),
    ("flow-structured", since(XE_LP), lambda i, p: i.op in ("endif", "if", "else") and i.nomask, "PRM: control flow by channels has no write enable"),
    # Messages.
    ("send-exec", since(XE2), lambda i, p: i.send and i.width > 32, "PRM: execution size"),
    ("send-split", since(XE_LP), lambda i, p: i.op in ("sends", "sendsc"), "Mesa: SENDS is Gfx9 and Gfx11 only"),
    ("send-eot-switch", ANY, lambda i, p: i.eot and i.predicated, "IGC: end of thread has no predicate"),
    # Operations and their types.
    ("type-rotate", since(GEN11), lambda i, p: i.op in ("rol", "ror") and (i.dst.type not in ("uw", "ud", "uq") or i.srcs[0].type not in ("uw", "ud", "uq")), "IGC HWConformity.cpp fixRotate; Mesa; IGA"),
    ("type-rotate-sizes", since(GEN11), lambda i, p: i.op in ("rol", "ror") and i.dst.type != i.srcs[0].type and i.srcs[0].file != "immediate", "Mesa: ROR and ROL require src0 and dst to have the same type"),
    ("type-rotate-q", since(GEN11, XE_HPG), lambda i, p: i.op in ("rol", "ror") and i.dst.size == 8, "PRM: 64-bit rotates from XeHPC on"),
    ("type-bfn", since(XE_HPG), lambda i, p: i.op == "bfn" and (i.dst.type not in ("uw", "ud") or any(s.type not in ("uw", "ud") for s in i.srcs if not s.scalar)), "IGC HWConformity.cpp fixBfnInst; Mesa; IGA"),
    ("type-bfi2", ANY, lambda i, p: i.op == "bfi2" and (i.dst.type not in ("d", "ud") or any(s.size != 4 for s in i.srcs if s.file != "immediate")), "Mesa: BFI2 types"),
    ("type-byte-product", ANY, lambda i, p: i.op in PRODUCTS and i.dst.size == 1 and i.dst.file != "null" and integer(i), "IGC HWConformity.cpp fixDstAlignment; PRM mul"),
    ("type-float-product", ANY, lambda i, p: i.op == "mul" and i.dst.float and any(not s.float for s in live(i) if s.file != "immediate"), "Mesa: MUL cannot mix"),
    ("type-add-mix", ANY, lambda i, p: i.op == "add" and len({s.float for s in live(i)}) > 1, "Mesa: ADD cannot mix floating-point and integer source types"),
    ("type-add3", since(XE_HPG), lambda i, p: i.op == "add3" and any(o.size not in (2, 4) or o.float for o in i.ops if o.file != "null"), "PRM add3: words and dwords"),
    ("type-avg", ANY, lambda i, p: i.op == "avg" and any(o.float or o.size == 8 for o in i.ops if o.file != "null"), "Mesa: AVG"),
    ("type-half-int", ANY, lambda i, p: len(live(i)) < 3 and i.width > 1 and i.dst.grf and any((i.dst.type == "hf") != (s.type == "hf") and not (i.dst.float and s.float) and "hf" in (i.dst.type, s.type) for s in live(i)) and (step(i) != 4 or i.dst.offset % 4 != 0), "Mesa: conversions between integer and HF; IGC fixIntToHFMove"),
    ("type-byte-64", ANY, lambda i, p: not three(i) and (i.dst.size == 8 and any(s.size == 1 for s in live(i)) or i.dst.size == 1 and any(s.size == 8 and s.file != "immediate" for s in live(i))), "Mesa: no direct conversions between 64 bits and bytes"),
    ("type-half-64", ANY, lambda i, p: not three(i) and (i.dst.size == 8 and any(s.type == "hf" for s in live(i)) or i.dst.type == "hf" and any(s.size == 8 for s in live(i))), "Mesa: no direct conversions between 64 bits and HF"),
    ("type-byte-src1", since(GEN11), lambda i, p: len(i.srcs) > 1 and i.srcs[1].file != "immediate" and i.srcs[1].size == 1 and i.srcs[1].file != "null", "IGC HWCaps.inc noSrc1Byte; Mesa"),
    ("type-byte-src2", since(GEN11), lambda i, p: three(i) and i.srcs[2].size == 1 and i.srcs[2].grf, "Mesa: byte data type of src1/2"),
    ("type-byte-alu", since(XE_HPC), lambda i, p: i.op != "mov" and i.width > 1 and three(i) and any(o.grf and o.size == 1 for o in i.ops), "IGC HWCaps.inc hasByteALU"),
    ("type-carry", ANY, lambda i, p: i.op in ("addc", "subb") and any(o.type != "ud" for o in i.ops[:2] if o.file not in ("immediate", "null")), "PRM addc, subb: unsigned dwords"),
    ("type-mad-dword", since(XE_LP), lambda i, p: i.op == "mad" and i.dst.size == 4 and not i.dst.float and i.srcs[2].size == 4, "PRM mad: src2 is a word; IGC"),
    ("type-csel", since(GEN9, GEN9), lambda i, p: i.op == "csel" and any(o.type != "f" for o in i.ops), "Mesa: CSEL on Gfx9 is F"),
    ("type-count", ANY, lambda i, p: i.op in ("fbl", "cbit") and (i.dst.type != "ud" or i.srcs[0].float), "IGA operand types of fbl, cbit"),
    # Modifiers and conditions.
    ("modifier-product-word", since(XE_LP), lambda i, p: i.op == "mul" and integer(i) and execution(i) == 4 and any(s.size < 4 and s.modifier and s.file != "immediate" for s in live(i)), "IGC supportSrcModforMul"),
    ("modifier-product", since(XE_LP), lambda i, p: i.op in ("mul", "mach", "macl") and integer(i) and execution(i) == 4 and any(s.modifier for s in live(i) if s.file != "immediate"), "IGC supportSrcModforMul"),
    ("modifier-logic", ANY, lambda i, p: i.op in LOGIC and any("abs" in s.modifier for s in live(i)), "Mesa: logic instructions do not support abs"),
    ("modifier-bfn", since(XE_HPG), lambda i, p: i.op == "bfn" and any(s.modifier for s in live(i) if s.file != "immediate"), "Mesa: BFN does not support source modifiers"),
    ("modifier-plain", ANY, lambda i, p: i.op in PLAIN and any(s.modifier for s in live(i) if s.file != "immediate"), "PRM: source modifier of the operation; shifts have them"),
    ("condition-logic", ANY, lambda i, p: i.op in LOGIC and i.condition in ("ov", "un", "o", "u"), "Mesa: logic instructions must not use OV or UN"),
    ("condition-cmp", ANY, lambda i, p: i.op in ("cmp", "cmpn", "csel") and i.condition is None and not (i.op == "csel" and i.width <= 4), "Mesa: CMP and CSEL must have a condition modifier"),
    ("condition-sel", ANY, lambda i, p: i.op == "sel" and (i.condition is not None) == i.predicated, "Mesa: SEL must be predicated or use a condition modifier, but not both"),
    ("condition-csel", ANY, lambda i, p: i.op == "csel" and i.predicated, "Mesa: CSEL cannot be predicated"),
    ("condition-bfi2", ANY, lambda i, p: i.op in ("bfi2", "bfe") and (i.condition is not None or i.saturated), "Mesa: BFI2 cannot use a condition modifier or saturate"),
    ("sat-bfn", since(XE_HPG), lambda i, p: i.op == "bfn" and i.saturated, "Mesa: BFN cannot use saturate"),
    # Math.
    ("math-half-width", since(XE_HPG), lambda i, p: i.op == "math" and {o.type for o in i.ops if o.file != "null"} == {"hf"} and 1 < i.width < p.grf // 4, "IGC HWConformity.cpp fixMathInst: packed halves in whole registers of channels"),
    ("math-destination", ANY, lambda i, p: i.op == "math" and (not i.dst.grf or i.width > 1 and step(i) != i.dst.size) and not (i.dst.type == "hf" and p.generation < XE_HPG), "IGC HWConformity.cpp fixMathInst; Mesa"),
    ("math-indirect", ANY, lambda i, p: i.op == "math" and any(s.file == "indirect" for s in live(i)), "IGC HWConformity.cpp fixMathInst"),
    ("math-source", since(XE_LP), lambda i, p: i.op == "math" and math_source(i, p), "IGC HWConformity.cpp fixMathInst"),
    ("math-scalar-half", on("pvc", "lnl", "bmg", "ptl"), lambda i, p: i.op == "math" and i.width > 1 and any(s.type == "hf" and s.scalar and s.grf for s in live(i)), "IGC HWCaps.inc hasHFMathSrcBroadCast, skuwa igt_20_04, igt_30_00 Wa_22016140776"),
    ("math-integer", ANY, lambda i, p: i.op == "math" and i.function in DIVISIONS and (p.generation >= XE_HPG or any(o.type not in ("d", "ud") or o.modifier for o in i.ops)), "Mesa: MATH integer divide"),
    ("math-types", ANY, lambda i, p: i.op == "math" and i.function not in DIVISIONS and any(o.type not in ("f", "hf") + (("df",) if i.function in ("invm", "rsqtm") else ()) for o in i.ops if o.file != "null"), "Mesa: MATH types"),
    ("math-mixed", since(XE_HPG), lambda i, p: i.op == "math" and len({o.type for o in i.ops if o.file != "null"}) > 1, "Mesa: MATH src0 and dst types must match from Gfx12.5 on"),
    ("math-removed", since(XE_HPG), lambda i, p: i.op == "math" and i.function in ("fdiv", "pow"), "Mesa: MATH POW and FDIV are not supported on Gfx12.5+"),
    # Regions of floats and 64 bits.
    ("region-address", since(XE_HPG), lambda i, p: any(s.by_channel and (s.size == 8 or s.float) for s in live(i)), "IGC HWCaps.inc hasVxHFloat64b; Mesa"),
    ("region-address-float", since(XE_HPG), lambda i, p: i.width > 1 and (i.dst.file == "indirect" and fixed(i.dst) and any(not s.scalar for s in live(i)) or any(s.file == "indirect" and not s.by_channel and not s.scalar and fixed(s) for s in live(i))), "IGC HWConformity.cpp fixUnalignedRegions"),
    ("region-channels", since(XE_HPG), moves_channels, "PRM: channels keep the place of their lowest bit; Mesa; IGC fixUnalignedRegions"),
    ("region-byte-float", since(XE_HPG), lambda i, p: i.width > 1 and i.dst.float and any(s.size == 1 and s.scalar and s.file != "immediate" for s in live(i)), "IGC HWConformity.cpp"),
    # Regions of bytes and words.
    ("region-crossbar", since(XE_HPC), lambda i, p: i.dst.file != "null" and crossbar(i, p), "IGC HWConformity.cpp fixByteXBarRestriction; Mesa: special restrictions"),
    ("region-null", since(XE_HPC), lambda i, p: i.dst.file == "null" and i.width > 1 and step(i) < 4 and any(not s.scalar for s in registers(i)) and integer(i), "IGC HWConformity.cpp: restrictions even on null"),
    ("region-byte-packed", ANY, lambda i, p: i.width > 1 and i.dst.file in ("r", "null") and step(i) == 1 and i.dst.type not in FLOATS and not raw_move(i) and not all(s.scalar for s in live(i)), "Mesa: packed byte destinations are only allowed for raw MOV"),
    ("region-odd-word", on("pvc", "lnl", "bmg"), lambda i, p: len(i.srcs) > 1 and i.dst.grf and i.dst.size == 1 and step(i) > 2 and i.srcs[1].grf and i.srcs[1].size == 2 and i.srcs[1].sub % 2 == 1, "Mesa mesa_defs.json Wa_14017715663; IGC hasBDstWSrc1EvenAlignIssue"),
    ("region-sel-word", on("pvc", "lnl", "bmg", "ptl"), lambda i, p: i.op == "sel" and i.dst.grf and i.dst.size == 2 and any(s.size == 4 and s.file != "immediate" for s in live(i)) and i.dst.offset % 4 != 0, "Mesa mesa_defs.json Wa_18027439769"),
    # Destinations.
    ("destination-stride", ANY, lambda i, p: i.width > 1 and i.dst.grf and execution(i) > i.dst.size and step(i) < execution(i) and not mixed(i, "hf", "bf") and not (i.dst.size == 1 and raw_move(i)), "Mesa: destination stride must match the ratio; IGC fixDstAlignment"),
    ("destination-offset", ANY, lambda i, p: i.width > 1 and i.dst.grf and execution(i) > i.dst.size and not mixed(i, "hf", "bf") and not (i.dst.size == 1 and raw_move(i)) and i.dst.offset % execution(i) > (1 if i.dst.size == 1 else 0) and not (i.dst.size == 1 and p.generation >= XE_HPC), "Mesa: destination subregister must align"),
    ("destination-span", ANY, lambda i, p: i.width > 1 and i.dst.grf and end(i.dst, i.width, step(i)) > 2 * p.grf, "Mesa: a destination cannot span more than 2 registers"),
    ("destination-zero", ANY, lambda i, p: i.dst.region == [0], "Mesa: destination horizontal stride must not be 0"),
    # Source regions, of any type.
    ("source-span", ANY, lambda i, p: i.width > 1 and any(source_end(s, i.width) > 2 * p.grf for s in registers(i)), "Mesa: a source cannot span more than 2 registers"),
    ("source-width", ANY, lambda i, p: any(len(s.region) == 3 and s.region[1] > i.width for s in registers(i)), "Mesa: ExecSize must be greater than or equal to Width"),
    ("source-vertical", ANY, lambda i, p: any(len(s.region) == 3 and i.width == s.region[1] > 1 and s.region[2] and s.region[0] != s.region[1] * s.region[2] for s in registers(i)), "Mesa: VertStride must equal Width * HorzStride"),
    ("source-one", ANY, lambda i, p: any(len(s.region) == 3 and (s.region[1] == 1 and s.region[2] != 0 or s.region[0] == s.region[2] == 0 and s.region[1] != 1) for s in registers(i)), "Mesa: regions of width 1"),
    # Three sources.
    ("three-destination", since(GEN11, XE_LP), lambda i, p: three(i) and i.dst.grf and i.width > 1 and i.dst.offset % 8 != 0, "IGC HWCaps.inc has3SrcDstAlignRequirement"),
    ("three-src2", since(GEN11), lambda i, p: three(i) and own_region(i, p), "IGC HWConformity.cpp isGoodAlign1TernarySrc, noSrc2Regioning"),
    ("three-indirect", ANY, lambda i, p: three(i) and any(o.file == "indirect" for o in i.ops), "Mesa: 3-source operands must use direct addressing"),
    ("three-groups", since(GEN9, GEN9), lambda i, p: three(i) and i.dst.type not in ("f", "df", "d", "ud", "hf"), "Mesa: gen_validate.cpp 690"),
    ("three-step", since(GEN11), lambda i, p: three(i) and i.dst.grf and step(i) > 2 * i.dst.size, "Mesa: 3-source destination stride must be 1 or 2"),
    # Accumulators.
    ("accumulator-product", ANY, lambda i, p: i.op in ("mul", "mach", "macl", "math") and integer(i) and any(s.file == "acc" for s in i.srcs), "Mesa: MUL integer sources cannot use accumulator registers"),
    ("accumulator-logic", ANY, lambda i, p: i.op in LOGIC and any(s.file == "acc" and s.modifier for s in i.srcs), "Mesa: logic source modifiers are not allowed on accumulators"),
    ("accumulator-indirect", since(XE_LP), lambda i, p: any(o.file == "indirect" for o in i.ops) and (i.dst.file == "acc" or "AccWrEn" in i.options and i.op not in ("addc", "subb")), "IGC avoidAccDstWithIndirectSource"),
    ("accumulator-src2", since(XE_LP, XE_HPC), lambda i, p: three(i) and i.srcs[2].file == "acc", "IGC: src2 is no accumulator before Xe2"),
    ("accumulator-control", since(XE2), lambda i, p: "AccWrEn" in i.options, "Mesa: AccWrControl is not present on Gfx20+"),
    ("accumulator-carry", ANY, lambda i, p: i.op in ("addc", "subb") and i.width > p.grf // 4, "IGC HWConformity.cpp fixAddcSubb: the accumulator's width"),
    ("accumulator-carry-start", ANY, lambda i, p: i.op in ("addc", "subb") and i.width > 1 and i.dst.grf and i.dst.offset != 0, "IGC HWConformity.cpp fixAddcSubb"),
    # Operations of a generation.
    ("operation-gone", since(GEN11), lambda i, p: i.op in ("dp2", "dp3", "dp4", "dph", "line", "lrp", "pln"), "Mesa: Gfx9 only"),
    ("operation-wait", since(XE_LP), lambda i, p: i.op == "wait", "Mesa: WAIT is Gfx9 and Gfx11 only"),
    ("operation-xe", since(GEN9, GEN11), lambda i, p: i.op in ("add3", "bfn", "dp4a", "sync"), "Mesa: Gfx12+ only"),
    ("operation-rotate", since(GEN9, GEN9), lambda i, p: i.op in ("rol", "ror"), "Mesa: Gfx11+ only"),
    ("operation-systolic", since(GEN9, XE_LP), lambda i, p: systolic(i), "Mesa: DPAS is Gfx12.5+ only"),
    ("operation-srnd", since(GEN9, XE_HPG), lambda i, p: i.op == "srnd", "Mesa: SRND is Gfx20+ only; IGA: from XeHPC on"),
    # Channels.
    ("channels-step", ANY, lambda i, p: i.first % (8 if p.generation >= XE_HPC else 4) != 0, "Mesa: channel offset must be a multiple of 4, of 8 for Gfx20+; IGC hasNibCtrl"),
    ("channels-group", since(XE_LP), lambda i, p: i.width and i.first % i.width != 0, "Mesa: the execution size must be a factor of the chosen offset"),
    ("channels-size", ANY, lambda i, p: i.width not in (1, 2, 4, 8, 16, 32), "Mesa: gen_validate.cpp 496"),
    ("channels-groups", since(GEN11), lambda i, p: "Align16" in i.options, "Mesa: gen_validate.cpp 499"),
    # Sources that are missing or immediate.
    ("null-first", ANY, lambda i, p: len(i.srcs) in (1, 2) and i.srcs[0].file == "null" and i.dst.file != "null" and i.op not in ("sync", "math"), "Mesa: src0 is null"),
    ("null-second", ANY, lambda i, p: len(i.srcs) == 2 and i.srcs[1].file == "null" and i.op != "math", "Mesa: src1 is null"),
    ("condition-immediate-64", since(XE_LP), lambda i, p: i.condition is not None and len(i.srcs) == 1 and i.srcs[0].file == "immediate" and i.srcs[0].size == 8, "Mesa: condition modifier with a 64-bit immediate"),
    ("three-immediate-second", ANY, lambda i, p: three(i) and i.srcs[1].file == "immediate", "Mesa: 3-source instructions cannot use an immediate src1"),
    ("three-immediate", since(GEN9, GEN9), lambda i, p: three(i) and any(s.file == "immediate" for s in i.srcs), "Mesa: Gfx9 3-source instructions cannot use immediate sources"),
    ("three-immediate-select", since(GEN11, GEN11), lambda i, p: i.op in ("bfe", "csel") and any(s.file == "immediate" for s in i.srcs), "Mesa: BFE and CSEL cannot use immediate sources on Gfx11"),
    ("three-immediate-both", since(GEN11, GEN11), lambda i, p: i.op in ("mad", "dp4a") and i.srcs[0].file == i.srcs[2].file == "immediate", "Mesa: MAD and DP4A at most one immediate on Gfx11"),
    ("three-immediate-insert", ANY, lambda i, p: i.op == "bfi2" and any(s.file == "immediate" for s in i.srcs), "Mesa: BFI2 cannot use immediate sources"),
    ("three-immediate-sum", since(XE_HPG), lambda i, p: i.op == "add3" and any(s.file == "immediate" and s.type not in ("w", "uw") for s in i.srcs), "Mesa: ADD3 immediate sources are W or UW"),
    ("three-files", since(GEN11), lambda i, p: three(i) and i.dst.file not in ("r", "acc", "null"), "Mesa: 3-source destination is a GRF, accumulator or null"),
    ("three-kinds", since(GEN11), lambda i, p: three(i) and any(s.float != i.dst.float for s in live(i)), "Mesa: 3-source source type must match the destination"),
    # Types of a platform.
    ("type-bfloat", since(GEN9, XE_LP), lambda i, p: mixed(i, "bf"), "Mesa: bfloat16 support"),
    ("type-double", on("icllp", "tgllp", "dg2"), lambda i, p: mixed(i, "df"), "Mesa: 64-bit float support"),
    ("type-quad", on("icllp", "tgllp", "dg2", "mtl"), lambda i, p: i.op != "mov" and mixed(i, "q", "uq"), "Mesa: 64-bit integer support; IGC noInt64"),
    ("type-srnd", since(XE_HPC), lambda i, p: i.op == "srnd" and [o.type for o in i.ops] not in (["hf", "f", "f"], ["bf8", "hf", "hf"], ["ub", "hf", "hf"]), "Mesa: SRND dst=HF, src0/src1=F"),
    ("type-half-place", ANY, lambda i, p: i.width > 1 and not three(i) and i.dst.grf and half_placed(i, p), "Mesa: conversions to HF use even/odd words or an aligned packed half"),
    ("type-csel-sizes", since(GEN11), lambda i, p: i.op == "csel" and len({(o.size, o.float) for o in i.ops if o.file not in ("null", "immediate")}) > 1, "Mesa: CSEL cannot mix operand sizes or kinds"),
    ("type-csel-kinds", since(GEN11), lambda i, p: i.op == "csel" and any(o.type not in ("f", "hf", "d", "ud", "w", "uw") for o in i.ops if o.file != "null"), "Mesa: gen_validate.cpp 1545, 1553"),
    ("type-bfn-scalar", since(XE_HPG), lambda i, p: i.op == "bfn" and any(s.type not in ("uw", "ud") for s in i.srcs), "Mesa: gen_validate.cpp 1652"),
    ("type-math-integer", ANY, lambda i, p: i.op == "math" and i.function in DIVISIONS and len({o.size for o in i.ops if o.file != "null"}) > 1, "Mesa: MATH integer divide, matching operand types"),
    ("type-lrp", since(GEN9, GEN9), lambda i, p: i.op == "lrp" and any(o.type != "f" for o in i.ops), "Mesa: LRP, F type"),
    ("type-logic", ANY, lambda i, p: i.op in LOGIC and by_floats(i), "PRM and, or, xor, not: integers"),
    ("type-bfi2-equal", ANY, lambda i, p: i.op == "bfi2" and len({o.size for o in i.ops}) > 1, "Mesa: BFI2 source types must match the destination"),
    # Products.
    ("product-order", ANY, lambda i, p: i.op == "mul" and not i.srcs[1].float and i.srcs[1].size == 4 and i.srcs[1].type not in ("v", "uv") and i.srcs[0].size < 4, "Mesa: the DWord operand must be src0"),
    ("product-modified", ANY, lambda i, p: i.op == "mul" and integer(i) and any(s.size == 4 for s in i.srcs) and i.dst.size <= 4 and (i.saturated or i.condition is not None), "Mesa: DWord MUL without saturate and conditional modifiers"),
    # Regions.
    ("region-row", ANY, lambda i, p: leaves_row(i, p), "Mesa: VertStride must be used to cross GRF register boundaries"),
    ("source-scalar", ANY, lambda i, p: i.width == 1 and any(len(s.region) == 3 and s.region[1] == 1 and s.region != [0, 1, 0] for s in registers(i)), "Mesa: ExecSize 1 and Width 1, both strides 0"),
    ("region-line", since(GEN9, GEN9), lambda i, p: i.op in ("line", "pln") and not i.srcs[0].scalar, "Mesa: LINE and PLN, src0 <0;1,0>"),
    ("math-halves", ANY, lambda i, p: i.op == "math" and i.width > 1 and i.dst.grf and uneven(i, p), "Mesa: MATH writes evenly split between two registers"),
    ("math-accumulator", ANY, lambda i, p: i.op == "math" and any(s.file == "acc" for s in live(i)) and (p.generation >= XE2 or i.function not in ("invm", "rsqtm")), "Mesa: accumulator reads only by IEEE macros"),
    ("immediate-vector-start", ANY, lambda i, p: i.dst.grf and any(s.type in ("v", "uv", "vf") for s in live(i)) and i.dst.offset % 16 != 0, "Mesa: destination 128-bit aligned for vector immediates"),
    ("immediate-vector-step", ANY, lambda i, p: i.dst.grf and i.width > 1 and any(s.type in ("v", "uv") and step(i) != 2 or s.type == "vf" and step(i) != 4 for s in live(i)), "Mesa: destination stride of vector immediates"),
    ("region-state", since(XE_HPG), lambda i, p: i.width > 1 and (i.dst.float or i.dst.size == 8) and any(o.file not in ("r", "indirect", "acc", "null", "s", "immediate") for o in i.ops), "Mesa: explicit ARF operands are null, accumulator or scalar for float and 64 bits"),
    # Single and half precision together.
    ("float-indirect", ANY, lambda i, p: floating(i) and i.op != "mov" and any(s.file == "indirect" for s in live(i)), "Mesa: indirect addressing on source in mixed float mode"),
    ("float-width", since(GEN9, XE_HPC), lambda i, p: floating(i) and i.dst.type == "f" and i.op != "mov" and i.width > (16 if p.generation >= XE_HPC else 8), "Mesa: mixed float mode with a 32-bit destination is limited to SIMD8"),
    ("float-packed", since(GEN9, XE_HPC), lambda i, p: floating(i) and i.dst.type == "hf" and i.op != "mov" and step(i) == 2 and i.width > (16 if p.generation >= XE_HPC else 8), "Mesa: SIMD8 with a packed half-float destination"),
    ("float-math", since(GEN9, XE_LP), lambda i, p: i.op == "math" and floating(i) and any(s.type == "hf" and s.grf and not s.scalar and i.width > 1 and s.stride(i.width) != 4 for s in live(i)), "Mesa: mixed-float MATH, strided half-float inputs"),
    ("float-accumulator", ANY, lambda i, p: floating(i) and i.dst.type == "hf" and i.dst.grf and i.width > 1 and accumulated(i) and step(i) != 4, "Mesa: accumulator sources with half-float destinations, stride 2"),
    ("bfloat-pure", since(XE_HPG), lambda i, p: not i.op.startswith("dpas") and i.op != "mov" and {o.type for o in i.ops if o.file != "null"} == {"bf"}, "Mesa: pure bfloat operands are not supported"),
    ("bfloat-width", since(XE_HPG), lambda i, p: brain(i) and i.width > (16 if p.generation >= XE_HPC else 8), "Mesa: mixed bfloat mode is limited to SIMD8, SIMD16 on Gfx20+"),
    ("bfloat-scalar", since(XE_HPG), lambda i, p: brain(i) and i.width > 1 and any(s.type == "bf" and s.scalar for s in live(i)), "Mesa: broadcast of bfloat scalar"),
    ("bfloat-product", since(XE_HPG), lambda i, p: brain(i) and i.op in PRODUCTS and i.srcs[-1].type == "bf", "Mesa: bfloat in the last source of a multiplier instruction"),
    ("bfloat-destination", since(XE_HPG), lambda i, p: brain(i) and i.dst.type == "bf" and i.dst.grf and i.width > 1 and not (step(i) == 2 and i.dst.offset in (0, p.grf // 2) or step(i) == 4 and i.dst.offset in (0, 2)), "Mesa: packed or unpacked bfloat destination"),
    ("bfloat-source", since(XE_HPG), lambda i, p: brain(i) and i.width > 1 and any(s.type == "bf" and not s.scalar and (s.stride(i.width) != 2 or s.offset not in (0, p.grf // 2)) for s in registers(i)), "Mesa: bfloat sources must be packed, offset 0 or half a GRF"),
    # More of single operations.
    ("condition-bfn", since(XE_HPG), lambda i, p: i.op == "bfn" and i.condition not in (None, "eq", "ze", "e", "z", "gt", "g", "lt", "l"), "Mesa: BFN supports ZE, GT, LT"),
    ("accumulator-dp4a", since(XE_LP), lambda i, p: i.op == "dp4a" and i.srcs[0].file == i.srcs[1].file == "acc", "Mesa: at most one of DP4A src0 and src1"),
    # Systolic products.
    ("dpas-width", since(XE_HPG), lambda i, p: systolic(i) and i.width != (16 if p.generation >= XE_HPC else 8), "Mesa: DPAS execution size must be 8, 16 on Gfx20+"),
    ("dpas-depth", since(XE_HPG), lambda i, p: systolic(i) and not i.function.startswith("8x"), "Mesa: DPAS systolic depth must be 8"),
    ("dpas-start", since(XE_HPG), lambda i, p: systolic(i) and i.srcs[1].sub != 0, "Mesa: DPAS src1 subregister offset must be 0"),
    ("dpas-floats", since(XE_HPG), lambda i, p: systolic(i) and by_floats(i) and (i.srcs[1].type != i.srcs[2].type or i.srcs[1].type not in ("hf", "bf") + (("tf32",) if p.generation >= XE_HPC else ())), "Mesa: DPAS src1 and src2 types in floating-point mode; IGC tf32"),
    ("dpas-float-sum", since(XE_HPG), lambda i, p: systolic(i) and by_floats(i) and any(o.file != "null" and o.type not in ("f",) + ((i.srcs[1].type,) if p.generation >= XE_HPC else ()) for o in (i.dst, i.srcs[0])), "Mesa: DPAS destination and src0 types in floating-point mode"),
    ("dpas-sum", since(XE_HPG), lambda i, p: systolic(i) and not by_floats(i) and any(o.file != "null" and o.type not in ("d", "ud") for o in (i.dst, i.srcs[0])), "Mesa: DPAS destination and src0 types in integer mode"),
    ("dpas-unsigned", since(XE_HPG), lambda i, p: systolic(i) and i.dst.type == "ud" and any(s.type in ("d", "b", "s4", "s2") for s in i.srcs if s.file != "null"), "Mesa: DPAS with an unsigned destination, all sources unsigned"),
    ("dpas-rows", since(XE_HPG), lambda i, p: systolic(i) and any(o.grf and o.offset % (i.width * o.size) for o in (i.dst, i.srcs[0])), "Mesa: gen_validate.cpp 1715, 1717"),
    ("dpas-file", since(XE_HPG), lambda i, p: systolic(i) and any(not s.grf for s in i.srcs[1:]), "Mesa: gen_validate.cpp 1663, 1665"),
    # Messages.
    ("send-lsc", since(GEN9, XE_LP), lambda i, p: i.send and i.function in ("ugm", "ugml", "slm", "tgm"), "Mesa: gen_validate.cpp 1947"),
    ("send-block-2d-size", since(XE_HPC), lambda i, p: load_store(i) and i.function == "ugm" and descriptors(i)[1] is not None and descriptors(i)[1] & 0x3F in (3, 7) and descriptors(i)[1] >> 9 & 7 > 3, "Mesa: gen_validate.cpp 1897"),
    ("send-payload", ANY, lambda i, p: i.send and len(i.words) > 1 and not re.match(r"r\d" + (r"|s0|r\[s0|null" if p.generation >= XE3 else "|null"), i.words[1]), "Mesa: send from non-GRF"),
    ("send-transposed", since(XE_HPG), lambda i, p: load_store(i) and i.width > 1 and descriptors(i)[1] is not None and descriptors(i)[1] & 0x3F in (0, 4) and descriptors(i)[1] >> 15 & 1, "Mesa: transposed LSC vectors, exec_size 1"),
    ("send-block-2d", since(XE_HPC), lambda i, p: load_store(i) and descriptors(i)[1] is not None and descriptors(i)[1] & 0x3F in (3, 7) and (i.function not in ("ugm", "tgm") or i.function == "ugm" and descriptors(i)[1] >> 29 & 3), "Mesa: LSC 2D block messages, UGM flat or TGM"),
    ("send-block-2d-platform", since(XE_HPG, XE_HPG), lambda i, p: load_store(i) and descriptors(i)[1] is not None and descriptors(i)[1] & 0x3F in (3, 7) and i.function != "tgm", "Mesa: LSC 2D block messages; IGC has2DBlockMessage: from XeHPC on"),
    ("send-urb-header", since(GEN9, XE_HPG), lambda i, p: i.send and i.function == "urb" and descriptors(i)[1] is not None and not descriptors(i)[1] >> 19 & 1, "Mesa: header must be present for all pre-Gfx20 URB messages"),
    ("send-port", since(XE2), lambda i, p: i.send and i.function in ("dc0", "dc1", "dc2", "dcro"), "IGA: no data ports since Xe2"),
    # Scalar registers.
    ("scalar-platform", since(GEN9, XE2), lambda i, p: any(o.file == "s" for o in i.ops), "Mesa: scalar registers are not available before Gfx30"),
    ("scalar-write", since(XE3), lambda i, p: i.dst is not None and i.dst.file == "s" and i.op != "mov", "Mesa: scalar-register destinations only for MOV"),
    ("scalar-types", since(XE3), lambda i, p: i.dst is not None and i.dst.file == "s" and (i.dst.type not in ("uw", "w", "ud", "d", "uq", "q") or any(s.size != i.dst.size for s in i.srcs if s.file != "immediate")), "Mesa: scalar-register MOV, matching integers"),
    ("scalar-immediate", since(XE3), lambda i, p: i.dst is not None and i.dst.file == "s" and i.width > 1 and any(s.file == "immediate" for s in i.srcs), "Mesa: scalar-register MOV with an immediate, exec_size 1"),
    ("scalar-source", since(XE3), lambda i, p: any(s.file == "s" for s in i.srcs) and (i.op != "mov" or i.dst.file == "s" or not i.srcs[0].scalar), "Mesa: scalar-register sources only in MOV, by broadcast"),
]


def select(platform, names=None):
    """The rules of a platform: (name, predicate, source), and whether each sees every instruction."""
    facts = Platform(platform)
    return facts, [(name, test, source, name.split("-")[0] in BEFORE) for name, when, test, source in RULES
                   if when(facts) and (names is None or name in names)]


def check(rules, facts, instruction):
    """(name, source) of each broken rule."""
    usual = regular(instruction)
    return [(name, source) for name, test, source, every in rules if (every or usual) and test(instruction, facts)]
