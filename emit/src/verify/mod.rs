//! Checks that the hardware executes an instruction as it is written.
//!
//! The encoder refuses instructions without an encoding; this refuses those that break a rule of the manuals
//! ("Register Region Restrictions" and the restrictions of single instructions). [`kiln_platform::rules`] lists how
//! families differ. Passes check their output with it. Rules about several instructions are in [`flow`],
//! [`scoreboard`], [`errata`] and [`late_reads`]; the contents of payloads are not checked.

pub mod errata;
pub mod flow;
pub mod late_reads;
mod limits;
pub mod pairs;
pub(crate) mod region;
pub mod scoreboard;
mod send;
mod single;
mod ternary;

use std::borrow::Cow;

use crate::assemble::Program;
use crate::encoding::spec::{Attrs, Form, OpSpec, Spec};
use crate::encoding::swsb::{MAX_DISTANCE, SwsbKind};
use crate::encoding::{Operand, spec};
use crate::flow::backward;
use crate::forms;
use crate::inst::{
    Dst, Inst, MathFn, Op, Pipe, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, Target,
    TokenUse, Type,
};
use crate::listing;
use crate::platform::Platform;
use kiln_platform::operands;
use kiln_platform::rules::{Rules, rules};

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

/// A broken rule of a program, and its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    #[error("block {block}, instruction {index} ({inst}): {what}")]
    Inst {
        block: usize,
        index: usize,
        inst: Box<Inst>,
        what: Violation,
    },
    #[error(transparent)]
    Flow(#[from] flow::FlowError),
}

/// The state of a program, which decides the rules that it must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As [`Level::Allocated`], and moves may be between a backward goto and its join: the rules of control flow hold
    /// once [`backward`] has run.
    LaidOut,
    /// Instructions have the forms of the earliest families: their rules hold once [`forms`] has run.
    Allocated,
    /// Instructions have the platform's forms.
    Formed,
}

/// Checks each instruction of a program whose branches name blocks, and its control flow.
///
/// # Errors
/// The first rule that it breaks.
pub fn check_program(program: &Program, platform: &Platform, level: Level) -> Result<(), Fault> {
    for (block, insts) in program.blocks.iter().enumerate() {
        for (index, inst) in insts.iter().enumerate() {
            let mut formed = Cow::Borrowed(inst);
            if level < Level::Formed && !forms::rewrite(formed.to_mut(), platform) {
                continue;
            }
            verify(&formed, platform).map_err(|what| Fault::Inst {
                block,
                index,
                inst: Box::new(inst.clone()),
                what,
            })?;
        }
    }
    if level > Level::LaidOut {
        return Ok(flow::check_program(program)?);
    }
    let mut joined = program.clone();
    backward::invert(&mut joined);
    Ok(flow::check_program(&joined)?)
}

/// Checks that machine code can be decoded, each instruction by itself, the control flow, and that each waits for those
/// that it depends on.
///
/// # Errors
/// The first rule that is broken, as text.
pub fn check_code(code: &[u8], platform: &'static Platform) -> Result<(), String> {
    let mut insts = Vec::new();
    for entry in listing::entries(code, platform) {
        let at = entry.offset;
        let inst = entry.inst.map_err(|e| format!("byte {at}: {e}"))?;
        verify(&inst, platform).map_err(|e| format!("byte {at} ({inst}): {e}"))?;
        insts.push(inst);
    }
    flow::check_code(&insts).map_err(|e| e.to_string())?;
    if let Some(finding) = errata::check_code(&insts, platform).first() {
        return Err(format!("{}: {finding}", insts[finding.at]));
    }
    let found = scoreboard::check_code(&insts, platform).map_err(|e| e.to_string())?;
    let pairs = found.iter().map(|f| (f.first, f.second, f.to_string()));
    let late = late_reads::check_code(&insts, platform);
    let late = late.iter().map(|f| (f.message, f.waiting, f.to_string()));
    pairs
        .chain(late)
        .next()
        .map_or(Ok(()), |(first, second, what)| {
            Err(format!("{}; {}: {what}", insts[first], insts[second]))
        })
}

/// Checks that a message goes to a shared function that the platform has. This is apart from [`verify`], since raw sends of
/// vISA are passed on unchecked.
///
/// # Errors
/// The platform lacks the function.
pub fn verify_function(inst: &Inst, platform: &Platform) -> Result<(), Violation> {
    match inst.msg {
        Some(message) if !platform.generation.has_function(message.sfid) => {
            Err(Violation::Operation {
                op: inst.op,
                what: "goes to a shared function that the platform lacks",
            })
        }
        _ => Ok(()),
    }
}

/// Checks an instruction.
///
/// # Errors
/// The first rule it breaks.
pub fn verify(inst: &Inst, platform: &Platform) -> Result<(), Violation> {
    let op = spec(platform).op(inst.op).ok_or(Violation::Op(inst.op))?;
    let checker = Checker {
        inst,
        op,
        spec: spec(platform),
        rules: rules(platform.family),
        platform,
    };
    checker.channels()?;
    checker.shape()?;
    checker.flags()?;
    checker.scoreboard()?;
    match op.form {
        Form::Nullary => Ok(()),
        Form::Sync => checker.sync(),
        Form::Send | Form::Sends => checker.send(),
        Form::Ternary | Form::BitFunction => checker.ternary(),
        Form::Systolic => checker.systolic(),
        _ if op.form.is_arithmetic() => checker.arithmetic(),
        _ => checker.branch(),
    }
}

/// Checks an instruction of finished code: as [`verify()`], that its operation is defined for operands of these types
/// together ([`operands`]), and that it keeps the limits of operations.
///
/// # Errors
/// The first rule it breaks.
pub fn verify_finished(inst: &Inst, platform: &Platform) -> Result<(), Violation> {
    verify(inst, platform)?;
    let undefined = |dst: Dst| {
        let sources = inst.srcs.iter().map(Src::ty);
        let defined = operands::is_defined(inst.op, platform.family, dst.ty, sources);
        (!defined).then_some("is not defined for operands of these types")
    };
    let types = inst.dst.and_then(undefined);
    match types.or_else(|| limits::broken(inst, platform)) {
        Some(what) => Err(Violation::Operation { op: inst.op, what }),
        None => Ok(()),
    }
}

struct Checker<'a> {
    inst: &'a Inst,
    op: &'static OpSpec,
    spec: &'static Spec,
    rules: &'static Rules,
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
        // Groups narrower than the unit of channels may lie anywhere within it.
        let unit = size.max(self.spec.chan_unit);
        if offset % unit != 0 || offset >= 32 {
            return Err(Violation::Channels { offset, size });
        }
        Ok(())
    }

    /// Checks modifiers and the number of sources.
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
        // `csel` without a condition takes its first source: the reference finalizer emits it.
        let compares = matches!(inst.op, Op::Cmp | Op::Cmpn);
        self.deny(
            compares && inst.cond.is_none(),
            "needs a conditional modifier",
        )?;
        if inst.op == Op::Sel {
            let both = inst.pred.is_some() == inst.cond.is_some();
            self.deny(both, "takes either a predicate or a conditional modifier")?;
        }
        let expected = match (self.op.form, inst.op) {
            (Form::Nullary | Form::BranchBoth | Form::BranchOne, _) => 0,
            (Form::Unary | Form::Wait | Form::Send | Form::Return, _) => 1,
            (Form::Binary | Form::Sends, _) => 2,
            (Form::Ternary | Form::BitFunction | Form::Systolic, _) => 3,
            (Form::Sync, _) => inst.srcs.len().min(1),
            (_, Op::Math(function)) => match self.spec.math(function) {
                Some(math) => usize::from(math.sources),
                None => return self.fail("is a function that the platform lacks"),
            },
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
            _ => 2,
        };
        let wide = !group.is_power_of_two() || !(2..=32).contains(&group);
        self.deny(wide, "has a predicate over no group of channels")?;
        let has = self.inst.opts.align16 || self.spec.align1.preds.code(pred.ctrl).is_some();
        self.deny(!has, "has a predicate control of other platforms")
    }

    fn flag(&self, flag: Reg) -> Result<(), Violation> {
        let operand = Operand::Flag;
        let fail = |what| Err(Violation::Operand { operand, what });
        match flag.file {
            RegFile::Flag if flag.num < self.platform.flag_count && flag.byte <= 2 => {}
            _ => return fail("is no flag register"),
        }
        if !flag.byte.is_multiple_of(2) {
            return fail("is no half of a flag register");
        }
        // A channel takes the flag bit of its number.
        if self.inst.exec_size + self.inst.chan_off > 16 && flag.byte != 0 && !self.whole_flag() {
            return fail("has too few bits for the channels");
        }
        Ok(())
    }

    /// True for a jump's one channel, which takes the first bit wherever the channel is.
    fn whole_flag(&self) -> bool {
        self.inst.exec_size == 1
    }

    /// Instructions that finish in order take no token. Those of doubles finish out of order where the math unit
    /// computes them.
    fn scoreboard(&self) -> Result<(), Violation> {
        let swsb = &self.inst.swsb;
        let takes = matches!(swsb.token, Some((TokenUse::Set, _)));
        let shared_pipe = !self.platform.int64 && self.platform.fp64;
        let in_order = self.op.swsb_kind() == SwsbKind::Other;
        let doubles = shared_pipe && self.types().any(|ty| ty == Type::Df);
        self.deny(
            takes && in_order && !doubles,
            "takes a token though it finishes in order",
        )?;
        let far = swsb
            .dist
            .is_some_and(|(_, distance)| distance > MAX_DISTANCE);
        self.deny(far, "waits for a distance that the hardware does not count")?;
        let own = matches!(swsb.dist, Some((Pipe::Own, _)));
        let unnamed = own && self.op.form.is_send() && self.rules.named_distance;
        self.deny(
            unnamed,
            "waits in its own pipeline though a message has none",
        )
    }

    /// Types of the operands, the destination's first.
    fn types(&self) -> impl Iterator<Item = Type> {
        let dst = self.inst.dst.map(|dst| dst.ty);
        dst.into_iter().chain(self.inst.srcs.iter().map(Src::ty))
    }

    /// Checks that the platform computes with a type.
    fn ty(&self, ty: Type, operand: Operand) -> Result<(), Violation> {
        let known = match ty {
            Type::Uq | Type::Q => self.platform.int64,
            Type::Df => self.platform.fp64,
            Type::Nf | Type::Bf | Type::Tf32 | Type::Bf8 | Type::Hf8 => {
                self.rules.types.contains(&ty)
            }
            _ => true,
        };
        if known {
            return Ok(());
        }
        Err(Violation::Operand {
            operand,
            what: "is of a type that the platform does not compute with",
        })
    }

    /// The tokens are given by a mask, by a flag, or are all.
    fn sync(&self) -> Result<(), Violation> {
        let Some(Src::Reg(src)) = self.inst.srcs.first() else {
            return Ok(());
        };
        let named = matches!(src.place, Place::Direct(reg)
            if matches!(reg.file, RegFile::Null | RegFile::Flag));
        self.deny(!named, "takes a mask, a flag or null")
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
        for target in [self.inst.jip, self.inst.uip].into_iter().flatten() {
            let between = matches!(target, Target::Offset(offset) if offset % 8 != 0);
            self.deny(between, "goes to where no instruction can be")?;
        }
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
        self.ty(dst.ty, Operand::Dst)?;
        let sources = self.inst.srcs.len();
        for (n, src) in self.inst.srcs.iter().enumerate() {
            let operand = Operand::Src(n as u8);
            self.ty(src.ty(), operand)?;
            match src {
                Src::Imm { ty, bits } => self.immediate(*ty, *bits, n + 1 == sources, operand)?,
                Src::Reg(src) => self.source(src, operand)?,
            }
        }
        if let Op::Math(function) = self.inst.op {
            self.math(function, dst)?;
        }
        self.product(dst)?;
        self.conversion(dst)?;
        self.destination(dst)?;
        self.in_place(dst)?;
        self.narrow(dst)
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

    /// A product of dwords is a dword only where the multiplier is wide enough; elsewhere `macl` makes it. No product is a
    /// byte. A rotation has no sign.
    fn product(&self, dst: &Dst) -> Result<(), Violation> {
        let dword = |ty: Type| matches!(ty, Type::D | Type::Ud);
        let dwords = dword(dst.ty) && self.inst.srcs.iter().all(|src| dword(src.ty()));
        let broken = self.inst.op == Op::Mul && dwords && !self.rules.dword_products;
        self.deny(broken, "has dwords as product and factors")?;
        let byte = dst.ty.bytes() == 1 && !matches!(dst.place, Place::Direct(reg) if reg.is_null());
        self.deny(self.inst.op == Op::Mul && byte, "has a byte as product")?;
        let turns = matches!(self.inst.op, Op::Rol | Op::Ror);
        let signed = self.types().take(2).any(Type::is_signed);
        self.deny(turns && signed, "is defined for unsigned types only")
    }

    /// On some families one byte for all channels does not become floats in one step. Nowhere do quadwords become bytes.
    fn conversion(&self, dst: &Dst) -> Result<(), Violation> {
        let byte = |src: &Src| match src {
            Src::Reg(src) => src.ty.bytes() == 1 && src.region == Region::SCALAR,
            Src::Imm { .. } => false,
        };
        let spreads =
            dst.ty.is_float() && self.inst.exec_size > 1 && self.inst.srcs.iter().any(byte);
        self.deny(
            spreads && !self.rules.scalar_byte_floats,
            "converts one byte to floats",
        )?;
        let quadword = |src: &Src| matches!(src, Src::Reg(src) if src.ty.bytes() == 8);
        let narrows = dst.ty.bytes() == 1 && self.inst.srcs.iter().any(quadword);
        self.deny(narrows, "converts 64 bits to bytes")
    }

    fn math(&self, function: MathFn, dst: &Dst) -> Result<(), Violation> {
        let macros = function.is_macro() && !self.rules.ieee_macros;
        self.deny(
            macros,
            "is a step of exact division, which the platform lacks",
        )?;
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
}
