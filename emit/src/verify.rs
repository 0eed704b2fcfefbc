//! Whether the hardware will execute an instruction as it is written.
//!
//! Encoding refuses what has no bits; this refuses what has bits but breaks a rule of the manual
//! (Skylake PRM, vol. 7, "Register Region Restrictions" and the instructions' own restrictions).
//! For passes to check what they made, on virtual registers too: rules about places in the register
//! file hold only for physical ones. Rules that need more than the instruction (dependencies,
//! payload contents) are not checked.

use crate::encoding::spec::{Attrs, Form, OpSpec};
use crate::encoding::{Operand, spec};
use crate::inst::{
    Desc, Dst, Inst, MathFn, Message, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, SrcReg,
    Target, Type,
};
use crate::platform::Platform;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    #[error("{0:?} is no operation of this platform")]
    Op(Op),
    #[error("execution size {0} is none of 1, 2, 4, 8, 16 and 32")]
    ExecSize(u8),
    #[error("channels {offset} to {} are no aligned group of {size} in 32", offset + size)]
    Channels { offset: u8, size: u8 },
    #[error("{op:?} takes {expected} sources, found {found}")]
    Sources {
        op: Op,
        expected: usize,
        found: usize,
    },
    #[error("{op:?} {what}")]
    Operation { op: Op, what: &'static str },
    #[error("{operand}: {what}")]
    Operand {
        operand: Operand,
        what: &'static str,
    },
    #[error("{operand}: region {region:?} {what} at execution size {exec_size}")]
    Region {
        operand: Operand,
        region: Region,
        exec_size: u8,
        what: &'static str,
    },
    #[error("{operand}: {reg:?} is not aligned to type {}", ty.name())]
    Alignment {
        operand: Operand,
        reg: Reg,
        ty: Type,
    },
    #[error(
        "{operand}: covers bytes {first} to {last} of the register file, more than two registers"
    )]
    Span {
        operand: Operand,
        first: u32,
        last: u32,
    },
    #[error("{operand}: ends at register {end} of {count}")]
    File {
        operand: Operand,
        end: u32,
        count: u32,
    },
    #[error("destination: stride of {found} bytes must be the {expected} of the execution type")]
    DstStride { expected: u32, found: u32 },
}

/// Checks an instruction.
///
/// # Errors
/// The first rule it breaks.
pub fn verify(inst: &Inst, platform: &Platform) -> Result<(), Violation> {
    let op = spec(platform).op(inst.op).ok_or(Violation::Op(inst.op))?;
    let checker = Checker { inst, op, platform };
    checker.channels()?;
    checker.shape()?;
    checker.flags()?;
    match op.form {
        Form::Nullary => Ok(()),
        Form::Send | Form::Sends => checker.send(),
        Form::Ternary => checker.ternary(),
        _ if op.form.is_arithmetic() => checker.arithmetic(),
        _ => checker.branch(),
    }
}

struct Checker<'a> {
    inst: &'a Inst,
    op: &'static OpSpec,
    platform: &'a Platform,
}

impl Checker<'_> {
    fn fail<T>(&self, what: &'static str) -> Result<T, Violation> {
        Err(Violation::Operation {
            op: self.inst.op,
            what,
        })
    }

    fn deny(&self, broken: bool, what: &'static str) -> Result<(), Violation> {
        if broken { self.fail(what) } else { Ok(()) }
    }

    fn channels(&self) -> Result<(), Violation> {
        let (size, offset) = (self.inst.exec_size, self.inst.chan_off);
        if !size.is_power_of_two() || size > 32 {
            return Err(Violation::ExecSize(size));
        }
        // Groups narrower than four channels lie anywhere in theirs.
        let unit = size.max(4);
        if offset % unit != 0 || offset >= 32 {
            return Err(Violation::Channels { offset, size });
        }
        Ok(())
    }

    /// What the operation allows beside its operands, and how many of these it takes.
    fn shape(&self) -> Result<(), Violation> {
        let inst = self.inst;
        let attrs = self.op.attrs;
        let macro_cond = inst.op.is_macro() && self.op.form == Form::Math;
        self.deny(
            inst.pred.is_some() && !attrs.has(Attrs::PRED),
            "cannot be predicated",
        )?;
        let cond = attrs.has(Attrs::COND) || macro_cond;
        self.deny(
            inst.cond.is_some() && !cond,
            "cannot have a conditional modifier",
        )?;
        self.deny(inst.saturate && !attrs.has(Attrs::SAT), "cannot saturate")?;
        let compares = matches!(inst.op, Op::Cmp | Op::Cmpn | Op::Csel);
        self.deny(
            compares && inst.cond.is_none(),
            "needs a conditional modifier",
        )?;
        if inst.op == Op::Sel {
            let both = inst.pred.is_some() == inst.cond.is_some();
            self.deny(both, "takes either a predicate or a conditional modifier")?;
        }
        self.deny(
            inst.saturate && inst.op == Op::Mov && self.raw(),
            "saturates to its own type",
        )?;
        let expected = match (self.op.form, inst.op) {
            (Form::Nullary | Form::BranchBoth | Form::BranchOne, _) => 0,
            (Form::Unary | Form::Wait | Form::Send | Form::Return, _) => 1,
            (Form::Binary | Form::Sends, _) => 2,
            (Form::Ternary, _) => 3,
            (_, Op::Math(function)) => spec(self.platform)
                .math(function)
                .map_or(0, |math| usize::from(math.sources)),
            _ => usize::from(inst.jip == Some(Target::Reg)),
        };
        let found = inst.srcs.len();
        if found != expected {
            return Err(Violation::Sources {
                op: inst.op,
                expected,
                found,
            });
        }
        Ok(())
    }

    /// A `mov` of integers without conversion: saturation has nothing to do.
    fn raw(&self) -> bool {
        let types = (
            self.inst.dst.map(|dst| dst.ty),
            self.inst.srcs.first().map(Src::ty),
        );
        matches!(types, (Some(dst), Some(src)) if dst == src && !dst.is_float())
    }

    fn flags(&self) -> Result<(), Violation> {
        if let Some(pred) = &self.inst.pred {
            self.pred(pred)?;
            self.flag(pred.flag)?;
        }
        if let Some(cond) = &self.inst.cond {
            let silent = matches!(self.inst.op, Op::Sel | Op::Csel);
            if cond.flag.is_null() {
                self.deny(!silent, "writes its condition to no flag")?;
            } else {
                self.flag(cond.flag)?;
            }
            let (pred, other) = (self.inst.pred.map(|pred| pred.flag), cond.flag);
            let differ = pred.is_some_and(|pred| !other.is_null() && pred != other);
            self.deny(differ, "has a predicate and a condition of different flags")?;
        }
        Ok(())
    }

    fn pred(&self, pred: &Pred) -> Result<(), Violation> {
        let group = match pred.ctrl {
            PredCtrl::Any(n) | PredCtrl::All(n) => n,
            _ => return Ok(()),
        };
        let wide = !group.is_power_of_two() || !(2..=32).contains(&group);
        self.deny(wide, "has a predicate over no group of channels")
    }

    fn flag(&self, flag: Reg) -> Result<(), Violation> {
        let operand = Operand::Flag;
        let fail = |what| Err(Violation::Operand { operand, what });
        match flag.file {
            RegFile::Virt => return Ok(()),
            RegFile::Flag if flag.num < self.platform.flag_count && flag.byte <= 2 => {}
            _ => return fail("is no flag register"),
        }
        if !flag.byte.is_multiple_of(2) {
            return fail("is no half of a flag register");
        }
        if self.inst.exec_size == 32 && flag.byte != 0 {
            return fail("has too few bits for 32 channels");
        }
        Ok(())
    }

    fn branch(&self) -> Result<(), Violation> {
        let needs_jip = self.op.form.is_branch();
        self.deny(needs_jip && self.inst.jip.is_none(), "has no jump target")?;
        let needs_uip = match self.op.form {
            Form::BranchBoth => true,
            Form::BranchBothReg => self.inst.jip != Some(Target::Reg),
            _ => false,
        };
        self.deny(needs_uip && self.inst.uip.is_none(), "has no update target")?;
        if let Some(Src::Imm { .. }) = self.inst.srcs.first() {
            let operand = Operand::Src(0);
            return Err(Violation::Operand {
                operand,
                what: "must be a register",
            });
        }
        Ok(())
    }

    fn arithmetic(&self) -> Result<(), Violation> {
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        let sources = self.inst.srcs.len();
        for (n, src) in self.inst.srcs.iter().enumerate() {
            let operand = Operand::Src(n as u8);
            match src {
                Src::Imm { ty, bits } => self.immediate(*ty, *bits, n + 1 == sources, operand)?,
                Src::Reg(src) => self.source(src, operand)?,
            }
        }
        if let Op::Math(function) = self.inst.op {
            self.math(function, dst)?;
        }
        self.destination(dst)
    }

    fn immediate(
        &self,
        ty: Type,
        bits: u64,
        last: bool,
        operand: Operand,
    ) -> Result<(), Violation> {
        let fail = |what| Err(Violation::Operand { operand, what });
        if !last {
            return fail("only the last source may be an immediate");
        }
        match ty.bytes() {
            1 => return fail("there are no byte immediates"),
            8 if self.inst.srcs.len() > 1 => return fail("has no room for a 64-bit immediate"),
            size if size < 8 && bits >> (size * 8) != 0 => {
                return fail("the immediate does not fit its type");
            }
            _ => {}
        }
        Ok(())
    }

    fn source(&self, src: &SrcReg, operand: Operand) -> Result<(), Violation> {
        let fail = |what| Err(Violation::Operand { operand, what });
        let modifier = src.modifier;
        if (modifier.neg || modifier.abs) && !self.op.attrs.has(Attrs::MODS) {
            return fail("the operation takes no source modifier");
        }
        if modifier.abs && self.inst.op.is_bitwise() {
            return fail("bits have no absolute value");
        }
        if self.inst.opts.align16 {
            return self.align16(src.place, src.ty, operand);
        }
        if src.place_is_null() {
            return Ok(());
        }
        self.region(src.region, operand)?;
        self.element(src.place, src.ty, operand)?;
        self.span(src.place, src.ty, src.region, operand)
    }

    /// The rules that hold of a region wherever it is.
    fn region(&self, region: Region, operand: Operand) -> Result<(), Violation> {
        let exec_size = self.inst.exec_size;
        let Region {
            vstride,
            width,
            hstride,
        } = region;
        let fail = |what| {
            Err(Violation::Region {
                operand,
                region,
                exec_size,
                what,
            })
        };
        if !width.is_power_of_two() || width > 16 || !matches!(hstride, 0 | 1 | 2 | 4) {
            return fail("has no such width or horizontal stride");
        }
        if width > exec_size {
            return fail("is wider than the instruction");
        }
        if width == 1 && hstride != 0 && vstride.is_some() {
            return fail("has a horizontal stride along rows of one");
        }
        let Some(vstride) = vstride else {
            return Ok(());
        };
        if !matches!(vstride, 0 | 1 | 2 | 4 | 8 | 16 | 32) {
            return fail("has no such vertical stride");
        }
        if width == exec_size && hstride != 0 && u32::from(vstride) != step(width, hstride) {
            return fail("has one row, and a vertical stride that is not its length");
        }
        if vstride == 0 && hstride == 0 && width != 1 {
            return fail("is scalar but not one wide");
        }
        Ok(())
    }

    /// The first element starts at a multiple of its size.
    fn element(&self, place: Place, ty: Type, operand: Operand) -> Result<(), Violation> {
        match place {
            Place::Direct(reg) if u32::from(reg.byte) % ty.bytes() != 0 => {
                Err(Violation::Alignment { operand, reg, ty })
            }
            Place::Indirect { addr, .. } if addr.file != RegFile::Virt => {
                let named = addr.file == RegFile::Addr && addr.num == 0 && addr.byte < 32;
                if named && addr.byte % 2 == 0 {
                    return Ok(());
                }
                Err(Violation::Operand {
                    operand,
                    what: "is not addressed by a word of a0",
                })
            }
            _ => Ok(()),
        }
    }

    /// Elements lie in two adjacent registers, those of a row in one.
    fn span(
        &self,
        place: Place,
        ty: Type,
        region: Region,
        operand: Operand,
    ) -> Result<(), Violation> {
        let Place::Direct(reg) = place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let Some(vstride) = region.vstride else {
            return Ok(());
        };
        let size = ty.bytes();
        let width = u32::from(region.width.max(1));
        let rows = u32::from(self.inst.exec_size).div_ceil(width);
        let row = (width - 1) * u32::from(region.hstride) * size + size;
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let last = first + (rows - 1) * u32::from(vstride) * size + row - 1;
        self.two_registers(first, last, operand)?;
        let grf = self.platform.grf_bytes;
        for n in 0..rows {
            let start = first + n * u32::from(vstride) * size;
            if start / grf != (start + row - 1) / grf {
                let (exec_size, what) = (self.inst.exec_size, "has a row across two registers");
                return Err(Violation::Region {
                    operand,
                    region,
                    exec_size,
                    what,
                });
            }
        }
        Ok(())
    }

    fn two_registers(&self, first: u32, last: u32, operand: Operand) -> Result<(), Violation> {
        let grf = self.platform.grf_bytes;
        if last / grf > first / grf + 1 {
            return Err(Violation::Span {
                operand,
                first,
                last,
            });
        }
        let (end, count) = (last / grf + 1, self.platform.grf_count);
        if end > count {
            return Err(Violation::File {
                operand,
                end,
                count,
            });
        }
        Ok(())
    }

    fn destination(&self, dst: &Dst) -> Result<(), Violation> {
        let operand = Operand::Dst;
        if self.inst.opts.align16 {
            return self.align16(dst.place, dst.ty, operand);
        }
        if !matches!(dst.hstride, 1 | 2 | 4) {
            let what = "has no stride of 1, 2 or 4";
            return Err(Violation::Operand { operand, what });
        }
        let null = matches!(dst.place, Place::Direct(reg) if reg.is_null());
        if null {
            return Ok(());
        }
        self.element(dst.place, dst.ty, operand)?;
        self.stride(dst)?;
        let Place::Direct(reg) = dst.place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let size = dst.ty.bytes();
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let steps = (u32::from(self.inst.exec_size) - 1) * u32::from(dst.hstride);
        self.two_registers(first, first + steps * size + size - 1, operand)
    }

    /// A result narrower than what it is computed in takes the room of the wider type.
    fn stride(&self, dst: &Dst) -> Result<(), Violation> {
        let Some(expected) = self.exec_bytes(dst) else {
            return Ok(());
        };
        let found = u32::from(dst.hstride) * dst.ty.bytes();
        let packed_halves = dst.ty == Type::Hf;
        if self.inst.exec_size > 1 && !packed_halves && found < expected {
            return Err(Violation::DstStride { expected, found });
        }
        Ok(())
    }

    /// Size of the type the instruction computes in; `None` where it only moves bits.
    fn exec_bytes(&self, dst: &Dst) -> Option<u32> {
        let moves = matches!(self.inst.op, Op::Mov | Op::Movi);
        let plain = self.inst.srcs.iter().all(|src| match src {
            Src::Reg(src) => src.ty == dst.ty && src.modifier == Default::default(),
            Src::Imm { .. } => false,
        });
        if moves && plain && !self.inst.saturate {
            return None;
        }
        let sizes = self.inst.srcs.iter().map(|src| match src.ty() {
            Type::V | Type::Uv => 2,
            ty => ty.bytes().max(2),
        });
        sizes.max()
    }

    /// Regions of four channels: in whole groups of 16 bytes.
    fn align16(&self, place: Place, ty: Type, operand: Operand) -> Result<(), Violation> {
        match place {
            Place::Direct(reg) if reg.byte % 16 != 0 => {
                Err(Violation::Alignment { operand, reg, ty })
            }
            _ => Ok(()),
        }
    }

    fn math(&self, function: MathFn, dst: &Dst) -> Result<(), Violation> {
        let integer = matches!(function, MathFn::Idiv | MathFn::Iqot | MathFn::Irem);
        let places = self.inst.srcs.iter().filter_map(|src| match src {
            Src::Reg(src) => Some(src.place),
            Src::Imm { .. } => None,
        });
        for place in places.chain([dst.place]) {
            let indirect = matches!(place, Place::Indirect { .. });
            self.deny(indirect, "takes no indirect operands")?;
        }
        for ty in self.inst.srcs.iter().map(Src::ty).chain([dst.ty]) {
            let right = if integer {
                matches!(ty, Type::D | Type::Ud)
            } else {
                ty.is_float()
            };
            self.deny(!right, "has operands of the wrong kind of type")?;
        }
        Ok(())
    }

    fn ternary(&self) -> Result<(), Violation> {
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        self.whole(dst.place, Operand::Dst)?;
        if dst.hstride != 1 {
            let what = "has a stride";
            return Err(Violation::Operand {
                operand: Operand::Dst,
                what,
            });
        }
        let half_or_single = |ty| matches!(ty, Type::F | Type::Hf);
        let first = self.inst.srcs[0].ty();
        for (n, src) in self.inst.srcs.iter().enumerate() {
            let operand = Operand::Src(n as u8);
            let fail = |what| Err(Violation::Operand { operand, what });
            let Src::Reg(src) = src else {
                return fail("must be a register");
            };
            self.whole(src.place, operand)?;
            if src.ty != first && !(half_or_single(src.ty) && half_or_single(first)) {
                return fail("is of another type than the first source");
            }
            let modified = src.modifier != Default::default();
            if modified && !self.op.attrs.has(Attrs::MODS) {
                return fail("the operation takes no source modifier");
            }
            self.element(src.place, src.ty, operand)?;
        }
        if self.inst.opts.align16 {
            self.groups(dst)
        } else {
            Ok(())
        }
    }

    /// The written channels of an Align16 destination are in two registers.
    fn groups(&self, dst: &Dst) -> Result<(), Violation> {
        let Place::Direct(reg) = dst.place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let bytes = u32::from(self.inst.exec_size) * dst.ty.bytes();
        self.two_registers(first, first + bytes - 1, Operand::Dst)
    }

    /// Three-source operands are general registers, directly.
    fn whole(&self, place: Place, operand: Operand) -> Result<(), Violation> {
        match place {
            Place::Direct(reg) if matches!(reg.file, RegFile::Grf | RegFile::Virt) => Ok(()),
            _ => Err(Violation::Operand {
                operand,
                what: "must be a general register",
            }),
        }
    }

    fn send(&self) -> Result<(), Violation> {
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        let Some(message) = &self.inst.msg else {
            return self.fail("has no message");
        };
        let lengths = Lengths::of(message);
        self.payload(dst.place, lengths.response, Operand::Dst)?;
        let sent = [lengths.payload, lengths.second];
        for (n, (src, length)) in self.inst.srcs.iter().zip(sent).enumerate() {
            let operand = Operand::Src(n as u8);
            let fail = |what| Err(Violation::Operand { operand, what });
            let Src::Reg(src) = src else {
                return fail("must be a register");
            };
            if src.modifier != Default::default() {
                return fail("a payload takes no source modifier");
            }
            self.payload(src.place, length, operand)?;
            let Place::Direct(reg) = src.place else {
                continue;
            };
            // The thread's registers are gone before the message is; only the last ones stay.
            let low = reg.file == RegFile::Grf && reg.num < self.platform.grf_count - 16;
            if message.eot && low {
                return fail("the last message is sent from the last 16 registers");
            }
        }
        Ok(())
    }

    fn payload(
        &self,
        place: Place,
        length: Option<u32>,
        operand: Operand,
    ) -> Result<(), Violation> {
        let Place::Direct(reg) = place else {
            return Ok(());
        };
        match reg.file {
            RegFile::Grf if reg.byte != 0 => Err(Violation::Operand {
                operand,
                what: "a payload starts at a whole register",
            }),
            RegFile::Grf => {
                let end = reg.num + length.unwrap_or(1).max(1);
                let count = self.platform.grf_count;
                if end > count {
                    return Err(Violation::File {
                        operand,
                        end,
                        count,
                    });
                }
                Ok(())
            }
            RegFile::Virt | RegFile::Null => Ok(()),
            _ => Err(Violation::Operand {
                operand,
                what: "a payload is in general registers",
            }),
        }
    }
}

/// Registers of a message's payloads, where its descriptors are constants.
struct Lengths {
    payload: Option<u32>,
    second: Option<u32>,
    response: Option<u32>,
}

impl Lengths {
    fn of(message: &Message) -> Lengths {
        let field = |desc, low: u32, mask: u32| match desc {
            Desc::Imm(value) => Some(value >> low & mask),
            Desc::Addr { .. } => None,
        };
        Lengths {
            payload: field(message.desc, 25, 15),
            second: field(message.ex_desc, 6, 15),
            response: field(message.desc, 20, 31),
        }
    }
}

fn step(width: u8, hstride: u8) -> u32 {
    u32::from(width) * u32::from(hstride)
}

impl SrcReg {
    fn place_is_null(&self) -> bool {
        matches!(self.place, Place::Direct(reg) if reg.is_null())
    }
}
