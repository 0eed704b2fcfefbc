//! The resolved form of an instruction, as it is executed.
//!
//! Everything that does not depend on the machine's state is worked out here once, when code is
//! decoded: which bytes of which register file an operand's elements are, how far apart, the
//! constant of each channel, where a branch goes as the index of an operation, what a message's
//! constant descriptor says, and by which [`Path`] the operation is carried out. An operand that
//! reaches beyond its register file, or an instruction that lacks what it needs, becomes
//! [`Path::Fault`] here, so that the execution need not look for it.
//!
//! The form is what the interpreter walks, and all that a translator to another machine's code
//! needs of an instruction: it says what is computed, not how.

use std::fmt;

use kiln_emit::inst::{Cond, MathFn, Op, PredCtrl, Type};

use super::send::Send;
use super::systolic::Systolic;
use crate::state::cause::{Cause, Lost};
use crate::state::lanes::LANES;
use crate::state::thread::File;

/// Origin of a source's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// No register: the same bits for every channel.
    Constant(u64),
    /// A packed immediate: the bits for channel *n* are the entry *n* modulo 8.
    Packed(Box<[u64; 8]>),
    /// Bytes of a file from the first element's.
    File { file: File, at: u16 },
    /// Bytes of the general registers from the address in `a0` at byte `addr`, plus `imm`.
    Address { addr: u8, imm: i16 },
    /// Bytes of the general registers at an address in `a0` for each row of `width` channels.
    Addresses { addr: u8, imm: i16, width: u8 },
    /// The active channels, as a number.
    ChannelEnable,
}

/// Byte distance of a channel's element from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The channel's number times the step.
    Linear(u16),
    /// An entry for each channel.
    Table(Box<[u16; LANES]>),
}

impl Steps {
    pub fn at(&self, lane: usize) -> usize {
        match self {
            Steps::Linear(step) => lane * usize::from(*step),
            Steps::Table(steps) => steps.get(lane).map_or(0, |&s| usize::from(s)),
        }
    }
}

/// A source operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub ty: Type,
    pub base: Base,
    pub steps: Steps,
    /// Modifiers: first the magnitude is taken, then the sign changed.
    pub abs: bool,
    pub neg: bool,
    /// Special accumulator that extends the number, in macro steps.
    pub mme: Option<u8>,
}

impl Source {
    pub fn is_accumulator(&self) -> bool {
        matches!(
            self.base,
            Base::File {
                file: File::Acc,
                ..
            }
        )
    }
}

/// Origin of a destination's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Results are dropped.
    Null,
    File {
        file: File,
        at: u16,
    },
    /// As [`Base::Address`].
    Address {
        addr: u8,
        imm: i16,
    },
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dest {
    pub ty: Type,
    pub target: Target,
    /// Distance between the elements of adjacent channels in bytes.
    pub step: u16,
    pub mme: Option<u8>,
}

/// Function from flags to a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub ctrl: PredCtrl,
    pub inverse: bool,
    /// Index, among all flag bits, of the flag operand's first bit.
    pub bit: u8,
    /// Index, among all flag bits, of the first bit of the operand's flag register.
    pub register: u8,
}

/// The condition modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub cond: Cond,
    /// Index, among all flag bits, of the first channel's bit; none if no flag is written.
    pub bit: Option<u8>,
}

/// Target of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The branch has no such target.
    None,
    /// Index of an operation.
    To(u32),
    /// Taken from the first source.
    Dynamic,
}

/// Channels that a `goto` takes to its update target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goto {
    /// Channels whose predicate holds go there and all others wait (`goto.b`, which goes back). Also the value of
    /// operations other than `goto`.
    Back,
    /// Channels whose predicate holds wait there.
    IfTrue,
    /// Channels whose predicate does not hold wait there.
    IfFalse,
}

/// Order in which the lanes' bits are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Signed,
    Unsigned,
}

/// Function of the sources `a`, `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fast {
    /// `a`'s bits; modifiers act on a float's sign.
    Bits,
    Mov,
    Not,
    And,
    Or,
    Xor,
    Add,
    Mul,
    /// `a + b * c`.
    Mad,
    Shl,
    Shr,
    /// Arithmetic shift of a signed source.
    Asr,
    Rol,
    Ror,
    /// `a + b + c`.
    Add3,
    /// The bit of a function at the index that the bits of `c`, `b` and `a` make.
    Bfn(u8),
    Cmp(Cond, Order),
    /// Choice by the predicate.
    Sel,
    /// The source for which the relation of `a` to `b` holds.
    SelBy(Cond, Order),
    /// `a` where `c` has the relation to zero.
    Csel(Cond, Order),
    /// An integer as a single.
    ToSingle(Order),
    /// A single as a dword, toward zero and clamped.
    ToDword(Order),
    FMov,
    FAdd,
    FMul,
    /// `a + b * c`, rounded once.
    FMad,
    FFrc,
    FRndu,
    FRndd,
    FRnde,
    FRndz,
    FCmp(Cond),
    /// As `FCmp`, and true where `b` is a NaN.
    FCmpn(Cond),
    FSel,
    FSelBy(Cond),
    FCsel(Cond),
}

/// The part of the interpreter that executes an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    Nop,
    /// A move that changes no bit but a float's sign.
    Raw,
    /// `smov`.
    Scattered,
    /// `movi`.
    Indexed,
    Math(MathFn),
    Madm,
    /// Integers with exact results in 64 bits.
    Int,
    /// Integers with longer results.
    WideInt,
    /// Operations on `f` and `hf`.
    Single,
    /// Operations with a `df`.
    Double,
    Branch,
    Send(Box<Send>),
    Systolic(Box<Systolic>),
    /// `srnd`.
    Stochastic,
    Wait,
    /// `sync.bar` where there are several barriers.
    Barrier,
    /// An operation that cannot be executed.
    Fault(Box<Cause>),
}

/// An operation: one instruction, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub op: Op,
    pub path: Path,
    /// The common form of arithmetic on integers and singles of at most 32 bits; none if it has none.
    pub fast: Option<Fast>,
    /// Number of channels, 1 to 32.
    pub lanes: u8,
    /// First bit of the execution mask.
    pub chan_off: u8,
    /// Channels that the instruction can write, from bit 0: those of its execution size, without those that an
    /// Align16 destination leaves out.
    pub mask: u32,
    /// All ones if the execution mask is ignored, else zero.
    pub ungated: u32,
    pub saturate: bool,
    /// True if the accumulator receives the result too.
    pub acc_write: bool,
    /// Channels that a `goto` sends away.
    pub goto: Goto,
    /// True if channels may wait for this operation.
    pub wakes: bool,
    /// The error for channels that a branch would make wait for ever, if the hardware does not activate them at its
    /// target.
    pub lost: Option<Box<Lost>>,
    pub pred: Option<Predicate>,
    pub cond: Option<Condition>,
    pub dst: Dest,
    pub srcs: [Source; 3],
    /// Number of sources; the others are constants of zero.
    pub count: u8,
    /// Jump target and update target.
    pub jip: Jump,
    pub uip: Jump,
    /// Offsets from the program's start to the instruction and to the next one, in bytes.
    pub at: u32,
    pub next: u32,
}

impl Operation {
    /// The sources the instruction has.
    pub fn sources(&self) -> &[Source] {
        &self.srcs[..usize::from(self.count)]
    }

    /// `cr0.0` after an operation that makes it of itself and constants; none after any other.
    pub fn control(&self, bits: u32) -> Option<u32> {
        let control = |at| (File::Control, at);
        let written =
            matches!(self.dst.target, Target::File { file, at } if (file, at) == control(0));
        let plain = (self.lanes, self.dst.ty) == (1, Type::Ud) && self.ungated != 0;
        if !written || !plain || self.pred.is_some() || self.cond.is_some() || self.saturate {
            return None;
        }
        let value = |src: &Source| match src.base {
            _ if src.neg || src.abs || !matches!(src.ty, Type::Ud | Type::D) => None,
            Base::Constant(constant) => Some(constant as u32),
            Base::File { file, at } if (file, at) == control(0) => Some(bits),
            _ => None,
        };
        match (self.op, self.sources()) {
            (Op::Mov, [a]) => value(a),
            (Op::And, [a, b]) => Some(value(a)? & value(b)?),
            (Op::Or, [a, b]) => Some(value(a)? | value(b)?),
            (Op::Xor, [a, b]) => Some(value(a)? ^ value(b)?),
            _ => None,
        }
    }

    /// The systolic operation, if it is one.
    pub fn systolic(&self) -> Option<(&Operation, &Systolic)> {
        match &self.path {
            Path::Systolic(systolic) => Some((self, systolic)),
            _ => None,
        }
    }
}

impl Operation {
    /// Width of an integer operation in bits: that of its widest operand, at least 32.
    pub fn width(&self) -> u64 {
        let wide = self.dst.ty.bytes() == 8 || self.sources().iter().any(|s| s.ty.bytes() == 8);
        if wide { 64 } else { 32 }
    }
}

impl fmt::Display for Source {
    /// `-r[64+4n]:f`: the first byte in the file, and the step to the next channel's element.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.neg {
            f.write_str("-")?;
        }
        if self.abs {
            f.write_str("abs ")?;
        }
        let steps = |f: &mut fmt::Formatter<'_>| match &self.steps {
            Steps::Linear(0) => Ok(()),
            Steps::Linear(step) => write!(f, "+{step}n"),
            Steps::Table(steps) => write!(f, "+{:?}[n]", &steps[..8]),
        };
        match &self.base {
            Base::Constant(bits) => write!(f, "{bits:#x}")?,
            Base::Packed(bits) => write!(f, "{bits:x?}[n]")?,
            Base::ChannelEnable => f.write_str("ce")?,
            Base::File { file, at } => {
                write!(f, "{file}[{at}")?;
                steps(f)?;
                f.write_str("]")?;
            }
            Base::Address { addr, imm } => {
                write!(f, "r[a[{addr}]{imm:+}")?;
                steps(f)?;
                f.write_str("]")?;
            }
            Base::Addresses { addr, imm, width } => {
                write!(f, "r[a[{addr}+n/{width}*2]{imm:+}")?;
                steps(f)?;
                f.write_str("]")?;
            }
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Dest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target {
            Target::Null => f.write_str("null")?,
            Target::File { file, at } => write!(f, "{file}[{at}+{}n]", self.step)?,
            Target::Address { addr, imm } => write!(f, "r[a[{addr}]{imm:+}+{}n]", self.step)?,
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Operation {
    /// One line: offset, channels, gates, operation and path, operands, jumps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x} {:>2}@{}", self.at, self.lanes, self.chan_off)?;
        if self.ungated != 0 {
            f.write_str(" always")?;
        }
        if let Some(pred) = &self.pred {
            let not = if pred.inverse { "!" } else { "" };
            write!(f, " if {not}f[{}] {:?}", pred.bit, pred.ctrl)?;
        }
        match &self.path {
            Path::Send(send) => return write!(f, " {:?} {send}", self.op),
            Path::Systolic(systolic) => return write!(f, " {:?} {systolic:?}", self.op),
            Path::Fault(cause) => return write!(f, " fault: {cause}"),
            Path::Branch => write!(f, " {:?}", self.op)?,
            path => match self.fast {
                Some(fast) => write!(f, " {fast:?}")?,
                None => write!(f, " {:?} as {path:?}", self.op)?,
            },
        }
        if self.saturate {
            f.write_str(" sat")?;
        }
        write!(f, " {}", self.dst)?;
        for source in self.sources() {
            write!(f, ", {source}")?;
        }
        if let Some(cond) = &self.cond {
            write!(f, ", {:?}", cond.cond)?;
            if let Some(bit) = cond.bit {
                write!(f, " to f[{bit}]")?;
            }
        }
        for (name, jump) in [("jip", self.jip), ("uip", self.uip)] {
            match jump {
                Jump::None => {}
                Jump::To(index) => write!(f, " {name} #{index}")?,
                Jump::Dynamic => write!(f, " {name} register")?,
            }
        }
        Ok(())
    }
}
