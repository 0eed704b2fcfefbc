//! Operations that become several instructions: remainders with the sign of the divisor, products of vectors, fields of bits,
//! and classes of floats.

use smallvec::{SmallVec, smallvec};
use spirv::Op;

use super::Reader;
use super::body::Body;
use crate::error::{Code, Result};
use crate::ir::{BinaryOp, CastOp, FloatRel, IntRel, Op as IrOp, Scalar, Type, Types, Value};

/// Bits of the exponent, and of the smallest number that is no denormal.
fn exponent(scalar: Scalar) -> Option<(u64, u64)> {
    let (first, bits) = match scalar {
        Scalar::Half => (10, 5),
        Scalar::BFloat => (7, 8),
        Scalar::Float => (23, 8),
        Scalar::Double => (52, 11),
        _ => return None,
    };
    Some((((1 << bits) - 1) << first, 1 << first))
}

impl Reader<'_> {
    /// Reads one of these operations; false for any other.
    pub(super) fn derived(&mut self, body: &mut Body, op: Op) -> Result<bool> {
        match op {
            Op::SMod => self.signed_modulo(body)?,
            Op::FMod => self.float_modulo(body)?,
            Op::Dot => self.dot(body)?,
            Op::BitCount => self.count_ones(body)?,
            Op::BitFieldInsert => self.insert_field(body)?,
            Op::BitFieldSExtract => self.extract_field(body, BinaryOp::AShr)?,
            Op::BitFieldUExtract => self.extract_field(body, BinaryOp::LShr)?,
            Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
                self.float_class(body, op)?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn some(
        &mut self,
        body: &mut Body,
        op: IrOp,
        args: impl IntoIterator<Item = Value>,
    ) -> Result<Value> {
        self.value_of(body, op, args.into_iter().collect(), Types::VOID)
    }

    fn binary(&mut self, body: &mut Body, op: BinaryOp, a: Value, b: Value) -> Result<Value> {
        self.some(body, IrOp::Binary(op), [a, b])
    }

    /// The remainder of integers, plus the divisor if their signs differ.
    fn signed_modulo(&mut self, body: &mut Body) -> Result<()> {
        let (a, b) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let rest = self.binary(body, BinaryOp::SRem, a, b)?;
        let zero = self.filled(body, body.function.ty(rest), 0)?;
        let signs = self.binary(body, BinaryOp::Xor, rest, b)?;
        let differ = self.some(body, IrOp::ICmp(IntRel::Slt), [signs, zero])?;
        let is_some = self.some(body, IrOp::ICmp(IntRel::Ne), [rest, zero])?;
        let wrong = self.binary(body, BinaryOp::And, differ, is_some)?;
        let sum = self.binary(body, BinaryOp::Add, rest, b)?;
        self.finish_of(body, IrOp::Select, smallvec![wrong, sum, rest])
    }

    /// The remainder of floats, plus the divisor if their signs differ. A zero gets the sign of the divisor.
    fn float_modulo(&mut self, body: &mut Body) -> Result<()> {
        let (a, b) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let rest = self.binary(body, BinaryOp::FRem, a, b)?;
        let signed = self.intrinsic(body, "copysign", smallvec![rest, b])?;
        let wrong = self.some(body, IrOp::FCmp(FloatRel::LESS_OR_GREATER), [rest, signed])?;
        let sum = self.binary(body, BinaryOp::FAdd, rest, b)?;
        self.finish_of(body, IrOp::Select, smallvec![wrong, sum, signed])
    }

    /// Sum of the products of the elements.
    fn dot(&mut self, body: &mut Body) -> Result<()> {
        let (a, b) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let products = self.binary(body, BinaryOp::FMul, a, b)?;
        let ty = self.value_ty(self.op(0)?)?;
        let Some(scalar) = self.module.types.element(ty) else {
            return Err(self.refused(Code::Mismatch, "a number is expected"));
        };
        // A negative zero changes no sum.
        let sign = 1 << (self.module.types.bits(scalar).clamp(1, u64::BITS) - 1);
        let start = self.filled(body, ty, sign)?;
        self.finish_intrinsic(body, "vector.reduce.fadd", smallvec![start, products])
    }

    /// Number of bits that are set, whose type may have another width.
    fn count_ones(&mut self, body: &mut Body) -> Result<()> {
        let value = self.arg(body, 2)?;
        let ones = self.intrinsic(body, "ctpop", smallvec![value])?;
        let ty = self.value_ty(self.op(0)?)?;
        let ones = self.resized(body, ones, ty)?;
        self.alias(body, ones)
    }

    /// An integer, or a vector of them, with elements of another width.
    fn resized(&mut self, body: &mut Body, value: Value, ty: Type) -> Result<Value> {
        let types = &self.module.types;
        let width = |ty| types.element(ty).map_or(0, |scalar| types.bits(scalar));
        let cast = match width(body.function.ty(value)).cmp(&width(ty)) {
            std::cmp::Ordering::Less => CastOp::ZExt,
            std::cmp::Ordering::Equal => return Ok(value),
            std::cmp::Ordering::Greater => CastOp::Trunc,
        };
        self.value_of(body, IrOp::Cast(cast), smallvec![value], ty)
    }

    /// The number in operand `n` as an element, or all elements, of a type.
    fn each(&mut self, body: &mut Body, n: usize, ty: Type) -> Result<Value> {
        let value = self.arg(body, n)?;
        let Some(scalar) = self.module.types.element(ty) else {
            return Err(self.refused(Code::Mismatch, "an integer is expected"));
        };
        let element = self.module.types.scalar(scalar);
        let value = self.resized(body, value, element)?;
        match self.module.types.count(ty) {
            Some(_) => self.spread(body, value, ty),
            None => Ok(value),
        }
    }

    /// A field's first bit, the number of the element's other bits, and true if the field is empty. An empty field makes a
    /// shift by all bits, which has no result: the caller selects another value.
    fn field(&mut self, body: &mut Body, ty: Type, from: usize) -> Result<[Value; 3]> {
        let Some(Scalar::Int(width @ 2..=64)) = self.module.types.element(ty) else {
            return Err(self.refused(Code::Mismatch, "an integer is expected"));
        };
        let offset = self.each(body, from, ty)?;
        let count = self.each(body, from + 1, ty)?;
        let width = self.filled(body, ty, width.into())?;
        let zero = self.filled(body, ty, 0)?;
        let others = self.binary(body, BinaryOp::Sub, width, count)?;
        let empty = self.some(body, IrOp::ICmp(IntRel::Eq), [count, zero])?;
        Ok([offset, others, empty])
    }

    /// Base, inserted value, first bit, number of bits.
    fn insert_field(&mut self, body: &mut Body) -> Result<()> {
        let (base, new) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let ty = body.function.ty(base);
        let [offset, others, empty] = self.field(body, ty, 4)?;
        let ones = self.filled(body, ty, u64::MAX)?;
        let mask = self.binary(body, BinaryOp::LShr, ones, others)?;
        let mask = self.binary(body, BinaryOp::Shl, mask, offset)?;
        let new = self.binary(body, BinaryOp::Shl, new, offset)?;
        let new = self.binary(body, BinaryOp::And, new, mask)?;
        let outside = self.binary(body, BinaryOp::Xor, mask, ones)?;
        let kept = self.binary(body, BinaryOp::And, base, outside)?;
        let both = self.binary(body, BinaryOp::Or, kept, new)?;
        self.finish_of(body, IrOp::Select, smallvec![empty, base, both])
    }

    /// Base, first bit, number of bits.
    fn extract_field(&mut self, body: &mut Body, shift: BinaryOp) -> Result<()> {
        let base = self.arg(body, 2)?;
        let ty = body.function.ty(base);
        let [offset, others, empty] = self.field(body, ty, 3)?;
        let zero = self.filled(body, ty, 0)?;
        let above = self.binary(body, BinaryOp::Sub, others, offset)?;
        let high = self.binary(body, BinaryOp::Shl, base, above)?;
        let field = self.binary(body, shift, high, others)?;
        self.finish_of(body, IrOp::Select, smallvec![empty, zero, field])
    }

    /// Relations of a float's bits.
    fn float_class(&mut self, body: &mut Body, op: Op) -> Result<()> {
        let value = self.arg(body, 2)?;
        let ty = body.function.ty(value);
        let types = &mut self.module.types;
        let count = types.count(ty);
        let Some((scalar, (most, least))) =
            (types.element(ty)).and_then(|scalar| Some((scalar, exponent(scalar)?)))
        else {
            return Err(self.refused(Code::Mismatch, "a float is expected"));
        };
        let width = types.bits(scalar);
        let ty = types.shaped(count, Scalar::Int(width));
        let bits = self.value_of(body, IrOp::Cast(CastOp::BitCast), smallvec![value], ty)?;
        let (relation, other) = match op {
            Op::SignBitSet => (IntRel::Slt, 0),
            Op::IsInf => (IntRel::Eq, most),
            Op::IsFinite => (IntRel::Ult, most),
            _ => (IntRel::Ult, most - least),
        };
        let other = self.filled(body, ty, other)?;
        let mut args: SmallVec<[Value; 3]> = smallvec![bits, other];
        if op != Op::SignBitSet {
            let magnitude = self.filled(body, ty, (1 << (width - 1)) - 1)?;
            args[0] = self.binary(body, BinaryOp::And, bits, magnitude)?;
        }
        if op == Op::IsNormal {
            let least = self.filled(body, ty, least)?;
            args[0] = self.binary(body, BinaryOp::Sub, args[0], least)?;
        }
        self.finish_of(body, IrOp::ICmp(relation), args)
    }
}
