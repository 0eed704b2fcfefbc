//! Integers of widths that the machine has not.
//!
//! Takes any function. Afterwards integers have 1, 8, 16, 32 or 64 bits, or more than 64, which nothing supports. One of
//! another width is the next of these; its bits above are anything, and are made zeros or copies of the sign where an
//! operation depends on them.

use smallvec::{SmallVec, smallvec};

use super::builder::{Builder, rewrite};
use super::kernels::Kernel;
use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::{
    BinaryOp, CastOp, Const, Function, Inst, IntRel, Module, Op, Scalar, Type, TypeData, Types,
    Value, ValueDef,
};

/// The widths that the machine has.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];
const BYTE: u32 = 8;

/// What the bits above an integer are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Any,
    Zero,
    Sign,
}

/// Makes integers of other widths ones of the next width.
///
/// # Errors
/// An operation on them is not supported.
pub fn lower(module: &mut Module, function: &mut Function, kernel: Option<&Kernel>) -> Result<()> {
    let types = &mut module.types;
    let odd = |types: &Types, function: &Function, value: &Value| {
        bits(types, function.ty(*value)).is_some()
    };
    if kernel.is_some()
        && let Some(param) = function
            .params
            .iter()
            .find(|param| odd(types, function, param))
    {
        let name = types.name(function.ty(*param));
        let message = format!("an argument of type {name} is not supported");
        return Err(Diagnostic::new(Code::Argument, function.loc, message));
    }
    rewrite(types, function, wants, |builder| builder.widen_inst())?;
    for value in function.values.keys() {
        let ty = function.ty(value);
        if !matches!(function.values[value].def, ValueDef::Const(_)) {
            function.values[value].ty = wide(types, ty);
        }
    }
    for inst in function.insts.keys() {
        function.insts[inst].ty = wide(types, function.insts[inst].ty);
    }
    function.result = wide(types, function.result);
    Ok(())
}

/// Bits of an integer, or of a vector's elements, if the machine has no such integers.
fn bits(types: &Types, ty: Type) -> Option<u32> {
    match types.element(ty) {
        Some(Scalar::Int(n @ 2..64)) if !WIDTHS.contains(&n) => Some(n),
        _ => None,
    }
}

/// The next width.
fn next(bits: u32) -> u32 {
    WIDTHS
        .into_iter()
        .find(|width| *width >= bits)
        .unwrap_or(bits)
}

/// The type that takes the place of one.
fn wide(types: &mut Types, ty: Type) -> Type {
    match bits(types, ty) {
        Some(bits) => {
            let count = types.count(ty);
            types.shaped(count, Scalar::Int(next(bits)))
        }
        None => ty,
    }
}

fn wants(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let named = match data.op {
        Op::Alloca(ty) | Op::Gep(ty) => bits(types, ty).is_some(),
        _ => false,
    };
    named
        || bits(types, data.ty).is_some()
        || (data.args.iter()).any(|arg| bits(types, function.ty(*arg)).is_some())
}

impl Builder<'_> {
    fn bits_of(&self, value: Value) -> Option<u32> {
        bits(self.types, self.function.ty(value))
    }

    /// A value in the next width, its bits above as wanted.
    fn widened(&mut self, value: Value, above: Above) -> Value {
        let Some(bits) = self.bits_of(value) else {
            return value;
        };
        let ty = wide(self.types, self.function.ty(value));
        let more = next(bits) - bits;
        if let Some(constant) = self.function.as_const(value) {
            let extend = |n: u64| match above {
                Above::Sign => {
                    let n = (n << (64 - bits)).cast_signed() >> (64 - bits);
                    n.cast_unsigned() & (u64::MAX >> (64 - next(bits)))
                }
                _ => n,
            };
            let constant = match constant {
                Const::Bits(n) => Const::Bits(extend(*n)),
                Const::Vector(elements) => {
                    Const::Vector(elements.iter().copied().map(extend).collect())
                }
                other => other.clone(),
            };
            return self.function.constant(ty, constant);
        }
        match above {
            Above::Any => value,
            Above::Zero => {
                let mask = self.splat(ty, u64::MAX >> (64 - bits));
                self.add(Op::Binary(BinaryOp::And), smallvec![value, mask], ty)
            }
            Above::Sign => {
                let by = self.splat(ty, more.into());
                let high = self.add(Op::Binary(BinaryOp::Shl), smallvec![value, by], ty);
                self.add(Op::Binary(BinaryOp::AShr), smallvec![high, by], ty)
            }
        }
    }

    /// Ends the replacement: the old instruction is one on its operands in the next width.
    fn on_widened(&mut self, op: Op, above: &[Above]) {
        let args = self.function.insts[self.inst].args.clone();
        let kinds = above.iter().copied().chain(std::iter::repeat(Above::Any));
        let args: SmallVec<_> = args
            .into_iter()
            .zip(kinds)
            .map(|(arg, above)| self.widened(arg, above))
            .collect();
        self.become_op(op, args);
    }

    fn refuse<T>(&self) -> Result<T> {
        let data = &self.function.insts[self.inst];
        let mut values = data.args.iter().copied().chain(data.result);
        let bits = values.find_map(|value| self.bits_of(value)).unwrap_or(0);
        let message = format!("integers of {bits} bits are not supported here");
        Err(Diagnostic::new(Code::Type, data.loc, message))
    }

    fn widen_inst(&mut self) -> Result<()> {
        use Above::{Any, Sign as Signed, Zero};
        let data = self.function.insts[self.inst].clone();
        let op = data.op.clone();
        match &data.op {
            Op::Binary(binary) => {
                let above = match binary {
                    BinaryOp::Shl => [Any, Zero],
                    BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr => [Zero, Zero],
                    BinaryOp::SDiv | BinaryOp::SRem => [Signed, Signed],
                    BinaryOp::AShr => [Signed, Zero],
                    _ => [Any, Any],
                };
                self.on_widened(op, &above);
            }
            Op::ICmp(rel) => {
                let above = match rel {
                    IntRel::Sgt | IntRel::Sge | IntRel::Slt | IntRel::Sle => Signed,
                    _ => Zero,
                };
                self.on_widened(op, &[above; 2]);
            }
            Op::Select | Op::Phi | Op::Freeze | Op::Shuffle(_) | Op::Call(_) | Op::Ret => {
                self.on_widened(op, &[]);
            }
            Op::ExtractElement => self.on_widened(op, &[Any, Zero]),
            Op::InsertElement => self.on_widened(op, &[Any, Any, Zero]),
            Op::Switch(_) => self.on_widened(op, &[Zero]),
            Op::CallIndirect(ty) => {
                let TypeData::Function(result, params, variadic) = self.types.data(*ty).clone()
                else {
                    return self.refuse();
                };
                let result = wide(self.types, result);
                let params = params.iter().map(|ty| wide(self.types, *ty)).collect();
                let ty = self.types.get(TypeData::Function(result, params, variadic));
                self.on_widened(Op::CallIndirect(ty), &[]);
            }
            Op::Alloca(ty) => {
                let ty = wide(self.types, *ty);
                self.on_widened(Op::Alloca(ty), &[Zero]);
            }
            Op::Gep(ty) => {
                let ty = wide(self.types, *ty);
                self.on_widened(Op::Gep(ty), &[Any, Signed, Signed, Signed]);
            }
            Op::Cast(cast) => return self.widen_cast(*cast),
            Op::Load => return self.widen_load(),
            Op::Store => return self.widen_store(),
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::Extremum(_, Sign::Signed) => self.on_widened(op, &[Signed, Signed]),
                Kind::Extremum(_, Sign::Unsigned) => self.on_widened(op, &[Zero, Zero]),
                Kind::Abs => self.on_widened(op, &[Signed]),
                Kind::CountOnes => self.on_widened(op, &[Zero]),
                _ => return self.refuse(),
            },
            _ => return self.refuse(),
        }
        Ok(())
    }

    fn widen_cast(&mut self, cast: CastOp) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let arg = data.args[0];
        let above = match cast {
            CastOp::ZExt | CastOp::UiToFp | CastOp::IntToPtr => Above::Zero,
            CastOp::SExt | CastOp::SiToFp => Above::Sign,
            CastOp::Trunc | CastOp::FpToUi | CastOp::FpToSi => Above::Any,
            CastOp::BitCast => return self.widen_bitcast(arg, data.ty),
            _ => return self.refuse(),
        };
        let value = self.widened(arg, above);
        let from = wide(self.types, self.function.ty(arg));
        let to = wide(self.types, data.ty);
        let op = match from == to {
            true => Op::Freeze,
            false => Op::Cast(cast),
        };
        self.become_op(op, smallvec![value]);
        Ok(())
    }

    /// Between an integer and a vector of the same bits: the next width has more elements.
    fn widen_bitcast(&mut self, arg: Value, ty: Type) -> Result<()> {
        let from = self.function.ty(arg);
        if self.types.element(from) == self.types.element(ty) {
            self.on_widened(Op::Cast(CastOp::BitCast), &[]);
            return Ok(());
        }
        let (whole, parts) = match self.types.count(from) {
            None => (from, ty),
            Some(_) => (ty, from),
        };
        let (Some(bits), None) = (bits(self.types, whole), self.types.count(whole)) else {
            return self.refuse();
        };
        let part = self
            .types
            .shape(parts)
            .filter(|_| bits_fit(self.types, parts));
        let Some((count, scalar)) = part.filter(|_| self.types.count(parts).is_some()) else {
            return self.refuse();
        };
        let more = next(bits) / self.types.bits(scalar);
        let vector = self.types.shaped(Some(more), scalar);
        if whole == from {
            let value = self.widened(arg, Above::Any);
            let all = self.add(Op::Cast(CastOp::BitCast), smallvec![value], vector);
            self.become_op(Op::Shuffle((0..count).collect()), smallvec![all, all]);
        } else {
            let mask = (0..more).map(|n| if n < count { n } else { u32::MAX });
            let all = self.add(Op::Shuffle(mask.collect()), smallvec![arg, arg], vector);
            self.become_op(Op::Cast(CastOp::BitCast), smallvec![all]);
        }
        Ok(())
    }

    /// Bytes of an integer in memory, if they are fewer than those of the next width.
    fn bytes_of(&mut self, ty: Type) -> Result<Option<Type>> {
        let (Some(bits), None) = (bits(self.types, ty), self.types.count(ty)) else {
            return self.refuse();
        };
        let bytes = bits.div_ceil(BYTE);
        let fewer = bytes * BYTE < next(bits);
        Ok(fewer.then(|| self.types.shaped(Some(bytes), Scalar::Int(BYTE))))
    }

    fn widen_load(&mut self) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let Some(bytes) = self.bytes_of(data.ty)? else {
            self.become_op(Op::Load, data.args);
            return Ok(());
        };
        let loaded = self.add(Op::Load, data.args, bytes);
        if let Some(load) = self.function.inst_of(loaded) {
            self.function.insts[load].align = data.align;
        }
        let (count, more) = (
            self.types.count(bytes).unwrap_or(1),
            wide(self.types, data.ty),
        );
        let all = self
            .types
            .bits(self.types.element(more).unwrap_or(Scalar::Int(BYTE)))
            / BYTE;
        let vector = self.types.shaped(Some(all), Scalar::Int(BYTE));
        let mask = (0..all).map(|n| if n < count { n } else { u32::MAX });
        let value = self.add(
            Op::Shuffle(mask.collect()),
            smallvec![loaded, loaded],
            vector,
        );
        self.become_op(Op::Cast(CastOp::BitCast), smallvec![value]);
        Ok(())
    }

    fn widen_store(&mut self) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        let ty = self.function.ty(args[0]);
        let bytes = self.bytes_of(ty)?;
        let mut value = self.widened(args[0], Above::Zero);
        if let Some(bytes) = bytes {
            let more = wide(self.types, ty);
            let all = self
                .types
                .bits(self.types.element(more).unwrap_or(Scalar::Int(BYTE)))
                / BYTE;
            let vector = self.types.shaped(Some(all), Scalar::Int(BYTE));
            let all = self.add(Op::Cast(CastOp::BitCast), smallvec![value], vector);
            let count = self.types.count(bytes).unwrap_or(1);
            value = self.add(
                Op::Shuffle((0..count).collect()),
                smallvec![all, all],
                bytes,
            );
        }
        self.become_op(Op::Store, smallvec![value, args[1]]);
        Ok(())
    }
}

/// True if the elements of a vector have a width that the machine has, or one bit.
fn bits_fit(types: &Types, ty: Type) -> bool {
    let bits = types.element(ty).map(|scalar| types.bits(scalar));
    bits.is_some_and(|bits| bits == 1 || WIDTHS.contains(&bits))
}
