//! Limits of operations: what types, regions, modifiers and registers of theirs do not go together.
//!
//! Each row is a statement about one decoded instruction and the families that it holds for, with its source: PRM is the
//! programmer's reference manuals, IGC the reference compiler (`visa/`), Mesa its validator
//! (`src/intel/compiler/gen/gen_validate.cpp`). Rules of every operation are in [`super::verify`].

use crate::encoding::spec;
use crate::encoding::spec::Form;
use crate::footprint;
use crate::inst::{
    Cond, Desc, Dst, Inst, MathFn, Op, Pipe, Place, Reg, RegFile, Region, Src, SrcMod, SrcReg, Type,
};
use crate::messages::Function;
use crate::platform::{Family, Platform};
use crate::verify::region::linear_stride;

/// An instruction and its platform.
struct Facts<'a> {
    inst: &'a Inst,
    platform: &'a Platform,
}

/// True for an instruction that breaks the rule.
type Rule = fn(&Facts) -> bool;

/// The families of a rule: from the first to the last.
type Families = (Family, Family);

const ANY: Families = (Family::Gen9, Family::Xe3);
const GEN9: Families = (Family::Gen9, Family::Gen9);
const GEN11: Families = (Family::Gen11, Family::Gen11);
const BEFORE_XE2: Families = (Family::Gen9, Family::XeHpc);

const fn since(first: Family) -> Families {
    (first, Family::Xe3)
}

/// Rules of operations that compute: with a destination, sources, and regions of single elements.
const COMPUTING: &[(Families, Rule, &str)] = &[
    // Sources that are missing or beside a type. Mesa 623, 629, 837, 844; IGC noSrc1Byte.
    (
        ANY,
        |i| {
            i.inst.srcs.len() < 3 && !i.is_math() && is_null(i.inst.srcs.first()) && !i.is_to_null()
        },
        "has no first source",
    ),
    (
        ANY,
        |i| i.inst.srcs.len() == 2 && !i.is_math() && is_null(i.inst.srcs.get(1)),
        "has no second source",
    ),
    (
        since(Family::Gen11),
        |i| i.inst.srcs.len() > 1 && i.register(1).is_some_and(|src| src.ty.bytes() == 1),
        "has bytes as second source",
    ),
    // Floats of eight bits. IGC fixFcvt, fixSrnd.
    (
        since(Family::XeHpc),
        |i| i.has_small_floats() && i.inst.exec_size == 1,
        "converts a float of eight bits in one channel",
    ),
    (
        since(Family::XeHpc),
        |i| i.has_small_floats() && !i.begin_registers(),
        "converts floats of eight bits from or to the middle of a register",
    ),
    (
        since(Family::XeHpc),
        |i| {
            let packed = |r: &SrcReg| linear_stride(r.region, i.inst.exec_size) == Some(1);
            let apart = |r: &SrcReg| is_small_float(r.ty) && !packed(r);
            let to = i.dst();
            is_small_float(to.ty) && to.hstride != 1
                || i.has_small_floats() && i.registers().any(apart)
        },
        "converts floats of eight bits that are not packed",
    ),
    // Architecture registers. IGC fixFloatARFDst, getGRFFootPrint; Mesa 1422; PRM address register.
    (
        ANY,
        |i| {
            i.files()
                .any(|(file, ty)| file == RegFile::Flag && ty.is_float())
        },
        "computes with a flag as floats",
    ),
    (
        ANY,
        |i| i.to(RegFile::Addr) && i.dst().ty.is_float(),
        "writes an address as a float",
    ),
    (
        ANY,
        |i| {
            i.to(RegFile::Addr)
                && i.inst.exec_size > 1
                && i.offset() / 32 != (i.offset() + i.length() - 1) / 32
        },
        "writes more than eight dwords of addresses",
    ),
    (
        since(Family::Gen12Lp),
        |i| i.files().any(|(file, _)| is_state(file)) && !i.waits_for_all(),
        "accesses the thread's state and does not wait",
    ),
    (
        since(Family::XeHpg),
        |i| i.inst.exec_size > 1 && i.is_fixed() && i.files().any(|(file, _)| !is_plain(file)),
        "computes floats or 64 bits with registers of the architecture",
    ),
    // Products. IGC supportSrcModforMul; Mesa 830, 1508, 1512, 1517; PRM mad.
    (
        since(Family::Gen12Lp),
        |i| {
            i.inst.op == Op::Mad
                && i.is_integer()
                && i.dst().ty.bytes() == 4
                && i.inst.srcs[2].ty().bytes() == 4
        },
        "adds to a product of two dwords",
    ),
    (
        since(Family::Gen12Lp),
        |i| {
            matches!(i.inst.op, Op::Mul | Op::Mach | Op::Macl)
                && i.is_integer()
                && i.execution() == 4
                && i.registers().any(|src| src.modifier != SrcMod::default())
        },
        "negates a factor of a dword",
    ),
    (
        ANY,
        |i| {
            matches!(i.inst.op, Op::Mul | Op::Mach | Op::Macl | Op::Math(_))
                && i.is_integer()
                && i.has_accumulator()
        },
        "multiplies an accumulator of integers",
    ),
    (
        ANY,
        |i| i.inst.op == Op::Mul && i.is_dword(1) && i.inst.srcs[0].ty().bytes() < 4,
        "has the dword as second factor",
    ),
    (
        ANY,
        |i| {
            i.inst.op == Op::Mul
                && i.is_integer()
                && i.dst().ty.bytes() <= 4
                && (i.is_dword(0) || i.is_dword(1))
                && (i.inst.saturate || i.inst.cond.is_some())
        },
        "saturates or compares a product of dwords",
    ),
    // Counts and logic. IGA's operand types; Mesa 1829, 1837.
    (
        ANY,
        |i| matches!(i.inst.op, Op::Fbl | Op::Cbit) && i.dst().ty != Type::Ud,
        "counts into another type than ud",
    ),
    (
        ANY,
        |i| {
            i.inst.op.is_bitwise()
                && i.inst
                    .cond
                    .is_some_and(|cond| matches!(cond.cond, Cond::Ov | Cond::Un))
        },
        "is logic with a condition of numbers",
    ),
    (
        ANY,
        |i| {
            i.inst.op.is_bitwise()
                && i.registers()
                    .any(|src| is_accumulator(src.place) && src.modifier != SrcMod::default())
        },
        "inverts an accumulator",
    ),
    (
        GEN9,
        |i| {
            matches!(i.inst.op, Op::Line | Op::Pln)
                && i.register(0)
                    .is_some_and(|src| src.region != Region::SCALAR)
        },
        "has a first source that is no scalar",
    ),
    // Math. IGC fixMathInst; Mesa 896, 1303, 1611, 1625, 1628.
    (
        ANY,
        |i| {
            i.is_math()
                && (!i.to(RegFile::Grf)
                    || i.inst.exec_size > 1
                        && i.step() != i.dst().ty.bytes()
                        && (i.dst().ty != Type::Hf || i.platform.family >= Family::XeHpg))
        },
        "has a destination that is not packed in general registers",
    ),
    (
        since(Family::XeHpc),
        |i| {
            i.is_math()
                && i.inst.exec_size > 1
                && i.registers().any(|src| {
                    src.ty == Type::Hf && src.region == Region::SCALAR && is_general(src.place)
                })
        },
        "has a scalar half as a source of math",
    ),
    (
        since(Family::XeHpg),
        |i| i.is_math() && i.types().any(|ty| ty != i.dst().ty),
        "is math on several types",
    ),
    (
        ANY,
        |i| i.is_math() && i.inst.exec_size > 1 && i.is_uneven(),
        "splits its result unevenly between two registers",
    ),
    (
        ANY,
        |i| {
            i.is_math() && i.has_accumulator() && (i.platform.family >= Family::Xe2 || !i.is_step())
        },
        "has an accumulator as a source of math",
    ),
    (
        since(Family::XeHpg),
        |i| i.is_math() && i.is_half() && i.inst.exec_size > 1 && i.is_narrow(),
        "is math on halves in fewer channels than a register has",
    ),
    // Places of destinations. Mesa 964, 989, 993.
    (
        ANY,
        |i| i.is_misplaced(),
        "does not begin at a multiple of the execution type's size",
    ),
    (
        ANY,
        |i| i.is_half_misplaced(),
        "writes halves beside their places",
    ),
    (
        ANY,
        |i| {
            i.inst.exec_size == 1
                && i.registers().any(|src| {
                    is_general(src.place)
                        && src.region.width == 1
                        && src.region.vstride.is_some()
                        && src.region != Region::SCALAR
                })
        },
        "reads one element with a stride",
    ),
    // Packed immediates. Mesa 1324, 1328, 1331.
    (
        ANY,
        |i| i.to(RegFile::Grf) && i.vector().is_some() && i.offset() % 16 != 0,
        "has a packed immediate for a destination that is not aligned to 16 bytes",
    ),
    (
        ANY,
        |i| {
            i.inst.op == Op::Mov
                && i.inst.exec_size > 1
                && i.to(RegFile::Grf)
                && i.vector().is_some_and(|step| step != i.step())
        },
        "has a packed immediate for a destination with another stride",
    ),
    // Accumulators. IGC avoidAccDstWithIndirectSource, fixAddcSubb; Mesa 1638.
    (
        since(Family::Gen12Lp),
        |i| i.is_indirect() && (i.to(RegFile::Acc) || i.inst.opts.acc_wr_en && !i.is_carry()),
        "writes an accumulator beside an address",
    ),
    (
        ANY,
        |i| i.is_carry() && u32::from(i.inst.exec_size) > i.platform.grf_bytes / 4,
        "has more carries than the accumulator",
    ),
    (
        ANY,
        |i| i.is_carry() && i.inst.exec_size > 1 && i.to(RegFile::Grf) && i.offset() != 0,
        "has carries beside their channels",
    ),
    // Floats of several sizes. Mesa 1168 to 1227.
    (
        ANY,
        |i| i.mixes() && i.inst.op != Op::Mov && i.is_indirect(),
        "mixes floats at an address",
    ),
    (
        BEFORE_XE2,
        |i| {
            i.mixes()
                && i.inst.op != Op::Mov
                && i.is_wide()
                && (i.dst().ty == Type::F || i.dst().ty == Type::Hf && i.step() == 2)
        },
        "mixes floats in more channels than a register has",
    ),
    (
        ANY,
        |i| {
            i.mixes()
                && i.dst().ty == Type::Hf
                && i.to(RegFile::Grf)
                && i.inst.exec_size > 1
                && i.step() != 4
                && i.has_accumulator()
        },
        "mixes floats with an accumulator into packed halves",
    ),
    (
        (Family::Gen9, Family::Gen12Lp),
        |i| i.is_math() && i.mixes() && i.inst.exec_size > 1 && i.has_packed_halves(),
        "is math on floats and packed halves",
    ),
    // Brain floats. Mesa 1099 to 1150.
    (
        since(Family::XeHpg),
        |i| i.inst.op != Op::Mov && i.types().chain([i.dst().ty]).all(|ty| ty == Type::Bf),
        "computes with brain floats alone",
    ),
    (
        since(Family::XeHpg),
        |i| i.mixes_brains() && i.is_wide(),
        "mixes brain floats in more channels than a register has",
    ),
    (
        since(Family::XeHpg),
        |i| {
            i.mixes_brains()
                && i.inst.exec_size > 1
                && i.registers()
                    .any(|src| src.ty == Type::Bf && src.region == Region::SCALAR)
        },
        "repeats a brain float",
    ),
    (
        since(Family::XeHpg),
        |i| {
            i.mixes_brains()
                && matches!(i.inst.op, Op::Mul | Op::Mad | Op::Mac)
                && i.inst.srcs.last().is_some_and(|src| src.ty() == Type::Bf)
        },
        "has brain floats as last factor",
    ),
    (
        since(Family::XeHpg),
        |i| i.mixes_brains() && i.inst.exec_size > 1 && i.is_brain_misplaced(),
        "has brain floats beside their places",
    ),
    // Three sources. IGC has3SrcDstAlignRequirement; Mesa 651, 654, 1638.
    (
        (Family::Gen11, Family::Gen12Lp),
        |i| i.is_three() && i.inst.exec_size > 1 && i.to(RegFile::Grf) && i.offset() % 8 != 0,
        "has a destination that is not aligned to eight bytes",
    ),
    (
        (Family::Gen12Lp, Family::XeHpc),
        |i| i.is_three() && i.register(2).is_some_and(|src| is_accumulator(src.place)),
        "has an accumulator as third source",
    ),
    (
        since(Family::Gen12Lp),
        |i| {
            i.inst.op == Op::Dp4a
                && [0, 1]
                    .iter()
                    .all(|n| i.register(*n).is_some_and(|src| is_accumulator(src.place)))
        },
        "has two accumulators as sources",
    ),
    (
        GEN11,
        |i| matches!(i.inst.op, Op::Bfe | Op::Csel) && i.has_immediate(),
        "has an immediate source",
    ),
    (
        GEN11,
        |i| {
            matches!(i.inst.op, Op::Mad | Op::Dp4a)
                && [0, 2].iter().all(|n| i.register(*n).is_none())
        },
        "has two immediate sources",
    ),
    // Scalar registers. Mesa 2089 to 2133.
    (
        since(Family::Xe3),
        |i| {
            i.to(RegFile::Scalar)
                && (i.inst.op != Op::Mov || i.dst().ty.is_float() || i.dst().ty.bytes() == 1)
        },
        "writes a scalar register by more than a move of integers",
    ),
    (
        since(Family::Xe3),
        |i| i.to(RegFile::Scalar) && i.inst.exec_size > 1 && i.has_immediate(),
        "writes an immediate to several scalar registers",
    ),
    (
        since(Family::Xe3),
        |i| {
            i.registers().any(|src| is_file(src.place, RegFile::Scalar))
                && (i.inst.op != Op::Mov || i.to(RegFile::Scalar))
        },
        "reads a scalar register by more than a move",
    ),
];

/// Rules of messages, systolic operations and waits.
const OTHERS: &[(Families, Rule, &str)] = &[
    (
        since(Family::XeHpg),
        |i| matches!(i.inst.op, Op::Sync(_)) && matches!(i.inst.swsb.dist, Some((Pipe::Own, _))),
        "waits for a pipeline that it does not name",
    ),
    // Messages. Mesa 794, 1888 to 1897, 1915, 1961.
    (
        ANY,
        |i| i.inst.msg.is_some_and(|message| message.eot) && i.inst.pred.is_some(),
        "ends the thread under a predicate",
    ),
    (
        since(Family::Gen12Lp),
        |i| i.inst.op.is_send() && i.overlaps(),
        "has payloads that overlap",
    ),
    (
        since(Family::XeHpg),
        |i| {
            i.load_store()
                .is_some_and(|desc| matches!(desc & 0x3f, 0 | 4) && desc >> 15 & 1 != 0)
                && i.inst.exec_size > 1
        },
        "transposes in more than one channel",
    ),
    (
        (Family::XeHpg, Family::XeHpg),
        |i| {
            i.block()
                .is_some_and(|_| i.function() != Some(Function::Typed))
        },
        "accesses a block of two dimensions",
    ),
    (
        since(Family::XeHpc),
        |i| {
            i.block().is_some_and(|desc| match i.function() {
                Some(Function::Typed) => false,
                Some(Function::Untyped) => desc >> 29 & 3 != 0 || desc >> 9 & 7 > 3,
                _ => true,
            })
        },
        "accesses a block of two dimensions by a surface or another size",
    ),
    (
        BEFORE_XE2,
        |i| {
            i.function() == Some(Function::Urb)
                && i.descriptor().is_some_and(|desc| desc >> 19 & 1 == 0)
        },
        "has no header",
    ),
    // Systolic operations. Mesa 1663, 1665, 1751 to 1772.
    (
        since(Family::XeHpg),
        |i| {
            i.inst.op.is_systolic()
                && [1, 2]
                    .iter()
                    .any(|n| !i.register(*n).is_some_and(|src| is_general(src.place)))
        },
        "has a factor that is in no general register",
    ),
    (
        since(Family::XeHpg),
        |i| i.inst.op.is_systolic() && i.adds_other_floats(),
        "adds floats of another type",
    ),
    (
        since(Family::XeHpg),
        |i| {
            i.inst.op.is_systolic()
                && i.dst().ty == Type::Ud
                && i.inst
                    .srcs
                    .iter()
                    .any(|src| !is_null(Some(src)) && src.ty().is_signed())
        },
        "adds signed numbers to unsigned ones",
    ),
];

/// The first rule that an instruction breaks, as a phrase.
pub(super) fn broken(inst: &Inst, platform: &Platform) -> Option<&'static str> {
    let facts = Facts { inst, platform };
    let computes = facts.computes();
    let rules = if computes { COMPUTING } else { OTHERS };
    let here = |(first, last): Families| (first..=last).contains(&platform.family);
    let found = rules.iter().find(|rule| here(rule.0) && (rule.1)(&facts));
    found.map(|rule| rule.2)
}

fn is_file(place: Place, file: RegFile) -> bool {
    matches!(place, Place::Direct(reg) if reg.file == file)
}

fn is_general(place: Place) -> bool {
    is_file(place, RegFile::Grf)
}

fn is_accumulator(place: Place) -> bool {
    is_file(place, RegFile::Acc)
}

fn is_null(src: Option<&Src>) -> bool {
    matches!(src, Some(Src::Reg(src)) if matches!(src.place, Place::Direct(reg) if reg.is_null()))
}

fn is_small_float(ty: Type) -> bool {
    ty.is_float() && ty.bytes() == 1
}

/// True for a register of the thread's state.
fn is_state(file: RegFile) -> bool {
    use RegFile::{ChannelEnable, Control, Debug, Ip, StackPointer, State, Timestamp};
    matches!(
        file,
        ChannelEnable | Control | Debug | Ip | StackPointer | State | Timestamp
    )
}

/// True for a register that floats and 64 bits may be in.
fn is_plain(file: RegFile) -> bool {
    matches!(
        file,
        RegFile::Grf | RegFile::Acc | RegFile::Null | RegFile::Scalar
    )
}

impl Facts<'_> {
    fn computes(&self) -> bool {
        let form = spec(self.platform).op(self.inst.op).map(|op| op.form);
        let three = matches!(form, Some(Form::Ternary | Form::BitFunction));
        let computes = form.is_some_and(Form::is_arithmetic) || three;
        let macros = self.registers().any(|src| src.mme.is_some());
        let own = self.inst.op.is_macro() || self.inst.op.is_systolic() || macros;
        let regions = !self.inst.opts.align16 && !own;
        computes && regions && self.inst.dst.is_some_and(|dst| dst.mme.is_none())
    }

    /// The destination, which every instruction has that computes.
    fn dst(&self) -> Dst {
        self.inst.dst.unwrap_or(Dst::new(Reg::NULL, 1, Type::Ud))
    }

    fn register(&self, n: usize) -> Option<&SrcReg> {
        match self.inst.srcs.get(n)? {
            Src::Reg(src) => Some(src),
            Src::Imm { .. } => None,
        }
    }

    fn registers(&self) -> impl Iterator<Item = &SrcReg> {
        let live = self.inst.srcs.iter().filter(|src| !is_null(Some(src)));
        live.filter_map(|src| match src {
            Src::Reg(src) => Some(src),
            Src::Imm { .. } => None,
        })
    }

    /// Types of the sources that are there.
    fn types(&self) -> impl Iterator<Item = Type> {
        let live = self.inst.srcs.iter().filter(|src| !is_null(Some(src)));
        live.map(Src::ty)
    }

    /// Files and types of operands that are in registers.
    fn files(&self) -> impl Iterator<Item = (RegFile, Type)> {
        let operands = self.registers().map(|src| (src.place, src.ty));
        let dst = self.dst();
        operands
            .chain([(dst.place, dst.ty)])
            .filter_map(|(place, ty)| match place {
                Place::Direct(reg) => Some((reg.file, ty)),
                Place::Indirect { .. } => None,
            })
    }

    fn to(&self, file: RegFile) -> bool {
        is_file(self.dst().place, file)
    }

    fn is_to_null(&self) -> bool {
        matches!(self.dst().place, Place::Direct(reg) if reg.is_null())
    }

    /// True for a conversion from or to floats of eight bits.
    fn has_small_floats(&self) -> bool {
        let ty = self.dst().ty;
        let small = is_small_float(ty) || self.types().any(is_small_float);
        matches!(self.inst.op, Op::Mov | Op::Srnd) && small
    }

    /// True if each operand is at the start of a register.
    fn begin_registers(&self) -> bool {
        let mut places = self
            .registers()
            .map(|src| src.place)
            .chain([self.dst().place]);
        places.all(|place| matches!(place, Place::Direct(reg) if reg.byte == 0))
    }

    /// The first byte of the destination in its register.
    fn offset(&self) -> u32 {
        match self.dst().place {
            Place::Direct(reg) => reg.byte.into(),
            Place::Indirect { .. } => 0,
        }
    }

    /// Bytes between elements of the destination.
    fn step(&self) -> u32 {
        u32::from(self.dst().hstride) * self.dst().ty.bytes()
    }

    /// Bytes from the first element of the destination to the end of the last.
    fn length(&self) -> u32 {
        (u32::from(self.inst.exec_size) - 1) * self.step() + self.dst().ty.bytes()
    }

    fn is_math(&self) -> bool {
        matches!(self.inst.op, Op::Math(_))
    }

    /// True for a step of exact division or root.
    fn is_step(&self) -> bool {
        matches!(self.inst.op, Op::Math(MathFn::Invm | MathFn::Rsqtm))
    }

    fn is_three(&self) -> bool {
        self.inst.srcs.len() == 3
    }

    fn is_carry(&self) -> bool {
        matches!(self.inst.op, Op::Addc | Op::Subb)
    }

    fn is_integer(&self) -> bool {
        !self.dst().ty.is_float() && !self.types().any(Type::is_float)
    }

    fn is_dword(&self, n: usize) -> bool {
        let source = self.inst.srcs.get(n);
        source.is_some_and(|src| matches!(src.ty(), Type::D | Type::Ud))
    }

    /// True if operands keep the places of their channels.
    fn is_fixed(&self) -> bool {
        self.dst().ty.is_float() || self.dst().ty.bytes() == 8
    }

    fn is_indirect(&self) -> bool {
        let indirect = |place: Place| matches!(place, Place::Indirect { .. });
        self.registers().any(|src| indirect(src.place)) || indirect(self.dst().place)
    }

    fn has_accumulator(&self) -> bool {
        self.registers().any(|src| is_accumulator(src.place))
    }

    fn has_immediate(&self) -> bool {
        self.inst
            .srcs
            .iter()
            .any(|src| matches!(src, Src::Imm { .. }))
    }

    fn waits_for_all(&self) -> bool {
        let own = self.platform.family == Family::Gen12Lp;
        match self.inst.swsb.dist {
            Some((Pipe::All, 1)) => true,
            Some((Pipe::Own, 1)) => own,
            _ => false,
        }
    }

    /// Size of the execution type.
    fn execution(&self) -> u32 {
        let sizes = self.types().map(|ty| match ty {
            Type::V | Type::Uv | Type::Vf => 2,
            ty => ty.bytes().max(2),
        });
        sizes.max().unwrap_or(2)
    }

    /// Bytes between the elements of the destination that a packed immediate has values for.
    fn vector(&self) -> Option<u32> {
        self.types().find_map(|ty| match ty {
            Type::V | Type::Uv => Some(2),
            Type::Vf => Some(4),
            _ => None,
        })
    }

    fn is_raw(&self) -> bool {
        let plain = |src: &SrcReg| {
            let alike = src.ty.bytes() == 1 && self.dst().ty.bytes() == 1;
            alike && src.modifier == SrcMod::default()
        };
        let moves = self.inst.op == Op::Mov && !self.inst.saturate;
        moves && self.register(0).is_some_and(plain)
    }

    fn is_misplaced(&self) -> bool {
        let (dst, execution) = (self.dst(), self.execution());
        let small = self
            .types()
            .chain([dst.ty])
            .any(|ty| matches!(ty, Type::Hf | Type::Bf));
        let narrows =
            self.inst.exec_size > 1 && self.to(RegFile::Grf) && execution > dst.ty.bytes();
        if !narrows || small || self.is_raw() {
            return false;
        }
        match dst.ty.bytes() {
            1 => self.platform.family < Family::XeHpc && self.offset() % execution > 1,
            _ => !self.offset().is_multiple_of(execution),
        }
    }

    fn is_half_misplaced(&self) -> bool {
        let wider = |ty| matches!(ty, Type::F | Type::Bf | Type::Df);
        let halves = self.dst().ty == Type::Hf && self.types().any(wider);
        let packed = self.mixes() && self.step() == 2 && self.offset().is_multiple_of(16);
        let many = self.inst.exec_size > 1 && !self.is_three() && self.to(RegFile::Grf);
        halves && many && self.step() != 4 && !packed
    }

    /// True if the halves of the result are not each in one register.
    fn is_uneven(&self) -> bool {
        let count = u32::from(self.inst.exec_size);
        let first = |n: &u32| self.offset() + n * self.step() < self.platform.grf_bytes;
        let first = (0..count).filter(first).count() as u32;
        self.to(RegFile::Grf) && first != count && first != count / 2
    }

    /// True for floats of 16 and 32 bits together, with one or two sources.
    fn mixes(&self) -> bool {
        let has = |ty| self.types().chain([self.dst().ty]).any(|other| other == ty);
        !self.is_three() && !self.is_to_null() && has(Type::F) && has(Type::Hf)
    }

    /// True for a source of halves that are not each in a dword of its own.
    fn has_packed_halves(&self) -> bool {
        let apart = |src: &SrcReg| linear_stride(src.region, self.inst.exec_size) == Some(2);
        let many = |src: &&SrcReg| is_general(src.place) && src.region != Region::SCALAR;
        let mut halves = self.registers().filter(|src| src.ty == Type::Hf);
        halves.any(|src| many(&src) && !apart(src))
    }

    fn mixes_brains(&self) -> bool {
        let has = |brain: bool| {
            let mut types = self.types().chain([self.dst().ty]);
            types.any(|ty| (ty == Type::Bf) == brain)
        };
        has(true) && has(false)
    }

    /// True for more channels than a register has dwords.
    fn is_wide(&self) -> bool {
        u32::from(self.inst.exec_size) > self.platform.grf_bytes / 4
    }

    fn is_narrow(&self) -> bool {
        u32::from(self.inst.exec_size) < self.platform.grf_bytes / 4
    }

    /// True if all operands are halves.
    fn is_half(&self) -> bool {
        self.types().chain([self.dst().ty]).all(|ty| ty == Type::Hf)
    }

    fn is_brain_misplaced(&self) -> bool {
        let half = self.platform.grf_bytes / 2;
        let at_half = |offset: u32| offset == 0 || offset == half;
        let source = |src: &SrcReg| {
            let Place::Direct(reg) = src.place else {
                return src.ty == Type::Bf;
            };
            let packed = linear_stride(src.region, self.inst.exec_size) == Some(1);
            let scalar = src.region == Region::SCALAR || reg.file != RegFile::Grf;
            src.ty == Type::Bf && !scalar && !(packed && at_half(reg.byte.into()))
        };
        let result = match self.step() {
            2 => at_half(self.offset()),
            4 => matches!(self.offset(), 0 | 2),
            _ => false,
        };
        let writes = self.dst().ty == Type::Bf && self.to(RegFile::Grf);
        writes && !result || self.registers().any(source)
    }

    /// True if the payloads of a message share a register.
    fn overlaps(&self) -> bool {
        let reads = footprint::of(self.inst, self.platform).reads;
        let mut payloads = reads.iter();
        payloads
            .next()
            .is_some_and(|first| payloads.any(|other| first.meets(other)))
    }

    fn function(&self) -> Option<Function> {
        self.inst.msg.map(|message| Function::of(message.sfid))
    }

    fn descriptor(&self) -> Option<u32> {
        match self.inst.msg?.desc {
            Desc::Imm(bits) => Some(bits),
            Desc::Addr { .. } => None,
        }
    }

    /// The descriptor of a load or store by address.
    fn load_store(&self) -> Option<u32> {
        use Function::{LocalMemory, Typed, Untyped, UntypedLow};
        let of = self.function()?;
        let here = self.platform.family >= Family::XeHpg;
        let known = matches!(of, LocalMemory | Typed | Untyped | UntypedLow);
        self.descriptor().filter(|_| here && known)
    }

    /// The descriptor of a block of two dimensions.
    fn block(&self) -> Option<u32> {
        self.load_store()
            .filter(|desc| matches!(desc & 0x3f, 3 | 7))
    }

    fn adds_other_floats(&self) -> bool {
        let factor = self.inst.srcs.get(1).map(Src::ty);
        let wide = self.platform.family >= Family::XeHpc;
        let sum = |ty: Type| ty == Type::F || wide && Some(ty) == factor;
        let addend = self.inst.srcs.first().filter(|src| !is_null(Some(src)));
        let sums = addend.map(Src::ty).into_iter().chain([self.dst().ty]);
        factor.is_some_and(Type::is_float) && !sums.into_iter().all(sum)
    }
}
