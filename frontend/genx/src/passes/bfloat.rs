//! Arithmetic on `bfloat`: computed in `float`, and rounded to the nearest, ties to even.
//!
//! Takes any function. Afterwards a `bfloat` is only moved, negated, or copied to and from memory, as 16 bits; its
//! conversions are operations on integers, since Gen9 and Gen11 have none. A bfloat is the upper half of a float with
//! the same value.

use smallvec::SmallVec;

use super::builder::{Builder, rewrite};
use super::library::Text;
use crate::error::Result;
use crate::intrinsics::Kind;
use crate::ir::{CastOp, Const, Function, Inst, Module, Op, Scalar, Type, Types, Value};

/// Bits of a float that a bfloat has not.
const LOWER_BITS: u64 = 16;

/// Lowers all arithmetic and conversions of bfloats.
///
/// # Errors
/// A value becomes too large.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    rewrite(&mut module.types, function, wants, |builder| {
        builder.by_floats()
    })
}

/// True if an instruction computes on bfloats.
fn wants(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let is = |ty: Type| types.element(ty) == Some(Scalar::BFloat);
    let any = is(data.ty) || data.args.iter().any(|arg| is(function.ty(*arg)));
    match &data.op {
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::ConvertBFloat => true,
            Kind::Alu(_)
            | Kind::Modifier(_)
            | Kind::Saturate
            | Kind::Extremum(..)
            | Kind::Fma
            | Kind::Approximate(_)
            | Kind::Math(..) => any,
            _ => false,
        },
        Op::Binary(_) | Op::FCmp(_) => any,
        Op::Cast(op) => any && *op != CastOp::BitCast,
        _ => false,
    }
}

impl Builder<'_> {
    /// The float with the value of a bfloat, or of any type that has its bits.
    fn extended(&mut self, value: Value) -> Result<Value> {
        let float = self.shaped(value, Scalar::Float);
        let constant = match self.function.as_const(value) {
            Some(Const::Bits(bits)) => Some(Const::Bits(bits << LOWER_BITS)),
            Some(Const::Vector(all)) => Some(Const::Vector(
                all.iter().map(|bits| bits << LOWER_BITS).collect(),
            )),
            Some(Const::Zero) => Some(Const::Zero),
            _ => None,
        };
        if let Some(constant) = constant {
            return Ok(self.function.constant(float, constant));
        }
        let word = self.shaped(value, Scalar::Int(16));
        let bits = self.cast(CastOp::BitCast, value, word);
        self.inlined_one(Text::BFloat, "bfloat.extended", &[bits])
    }

    /// Computes what an instruction does in floats.
    fn by_floats(&mut self) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let to_bfloat = self.types.element(data.ty) == Some(Scalar::BFloat);
        let bits = match &data.op {
            Op::Intrinsic(intrinsic) if matches!(intrinsic.kind(), Kind::ConvertBFloat) => {
                let value = data.args[0];
                let to = self.types.element(data.ty);
                let bits = |scalar: Option<Scalar>| scalar.map_or(0, |s| self.types.bits(s));
                let (from, width) = (self.scalar(value), bits(to));
                match (from, to) {
                    (Some(Scalar::Float), _) if width == 16 => {}
                    (_, Some(Scalar::Float)) if bits(from) == 16 => {}
                    _ => return self.error("a float and one of 16 bits are expected"),
                }
                match from {
                    Some(Scalar::Float) => {
                        self.inlined_one(Text::BFloat, "bfloat.rounded", &[value])?
                    }
                    _ => self.extended(value)?,
                }
            }
            Op::Cast(op) if to_bfloat => {
                let value = data.args[0];
                let float = match (op, self.scalar(value)) {
                    (_, Some(Scalar::Float)) => value,
                    (_, Some(Scalar::Double)) => {
                        self.inlined_one(Text::BFloat, "bfloat.odd", &[value])?
                    }
                    (op, _) => {
                        let float = self.shaped(value, Scalar::Float);
                        self.cast(*op, value, float)
                    }
                };
                self.inlined_one(Text::BFloat, "bfloat.rounded", &[float])?
            }
            op => {
                let mut args: SmallVec<[Value; 3]> = SmallVec::new();
                for arg in &data.args {
                    args.push(match self.scalar(*arg) {
                        Some(Scalar::BFloat) => self.extended(*arg)?,
                        _ => *arg,
                    });
                }
                let extends =
                    matches!(op, Op::Cast(_)) && self.types.element(data.ty) == Some(Scalar::Float);
                if !to_bfloat && !extends {
                    self.become_op(op.clone(), args);
                    return Ok(());
                }
                if extends {
                    args[0]
                } else {
                    let count = self.types.count(data.ty);
                    let ty = self.types.shaped(count, Scalar::Float);
                    let float = self.add(op.clone(), args, ty);
                    self.inlined_one(Text::BFloat, "bfloat.rounded", &[float])?
                }
            }
        };
        self.become_bits(bits);
        Ok(())
    }
}
