//! Arithmetic on `bfloat`: computed in `float`, and rounded to the nearest, ties to even.
//!
//! Takes any function. Afterwards a `bfloat` is only moved, negated, or copied to and from memory, as 16 bits; its
//! conversions are operations on integers, since Gen9 and Gen11 have none. A bfloat is the upper half of a float with
//! the same value.

use smallvec::{SmallVec, smallvec};

use super::builder::{Builder, rewrite};
use crate::error::Result;
use crate::intrinsics::Kind;
use crate::ir::{
    BinaryOp, CastOp, Const, FloatRel, Function, Inst, Module, Op, Scalar, Type, Types, Value,
};

/// Bits of a float that a bfloat has not.
const LOWER_BITS: u64 = 16;
/// The bit that makes a bfloat a quiet NaN.
const QUIET: u64 = 0x40;

/// Lowers all arithmetic and conversions of bfloats.
///
/// # Errors
/// It has none; the list of passes takes functions that may.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    rewrite(&mut module.types, function, wants, |builder| {
        builder.by_floats();
        Ok(())
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
            | Kind::Approximate(_) => any,
            _ => false,
        },
        Op::Binary(_) | Op::FCmp(_) => any,
        Op::Cast(op) => any && *op != CastOp::BitCast,
        _ => false,
    }
}

impl Builder<'_> {
    /// The float with the value of a bfloat, or of any type that has its bits.
    fn extended(&mut self, value: Value) -> Value {
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
            return self.function.constant(float, constant);
        }
        let (word, dword) = (
            self.shaped(value, Scalar::Int(16)),
            self.shaped(value, Scalar::Int(32)),
        );
        let bits = self.cast(CastOp::BitCast, value, word);
        let wide = self.cast(CastOp::ZExt, bits, dword);
        let moved = self.binary_bits(BinaryOp::Shl, wide, LOWER_BITS);
        self.cast(CastOp::BitCast, moved, float)
    }

    /// The bits of the bfloat next to a float.
    fn rounded(&mut self, value: Value) -> Value {
        let (word, dword) = (
            self.shaped(value, Scalar::Int(16)),
            self.shaped(value, Scalar::Int(32)),
        );
        let bits = self.cast(CastOp::BitCast, value, dword);
        let upper = self.binary_bits(BinaryOp::LShr, bits, LOWER_BITS);
        let odd = self.binary_bits(BinaryOp::And, upper, 1);
        let half = self.binary_bits(BinaryOp::Add, bits, (1 << (LOWER_BITS - 1)) - 1);
        let sum = self.add(Op::Binary(BinaryOp::Add), smallvec![half, odd], dword);
        let near = self.binary_bits(BinaryOp::LShr, sum, LOWER_BITS);
        let quiet = self.binary_bits(BinaryOp::Or, upper, QUIET);
        let nan = self.relation(FloatRel::UNORDERED, value, value);
        let bits = self.choose(nan, quiet, near);
        self.cast(CastOp::Trunc, bits, word)
    }

    /// A double as a float whose rounding to a bfloat is that of the double: rounded to odd.
    fn odd_float(&mut self, value: Value) -> Value {
        let (float, dword) = (
            self.shaped(value, Scalar::Float),
            self.shaped(value, Scalar::Int(32)),
        );
        let double = self.function.ty(value);
        let near = self.cast(CastOp::FpTrunc, value, float);
        let back = self.cast(CastOp::FpExt, near, double);
        let bits = self.cast(CastOp::BitCast, near, dword);
        // The magnitude without the sign, as integers: those of numbers are in their order.
        let long = self.shaped(value, Scalar::Int(64));
        let magnitude = |lower: &mut Self, value| {
            let bits = lower.cast(CastOp::BitCast, value, long);
            let bits = lower.binary_bits(BinaryOp::And, bits, u64::MAX >> 1);
            lower.cast(CastOp::BitCast, bits, double)
        };
        let (a, b) = (magnitude(self, back), magnitude(self, value));
        let beyond = self.relation(FloatRel::GREATER, a, b);
        let less = self.binary_bits(BinaryOp::Add, bits, u64::from(u32::MAX));
        let below = self.choose(beyond, less, bits);
        let odd = self.binary_bits(BinaryOp::Or, below, 1);
        let inexact = self.relation(FloatRel::DIFFERENT, back, value);
        let bits = self.choose(inexact, odd, below);
        self.cast(CastOp::BitCast, bits, float)
    }

    /// Computes what an instruction does in floats.
    fn by_floats(&mut self) {
        let data = self.function.insts[self.inst].clone();
        let to_bfloat = self.types.element(data.ty) == Some(Scalar::BFloat);
        match &data.op {
            Op::Intrinsic(intrinsic) if matches!(intrinsic.kind(), Kind::ConvertBFloat) => {
                let value = data.args[0];
                if self.scalar(value) == Some(Scalar::Float) {
                    let bits = self.rounded(value);
                    return self.become_bits(bits);
                }
                let float = self.extended(value);
                self.become_bits(float);
            }
            Op::Cast(op) if to_bfloat => {
                let value = data.args[0];
                let float = match (op, self.scalar(value)) {
                    (_, Some(Scalar::Float)) => value,
                    (_, Some(Scalar::Double)) => self.odd_float(value),
                    (op, _) => {
                        let float = self.shaped(value, Scalar::Float);
                        self.cast(*op, value, float)
                    }
                };
                let bits = self.rounded(float);
                self.become_bits(bits);
            }
            Op::Cast(op) => {
                let float = self.extended(data.args[0]);
                if self.types.element(data.ty) == Some(Scalar::Float) {
                    return self.become_bits(float);
                }
                self.become_op(Op::Cast(*op), smallvec![float]);
            }
            op => {
                let args = data.args.iter().map(|arg| match self.scalar(*arg) {
                    Some(Scalar::BFloat) => self.extended(*arg),
                    _ => *arg,
                });
                let args: SmallVec<[Value; 3]> = args.collect();
                if !to_bfloat {
                    return self.become_op(op.clone(), args);
                }
                let ty = self.types.count(data.ty);
                let ty = self.types.shaped(ty, Scalar::Float);
                let float = self.add(op.clone(), args, ty);
                let bits = self.rounded(float);
                self.become_bits(bits);
            }
        }
    }
}
