//! Operations that vISA has no instruction for, as some that it has.
//!
//! Takes any function. Afterwards no arithmetic says by itself that its result does not fit, no `i1`
//! is put at a variable place, and the bits of none are reversed.

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use super::library::Text;
use crate::error::Result;
use crate::intrinsics::{Arrangement, Kind, Sign};
use crate::ir::{
    BinaryOp, CastOp, Const, Function, Inst, IntRel, Module, Op, Scalar, Type, Types, Value,
};

/// Replaces these operations by arithmetic that vISA has.
///
/// # Errors
/// An operand is wrong.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    rewrite(
        &mut module.types,
        function,
        wants,
        |builder| match overflow(builder.function, builder.inst) {
            Some((op, sign)) => builder.with_overflow(op, sign),
            None if other(builder.function, builder.inst).is_some() => builder.other(),
            None if reverses(builder.function, builder.inst) => {
                let args = builder.function.insts[builder.inst].args.clone();
                builder.become_op(Op::Freeze, args);
                Ok(())
            }
            None => builder.insert_bool(),
        },
    )
}

/// Operation and sign of arithmetic that also returns an overflow bit; none for any other instruction.
fn overflow(function: &Function, inst: Inst) -> Option<(BinaryOp, Sign)> {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::WithOverflow(op, sign) => Some((op, sign)),
            _ => None,
        },
        _ => None,
    }
}

/// True for an instruction that reverses bits.
fn reverses(function: &Function, inst: Inst) -> bool {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => matches!(intrinsic.kind(), Kind::ReverseBits),
        _ => false,
    }
}

/// A comparison with three results, a shift that saturates, or an arrangement of elements.
fn other(function: &Function, inst: Inst) -> Option<Kind> {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => {
            let kind = intrinsic.kind();
            let is_other = matches!(
                kind,
                Kind::Compare(_) | Kind::ShiftSat(_) | Kind::Arrange(_)
            );
            is_other.then_some(kind)
        }
        _ => None,
    }
}

fn wants(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(first) = data.args.first() else {
        return false;
    };
    let element = types.element(function.ty(*first));
    match data.op {
        Op::InsertElement => {
            element == Some(Scalar::Int(1)) && function.as_const(data.args[2]).is_none()
        }
        _ if other(function, inst).is_some() => true,
        _ if element == Some(Scalar::Int(1)) => reverses(function, inst),
        _ => overflow(function, inst).is_some(),
    }
}

impl Builder<'_> {
    fn compared(&mut self, rel: IntRel, a: Value, b: Value) -> Value {
        let ty = self.shaped(a, Scalar::Int(1));
        self.add(Op::ICmp(rel), smallvec![a, b], ty)
    }

    /// The replacement of what [`other`] finds.
    fn other(&mut self) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        match (other(self.function, self.inst), &args[..]) {
            (Some(Kind::Compare(sign)), &[a, b]) => {
                let (less, more) = match sign {
                    Sign::Signed => (IntRel::Slt, IntRel::Sgt),
                    _ => (IntRel::Ult, IntRel::Ugt),
                };
                let ty = self.function.insts[self.inst].ty;
                let [less, more] = [less, more].map(|rel| self.compared(rel, a, b));
                let less = self.cast(CastOp::SExt, less, ty);
                let more = self.cast(CastOp::ZExt, more, ty);
                self.become_op(Op::Binary(BinaryOp::Or), smallvec![less, more]);
                Ok(())
            }
            (Some(Kind::ShiftSat(sign)), &[a, by]) => self.shifted(sign, a, by),
            (Some(Kind::Arrange(arrangement)), args) => self.arranged(arrangement, args),
            _ => self.error("another number of operands is expected"),
        }
    }

    /// A number shifted to the left, or the greatest or least one if a shift back does not give the number.
    fn shifted(&mut self, sign: Sign, a: Value, by: Value) -> Result<()> {
        let ty = self.function.ty(a);
        let bits = self.scalar(a).map_or(0, |scalar| self.types.bits(scalar));
        if !(1..=64).contains(&bits) {
            return self.error("an integer of at most 64 bits is expected");
        }
        let moved = self.binary(BinaryOp::Shl, a, by);
        let ones = u64::MAX >> (64 - bits);
        let (back, limit) = match sign {
            Sign::Signed => {
                let minus = self.binary_bits(BinaryOp::AShr, a, u64::from(bits) - 1);
                let limit = self.binary_bits(BinaryOp::Xor, minus, ones >> 1);
                (BinaryOp::AShr, limit)
            }
            _ => (BinaryOp::LShr, self.splat(ty, ones)),
        };
        let back = self.binary(back, moved, by);
        let fits = self.compared(IntRel::Eq, back, a);
        self.become_op(Op::Select, smallvec![fits, moved, limit]);
        Ok(())
    }

    /// Elements of vectors in another order, as shuffles.
    fn arranged(&mut self, arrangement: Arrangement, args: &[Value]) -> Result<()> {
        let ty = self.function.insts[self.inst].ty;
        let count = |builder: &Self, value: Value| {
            builder.types.count(builder.function.ty(value)).unwrap_or(1)
        };
        let place = |builder: &Self, value: Value| match builder.function.as_bits(value) {
            Some(bits) => Ok(u32::try_from(bits).unwrap_or(u32::MAX)),
            None => builder.error("the place must be a constant"),
        };
        let (mask, args) = match (arrangement, args) {
            (Arrangement::Reverse, &[a]) => ((0..count(self, a)).rev().collect(), [a, a]),
            (Arrangement::Interleave, &[a, b]) => {
                let n = count(self, a);
                ((0..n).flat_map(|i| [i, n + i]).collect(), [a, b])
            }
            (Arrangement::Extract, &[a, at]) => {
                let (at, n) = (place(self, at)?, self.types.count(ty).unwrap_or(1));
                if at.checked_add(n).is_none_or(|end| end > count(self, a)) {
                    return self.error("the elements are not in the vector");
                }
                ((at..at + n).collect::<Box<[u32]>>(), [a, a])
            }
            (Arrangement::Insert, &[a, b, at]) => {
                let (at, n, all) = (place(self, at)?, count(self, b), count(self, a));
                let Some(end) = at.checked_add(n).filter(|end| *end <= all) else {
                    return self.error("the elements are not in the vector");
                };
                let wide = (0..all).map(|i| if i < n { i } else { u32::MAX });
                let wide = self.add(Op::Shuffle(wide.collect()), smallvec![b, b], ty);
                let mask = (0..all).map(|i| match (at..end).contains(&i) {
                    true => all + i - at,
                    false => i,
                });
                (mask.collect(), [a, wide])
            }
            (Arrangement::Deinterleave, &[a]) => {
                let (n, scalar) = (count(self, a) / 2, self.scalar(a));
                let Some(scalar) = scalar else {
                    return self.error("a vector is expected");
                };
                let half = self.types.shaped(Some(n), scalar);
                let [even, odd] = [0, 1].map(|first| {
                    let mask = (0..n).map(|i| 2 * i + first).collect();
                    self.add(Op::Shuffle(mask), smallvec![a, a], half)
                });
                let none = self.function.constant(ty, Const::Undef);
                let part = self.add(Op::InsertValue(smallvec![0]), smallvec![none, even], ty);
                self.become_op(Op::InsertValue(smallvec![1]), smallvec![part, odd]);
                return Ok(());
            }
            _ => return self.error("another number of operands is expected"),
        };
        self.become_op(Op::Shuffle(mask), smallvec![args[0], args[1]]);
        Ok(())
    }

    /// Arithmetic in more bits tells whether a result of 8 or 16 fits.
    fn with_overflow(&mut self, op: BinaryOp, sign: Sign) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let [a, b] = data.args[..] else {
            return self.error("2 operands are expected");
        };
        let own = self.function.ty(a);
        let (result, over) = match self.types.element(own) {
            Some(Scalar::Int(8 | 16)) => {
                let wide = self.shaped(a, Scalar::Int(32));
                let extend = match sign {
                    Sign::Signed => CastOp::SExt,
                    _ => CastOp::ZExt,
                };
                let [a, b] = [a, b].map(|x| self.cast(extend, x, wide));
                let exact = self.binary(op, a, b);
                let result = self.cast(CastOp::Trunc, exact, own);
                let back = self.cast(extend, result, wide);
                (result, self.compared(IntRel::Ne, back, exact))
            }
            Some(Scalar::Int(bits @ (32 | 64))) => {
                let signed = if sign == Sign::Signed { 's' } else { 'u' };
                let name = match op {
                    BinaryOp::Add => "add",
                    BinaryOp::Sub => "sub",
                    _ => "mul",
                };
                match self.inlined(Text::Overflow, &format!("{signed}{name}.i{bits}"), &[a, b])?[..]
                {
                    [result, over] => (result, over),
                    _ => return self.error("an operation with two results is expected"),
                }
            }
            _ => return self.error("arithmetic with overflow of this width: not supported"),
        };
        let none = self.function.constant(data.ty, Const::Undef);
        let part = self.add(
            Op::InsertValue(smallvec![0]),
            smallvec![none, result],
            data.ty,
        );
        self.become_op(Op::InsertValue(smallvec![1]), smallvec![part, over]);
        Ok(())
    }

    /// The vector with its elements at the place set if the `i1` is, else with them clear.
    fn insert_bool(&mut self) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        let [vector, element, place] = args[..] else {
            return self.error("3 operands are expected");
        };
        let Some(count) = self.types.count(self.function.ty(vector)) else {
            return self.error("a vector is expected");
        };
        let numbers = self.types.shaped(Some(count), Scalar::Int(32));
        let place = self.as_word(place);
        let none = self.function.constant(numbers, Const::Undef);
        let zero = self.function.bits(Types::I32, 0);
        let first = self.add(Op::InsertElement, smallvec![none, place, zero], numbers);
        let all = vec![0; count as usize].into();
        let places = self.add(Op::Shuffle(all), smallvec![first, first], numbers);
        let each = Const::Vector((0..u64::from(count)).collect());
        let each = self.function.constant(numbers, each);
        let there = self.compared(IntRel::Eq, each, places);
        let others = self.binary_bits(BinaryOp::Xor, there, 1);
        let set = self.binary(BinaryOp::Or, vector, there);
        let clear = self.binary(BinaryOp::And, vector, others);
        self.become_op(Op::Select, smallvec![element, set, clear]);
        Ok(())
    }

    /// An index as 32 bits.
    fn as_word(&mut self, index: Value) -> Value {
        let ty: Type = self.function.ty(index);
        let bits = self
            .types
            .element(ty)
            .map_or(32, |scalar| self.types.bits(scalar));
        match bits {
            32 => index,
            ..32 => self.cast(CastOp::ZExt, index, Types::I32),
            _ => self.cast(CastOp::Trunc, index, Types::I32),
        }
    }
}
