//! The units that execute instructions, by the facts of a platform.

use kiln_platform::rules::{LongPipe, rules};

use crate::encoding::spec;
use crate::inst::{Inst, Op, Pipe, Place, RegFile, Src, Type};
use crate::platform::Platform;

/// Number of pipelines that distances count.
pub(crate) const PIPES: usize = 5;
/// The pipelines, by index.
const NAMES: [Pipe; PIPES] = [Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math, Pipe::Scalar];
pub(super) const FLOAT: u8 = 0;
const INT: u8 = 1;
const LONG: u8 = 2;
const MATH: u8 = 3;
const SCALAR: u8 = 4;

/// The unit that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Finished when issued.
    None,
    /// Finishes in order with the others of its pipeline.
    Pipe(u8),
    /// Finishes out of order; has a token.
    Token,
}

/// The way in which an operation finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// When it is issued.
    Immediate,
    /// Out of order: messages and products of matrices.
    Unordered,
    Math,
    Branch,
    /// In the pipeline of its types.
    Arithmetic,
}

fn kind(op: Op) -> Kind {
    use Op::*;
    match op {
        Sync(_) | Nop | Illegal | Wait | Halt => Kind::Immediate,
        Send | Sendc | Sends | Sendsc | Dpas(_) | Dpasw(_) => Kind::Unordered,
        Op::Math(_) => Kind::Math,
        Jmpi | Brd | If | Brc | Else | Endif | While | Break | Cont | Calla | Call | Ret | Goto
        | Join => Kind::Branch,
        Mov | Sel | Movi | Not | And | Or | Xor | Shr | Shl | Asr | Smov | Cmp | Cmpn | Csel
        | Bfrev | Bfe | Bfi1 | Bfi2 | Add | Mul | Avg | Frc | Rndu | Rndd | Rnde | Rndz | Mac
        | Mach | Lzd | Fbh | Fbl | Cbit | Addc | Subb | Sad2 | Sada2 | Dp4 | Dph | Dp3 | Dp2
        | Line | Pln | Mad | Lrp | Madm | Rol | Ror | Add3 | Bfn(_) | Dp4a | Macl | Srnd => {
            Kind::Arithmetic
        }
    }
}

/// The units of a platform with a software scoreboard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    /// True if all instructions in order share a pipeline, which is the first.
    pub one_pipe: bool,
    /// True if math functions finish in order.
    pub math_pipe: bool,
    /// True if the math unit computes doubles.
    math_doubles: bool,
    long: LongPipe,
}

impl Units {
    /// None on platforms that detect hazards in hardware.
    pub(crate) fn new(platform: &Platform) -> Option<Units> {
        let swsb = spec(platform).swsb?;
        let has = |pipe| swsb.dists.iter().any(|(named, _)| *named == pipe);
        Some(Units {
            one_pipe: !has(Pipe::Int),
            math_pipe: has(Pipe::Math),
            math_doubles: platform.fp64 && !platform.int64,
            long: rules(platform.family).long_pipe,
        })
    }

    /// The name of a pipeline in annotations.
    pub(crate) fn name(self, pipe: u8) -> Pipe {
        match self.one_pipe {
            true => Pipe::Own,
            false => NAMES[usize::from(pipe)],
        }
    }

    /// The unit of an instruction.
    pub(crate) fn unit(self, inst: &Inst) -> Unit {
        match kind(inst.op) {
            Kind::Immediate => Unit::None,
            Kind::Unordered => Unit::Token,
            Kind::Math if !self.math_pipe => Unit::Token,
            _ if self.math_doubles && types(inst).any(|ty| ty == Type::Df) => Unit::Token,
            _ if self.one_pipe => Unit::Pipe(0),
            _ => Unit::Pipe(self.pipe(inst)),
        }
    }

    /// The pipeline of an instruction, on platforms with several.
    fn pipe(self, inst: &Inst) -> u8 {
        let scalar = |place| matches!(place, Place::Direct(reg) if reg.file == RegFile::Scalar);
        let wide = |ty: Type| ty.bytes() == 8;
        match inst.dst {
            _ if kind(inst.op) == Kind::Math => MATH,
            Some(dst) if scalar(dst.place) => SCALAR,
            _ if kind(inst.op) == Kind::Branch => INT,
            None => INT,
            Some(_) if self.long == LongPipe::Operands && types(inst).any(wide) => LONG,
            Some(dst) => self.pipe_of(dst.ty),
        }
    }

    /// The pipeline of a type.
    pub(crate) fn pipe_of(self, ty: Type) -> u8 {
        match ty {
            _ if self.one_pipe => 0,
            Type::Df => LONG,
            ty if ty.bytes() == 8 && self.long == LongPipe::Operands => LONG,
            ty if ty.is_float() => FLOAT,
            _ => INT,
        }
    }

    /// The pipelines of the operands' types, in which a distance without a name counts.
    pub(crate) fn of_operands(self, inst: &Inst) -> impl Iterator<Item = u8> {
        types(inst).map(move |ty| self.pipe_of(ty))
    }

    /// The pipeline in which a distance without a name certainly counts: all operands must agree, and none be an
    /// integer of 64 bits, which some hardware takes for another pipeline's.
    pub(crate) fn own(self, inst: &Inst) -> Option<u8> {
        if self.one_pipe {
            return types(inst).next().map(|_| 0);
        }
        if kind(inst.op) == Kind::Unordered {
            return None;
        }
        let wide = types(inst).any(|ty| matches!(ty, Type::Uq | Type::Q));
        let mut pipes = self.of_operands(inst);
        let first = pipes.next()?;
        (!wide && pipes.all(|pipe| pipe == first)).then_some(first)
    }
}

fn types(inst: &Inst) -> impl Iterator<Item = Type> {
    let dst = inst.dst.map(|dst| dst.ty);
    dst.into_iter().chain(inst.srcs.iter().map(Src::ty))
}
