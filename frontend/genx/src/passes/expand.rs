//! Operations that vISA has no instruction for, as some that it has.
//!
//! Takes any function. Afterwards no arithmetic says by itself that its result does not fit, no `i1`
//! is put at a variable place, or taken from one of more than a word has bits, the bits of none are reversed, and no intrinsic of LLVM is left that only names arithmetic,
//! an order of elements or a function of the library with results of several types.

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use super::library::Text;
use crate::error::Result;
use crate::intrinsics::{Arrangement, Kind, Sign, Unknown};
use crate::ir::{
    BinaryOp, CastOp, Const, FloatRel, Function, Inst, IntRel, Module, Op, Scalar, Type, TypeData,
    Types, Value,
};

/// Number of `i1` of which a shift takes one.
const WORD_BITS: u32 = 32;
/// Greatest constant exponent that becomes products.
const MOST_PRODUCTS: u64 = 64;

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
            None => match builder.function.insts[builder.inst].op {
                Op::ExtractElement => builder.extract_bool(),
                _ => builder.insert_bool(),
            },
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

/// An intrinsic that arithmetic, shuffles or a function of the library are.
fn other(function: &Function, inst: Inst) -> Option<Kind> {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => {
            let kind = intrinsic.kind();
            let is_other = matches!(
                kind,
                Kind::Compare(_)
                    | Kind::ShiftSat(_)
                    | Kind::Arrange(_)
                    | Kind::Library(_)
                    | Kind::RoundTo(_)
                    | Kind::IntegerPower
                    | Kind::Class
                    | Kind::Canonical
                    | Kind::Unknown(_)
                    | Kind::PointerMask
                    | Kind::HalfBits
                    | Kind::Test(_)
                    | Kind::Dot
                    | Kind::Clock
            );
            is_other.then_some(kind)
        }
        _ => None,
    }
}

fn wants(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(first) = data.args.first() else {
        return other(function, inst).is_some();
    };
    let element = types.element(function.ty(*first));
    match data.op {
        Op::InsertElement => {
            element == Some(Scalar::Int(1)) && function.as_const(data.args[2]).is_none()
        }
        Op::ExtractElement => {
            let count = types.count(function.ty(*first)).unwrap_or(1);
            let many = element == Some(Scalar::Int(1)) && count > WORD_BITS;
            many && function.as_const(data.args[1]).is_none()
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
            (Some(Kind::Library(name)), args) => self.of_library(name, args),
            (Some(Kind::RoundTo(name)), &[x]) => {
                let (round, ty) = (self.intrinsic(name)?, self.function.ty(x));
                let whole = self.add(round, smallvec![x], ty);
                self.become_op(Op::Cast(CastOp::FpToSi), smallvec![whole]);
                Ok(())
            }
            (Some(Kind::IntegerPower), &[x, n]) => self.power(x, n),
            (Some(Kind::Class), &[x, set]) => self.class(x, set),
            (Some(Kind::Canonical), &[x]) => {
                let ty = self.function.ty(x);
                let one = self.one(ty);
                self.become_op(Op::Binary(BinaryOp::FMul), smallvec![x, one]);
                Ok(())
            }
            (Some(Kind::Test(rel)), &[a, .., b]) => self.tested(rel, a, b),
            (Some(Kind::Test(rel)), &[a]) => self.tested(rel, a, a),
            (Some(Kind::Dot), &[a, b]) => {
                let product = self.binary(BinaryOp::FMul, a, b);
                let ty = self.function.insts[self.inst].ty;
                if self.types.count(self.function.ty(a)).is_none() {
                    self.become_bits(product);
                    return Ok(());
                }
                // The order of the sums is free.
                self.function.insts[self.inst].flags.reassoc = true;
                let bits = match self.types.element(ty) {
                    Some(Scalar::Double) => 1 << 63,
                    Some(Scalar::Float) => 1 << 31,
                    _ => 1 << 15,
                };
                let zero = self.splat(ty, bits);
                let sum = self.intrinsic("vector.reduce.fadd")?;
                self.become_op(sum, smallvec![zero, product]);
                Ok(())
            }
            (Some(Kind::Clock), _) => {
                let long = self.types.int(64);
                let read = self.intrinsic("readcyclecounter")?;
                let time = self.add(read, smallvec![], long);
                let ty = self.function.insts[self.inst].ty;
                let bits = self
                    .types
                    .element(ty)
                    .map_or(0, |scalar| self.types.bits(scalar));
                if bits * self.types.count(ty).unwrap_or(1) != 64 {
                    return self.error("a result of 64 bits is expected");
                }
                self.become_bits(time);
                Ok(())
            }
            (Some(Kind::Unknown(what)), args) => self.unknown(what, args),
            (Some(Kind::PointerMask), &[pointer, mask]) => {
                let ty = self.function.ty(mask);
                let address = self.cast(CastOp::PtrToInt, pointer, ty);
                let masked = self.binary(BinaryOp::And, address, mask);
                self.become_op(Op::Cast(CastOp::IntToPtr), smallvec![masked]);
                Ok(())
            }
            (Some(Kind::HalfBits), &[x]) => {
                let (word, half) = (self.types.int(16), self.types.scalar(Scalar::Half));
                let from_bits = self.scalar(x).is_some_and(|scalar| !scalar.is_float());
                let result = self.function.insts[self.inst].ty;
                if [self.function.ty(x), result]
                    .iter()
                    .any(|ty| self.types.count(*ty).is_some())
                {
                    return self.error("one number is expected");
                }
                if from_bits {
                    let half = self.cast(CastOp::BitCast, x, half);
                    self.become_op(Op::Cast(CastOp::FpExt), smallvec![half]);
                } else {
                    let half = self.cast(CastOp::FpTrunc, x, half);
                    let bits = self.cast(CastOp::BitCast, half, word);
                    self.become_bits(bits);
                }
                Ok(())
            }
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
            (Arrangement::Interleave, &[first, .., _]) => {
                let (n, parts) = (count(self, first), args.len() as u32);
                if n * parts != self.types.count(ty).unwrap_or(1) {
                    return self.error("the result must have the elements of all");
                }
                let all = self.side_by_side(args)?;
                let mask = (0..n * parts).map(|i| i % parts * n + i / parts);
                (mask.collect(), [all, all])
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
                let members = match self.types.data(ty) {
                    TypeData::Struct(members, _) => members.clone(),
                    _ => return self.error("a structure is expected"),
                };
                let parts = members.len() as u32;
                if members
                    .iter()
                    .any(|ty| self.types.count(*ty).unwrap_or(1) * parts != count(self, a))
                {
                    return self.error("the results must have the elements of the vector");
                }
                let mut all = Vec::new();
                for (first, ty) in (0..).zip(members) {
                    let n = self.types.count(ty).unwrap_or(1);
                    let mask = (0..n).map(|i| parts * i + first).collect();
                    all.push(self.add(Op::Shuffle(mask), smallvec![a, a], ty));
                }
                return self.become_members(&all);
            }
            (Arrangement::Splice | Arrangement::SpliceRight, &[a, b, at]) => {
                let n = count(self, a);
                // The place has 32 bits.
                let at = place(self, at)?.cast_signed();
                let from = match arrangement {
                    Arrangement::Splice if at >= 0 => i64::from(at),
                    Arrangement::Splice => i64::from(n) + i64::from(at),
                    _ => i64::from(n) - i64::from(at),
                };
                let Some(from) = u32::try_from(from).ok().filter(|from| *from <= n) else {
                    return self.error("the elements are not in the vectors");
                };
                ((from..from + n).collect(), [a, b])
            }
            (Arrangement::Step, &[]) => {
                let numbers = self.numbers(ty);
                self.become_bits(numbers);
                return Ok(());
            }
            (Arrangement::Active, &[from, end]) => {
                let less = self.intrinsic("usub.sat")?;
                let own = self.function.ty(from);
                let left = self.add(less, smallvec![end, from], own);
                let Some(n) = self.types.count(ty) else {
                    return self.error("a vector is expected");
                };
                let left = self.for_all(left, n);
                let numbers = self.numbers(self.function.ty(left));
                self.become_op(Op::ICmp(IntRel::Ult), smallvec![numbers, left]);
                return Ok(());
            }
            _ => return self.error("another number of operands is expected"),
        };
        self.become_op(Op::Shuffle(mask), smallvec![args[0], args[1]]);
        Ok(())
    }

    /// The numbers from 0 on, as many as a type has elements.
    fn numbers(&mut self, ty: Type) -> Value {
        let bits = self
            .types
            .element(ty)
            .map_or(64, |scalar| self.types.bits(scalar));
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        let count = self.types.count(ty).unwrap_or(1);
        match self.types.count(ty) {
            Some(_) => {
                let all = (0..u64::from(count)).map(|n| n & mask).collect();
                self.function.constant(ty, Const::Vector(all))
            }
            None => self.function.bits(ty, 0),
        }
    }

    /// A scalar in all elements of a vector.
    fn for_all(&mut self, value: Value, count: u32) -> Value {
        let Some(scalar) = self.scalar(value) else {
            return value;
        };
        let ty = self.types.shaped(Some(count), scalar);
        if let Some(bits) = self.function.as_bits(value) {
            return self.splat(ty, bits);
        }
        let none = self.function.constant(ty, Const::Undef);
        let zero = self.function.bits(Types::I32, 0);
        let first = self.add(Op::InsertElement, smallvec![none, value, zero], ty);
        let all = vec![0; count as usize].into();
        self.add(Op::Shuffle(all), smallvec![first, first], ty)
    }

    /// Vectors side by side in one.
    fn side_by_side(&mut self, parts: &[Value]) -> Result<Value> {
        let mut parts = parts.to_vec();
        while parts.len() > 1 {
            let mut joined = Vec::new();
            for pair in parts.chunks(2) {
                let &[a, b] = pair else {
                    joined.extend(pair);
                    continue;
                };
                let [n, m] = [a, b].map(|v| self.types.count(self.function.ty(v)).unwrap_or(1));
                let Some(scalar) = self.scalar(a) else {
                    return self.error("a vector is expected");
                };
                // A shuffle has operands of one type.
                let own = self.function.ty(a);
                let b = match n == m {
                    true => b,
                    false => {
                        let mask = (0..n).map(|i| if i < m { i } else { u32::MAX }).collect();
                        self.add(Op::Shuffle(mask), smallvec![b, b], own)
                    }
                };
                let ty = self.types.shaped(Some(n + m), scalar);
                let mask = (0..n + m).collect();
                joined.push(self.add(Op::Shuffle(mask), smallvec![a, b], ty));
            }
            parts = joined;
        }
        Ok(parts[0])
    }

    /// Ends the replacement: the old instruction gives a structure of these members.
    fn become_members(&mut self, members: &[Value]) -> Result<()> {
        let ty = self.function.insts[self.inst].ty;
        let Some((last, others)) = members.split_last() else {
            return self.error("a structure is expected");
        };
        let mut whole = self.function.constant(ty, Const::Undef);
        for (number, member) in (0..).zip(others) {
            let insert = Op::InsertValue(smallvec![number]);
            whole = self.add(insert, smallvec![whole, *member], ty);
        }
        let insert = Op::InsertValue(smallvec![others.len() as u32]);
        self.become_op(insert, smallvec![whole, *last]);
        Ok(())
    }

    /// The float 1 in all elements of a type.
    fn one(&mut self, ty: Type) -> Value {
        let bits = match self.types.element(ty) {
            Some(Scalar::Double) => 1f64.to_bits(),
            Some(Scalar::Half) => 0x3c00,
            Some(Scalar::BFloat) => u64::from(1f32.to_bits() >> 16),
            _ => 1f32.to_bits().into(),
        };
        self.splat(ty, bits)
    }

    /// A function of the library. Those of halves are computed in floats.
    fn of_library(&mut self, name: &str, args: &[Value]) -> Result<()> {
        let scalar = args.first().and_then(|first| self.scalar(*first));
        let (suffix, is_half) = match scalar {
            Some(Scalar::Half) => ("f32", true),
            Some(Scalar::Float) => ("f32", false),
            Some(Scalar::Double) => ("f64", false),
            Some(Scalar::Int(8)) => ("i8", false),
            Some(Scalar::Int(16)) => ("i16", false),
            Some(Scalar::Int(32)) => ("i32", false),
            Some(Scalar::Int(64)) => ("i64", false),
            _ => return self.error("a function of such numbers: not supported"),
        };
        let name = format!("{name}.{suffix}");
        if !Text::Functions.has(&name)? {
            return self.error("a function of such numbers: not supported");
        }
        let is_float = scalar.is_some_and(Scalar::is_float);
        let mut wide = Vec::new();
        for &arg in args {
            let dwords = self.shaped(arg, Scalar::Int(32));
            wide.push(match self.scalar(arg) {
                Some(Scalar::Half) => {
                    let float = self.shaped(arg, Scalar::Float);
                    self.cast(CastOp::FpExt, arg, float)
                }
                // Exponents are dwords.
                Some(Scalar::Int(bits)) if is_float && bits < 32 => {
                    self.cast(CastOp::SExt, arg, dwords)
                }
                Some(Scalar::Int(bits)) if is_float && bits > 32 => {
                    self.cast(CastOp::Trunc, arg, dwords)
                }
                _ => arg,
            });
        }
        let found = self.inlined(Text::Functions, &name, &wide)?;
        let ty = self.function.insts[self.inst].ty;
        let members = match self.types.data(ty) {
            TypeData::Struct(members, _) => members.clone(),
            _ => vec![ty],
        };
        let mut results = Vec::new();
        for (value, ty) in found.into_iter().zip(&members) {
            let (from, to) = (self.scalar(value), self.types.element(*ty));
            let bits = |scalar: Option<Scalar>| scalar.map_or(0, |scalar| self.types.bits(scalar));
            let cast = match (from, to) {
                (a, b) if a == b => None,
                (Some(Scalar::Float), Some(Scalar::Half)) if is_half => Some(CastOp::FpTrunc),
                (a, b) if bits(b) < bits(a) => Some(CastOp::Trunc),
                _ => Some(CastOp::SExt),
            };
            results.push(match cast {
                Some(cast) => self.cast(cast, value, *ty),
                None => value,
            });
        }
        match results[..] {
            [one] if members.len() == 1 => {
                self.become_bits(one);
                Ok(())
            }
            _ => self.become_members(&results),
        }
    }

    /// A power with an integer: products for a small constant.
    fn power(&mut self, x: Value, n: Value) -> Result<()> {
        let ty = self.function.ty(x);
        let bits = self
            .scalar(n)
            .map_or(32, |scalar| self.types.bits(scalar))
            .clamp(1, 64);
        let known = self
            .function
            .as_bits(n)
            .map(|n| (n << (64 - bits)).cast_signed() >> (64 - bits));
        let Some(n) = known.filter(|n| n.unsigned_abs() <= MOST_PRODUCTS) else {
            let n = match self.types.count(ty) {
                Some(count) => self.for_all(n, count),
                None => n,
            };
            return self.of_library("powi", &[x, n]);
        };
        let one = self.one(ty);
        let (mut left, mut base, mut product) = (n.unsigned_abs(), x, None);
        while left > 0 {
            if left & 1 != 0 {
                product = Some(match product {
                    Some(product) => self.binary(BinaryOp::FMul, product, base),
                    None => base,
                });
            }
            left >>= 1;
            if left > 0 {
                base = self.binary(BinaryOp::FMul, base, base);
            }
        }
        let product = product.unwrap_or(one);
        match n < 0 {
            true => {
                // As exact as a function of the library; doubles have exact quotients alone.
                let flags = &mut self.function.insts[self.inst].flags;
                flags.arcp |= self.types.element(ty) != Some(Scalar::Double);
                self.become_op(Op::Binary(BinaryOp::FDiv), smallvec![one, product]);
            }
            false => self.become_bits(product),
        }
        Ok(())
    }

    /// If a float is of the classes of a set, by its bits.
    fn class(&mut self, x: Value, set: Value) -> Result<()> {
        let (width, fraction) = match self.scalar(x) {
            Some(Scalar::Half) => (16, 10),
            Some(Scalar::BFloat) => (16, 7),
            Some(Scalar::Float) => (32, 23),
            Some(Scalar::Double) => (64, 52),
            _ => return self.error("a float is expected"),
        };
        let set = self.function.as_bits(set).unwrap_or(0);
        let ty = self.shaped(x, Scalar::Int(width));
        let bits = self.cast(CastOp::BitCast, x, ty);
        let ones = u64::MAX >> (64 - width);
        let (sign, least) = (ones ^ ones >> 1, 1u64 << fraction);
        let infinite = (ones >> 1) ^ (least - 1);
        let quiet = infinite | least >> 1;
        // Ranges of bits: the class, and the first and the number of them.
        let ranges = [
            (9, infinite, 1),
            (8, least, infinite - least),
            (7, 1, least - 1),
            (6, 0, 1),
            (5, sign, 1),
            (4, sign | 1, least - 1),
            (3, sign | least, infinite - least),
            (2, sign | infinite, 1),
            (1, quiet, sign - quiet),
            (0, infinite + 1, quiet - infinite - 1),
        ];
        let result = self.function.insts[self.inst].ty;
        let mut is = self.splat(result, 0);
        for (class, first, count) in ranges {
            if set >> class & 1 == 0 {
                continue;
            }
            // NaNs have either sign.
            let from = match class < 2 {
                true => self.binary_bits(BinaryOp::And, bits, sign - 1),
                false => bits,
            };
            let from = self.binary_bits(BinaryOp::Sub, from, first);
            let end = self.splat(ty, count);
            let one = self.compared(IntRel::Ult, from, end);
            is = self.binary(BinaryOp::Or, is, one);
        }
        self.become_bits(is);
        Ok(())
    }

    /// If a relation holds, as 0 or 1.
    fn tested(&mut self, rel: FloatRel, a: Value, b: Value) -> Result<()> {
        let holds = self.shaped(a, Scalar::Int(1));
        let holds = self.add(Op::FCmp(rel), smallvec![a, b], holds);
        let ty = self.function.insts[self.inst].ty;
        match self.types.element(ty) {
            Some(Scalar::Int(1)) => self.become_bits(holds),
            _ => self.become_op(Op::Cast(CastOp::ZExt), smallvec![holds]),
        }
        Ok(())
    }

    /// The answer to a question that only an optimizer could answer better.
    fn unknown(&mut self, what: Unknown, args: &[Value]) -> Result<()> {
        let ty = self.function.insts[self.inst].ty;
        let answer = match (what, args) {
            (Unknown::Rounding, _) => 1,
            (Unknown::IsConstant, &[x]) => u64::from(self.function.as_const(x).is_some()),
            (Unknown::Size, &[_, least, ..]) if self.function.as_bits(least) == Some(1) => 0,
            _ => {
                let bits = self
                    .types
                    .element(ty)
                    .map_or(64, |scalar| self.types.bits(scalar));
                u64::MAX >> (64 - bits.clamp(1, 64))
            }
        };
        let answer = self.splat(ty, answer);
        self.become_bits(answer);
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

    /// The `i1` at a variable place, by way of bytes.
    fn extract_bool(&mut self) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        let &[vector, place] = &args[..] else {
            return self.error("2 operands are expected");
        };
        let bytes = self.shaped(vector, Scalar::Int(8));
        let bytes = self.cast(CastOp::ZExt, vector, bytes);
        let byte = self.types.int(8);
        let one = self.add(Op::ExtractElement, smallvec![bytes, place], byte);
        let zero = self.function.bits(byte, 0);
        self.become_op(Op::ICmp(IntRel::Ne), smallvec![one, zero]);
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
