//! Integers of widths that the machine has not.
//!
//! Takes any function. Afterwards integers have 1, 8, 16, 32 or 64 bits. One of another width below is the next of these;
//! its bits above are anything, and are made zeros or copies of the sign where an operation depends on them. A longer one
//! is a vector of its bytes: optimizers move parts of vectors and structures by these, and compute nothing with them.

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

/// Contents of the bits above an integer in its next width.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Any,
    Zero,
    Sign,
}

/// Replaces integers of other widths by integers of the next width, and longer ones by bytes.
///
/// # Errors
/// An operation on them is not supported.
pub fn lower(module: &mut Module, function: &mut Function, kernel: Option<&Kernel>) -> Result<()> {
    let types = &mut module.types;
    let odd = |types: &Types, function: &Function, value: &Value| other(types, function.ty(*value));
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
    for inst in function.insts.keys() {
        let data = &mut function.insts[inst];
        data.ty = wide(types, data.ty);
        // No pass runs over a declaration.
        if let Op::Call(callee) = data.op
            && module.functions[callee].is_declaration()
        {
            widen_values(types, &mut module.functions[callee]);
        }
    }
    widen_values(types, function);
    Ok(())
}

/// Replaces the types of a function's values, and of its result.
fn widen_values(types: &mut Types, function: &mut Function) {
    for value in function.values.keys() {
        let ty = function.ty(value);
        if !matches!(function.values[value].def, ValueDef::Const(_)) {
            function.values[value].ty = wide(types, ty);
        }
    }
    function.result = wide(types, function.result);
}

/// Bits of an integer, or of a vector's elements, if the machine has no such integers.
fn bits(types: &Types, ty: Type) -> Option<u32> {
    match types.element(ty) {
        Some(Scalar::Int(n @ 2..64)) if !WIDTHS.contains(&n) => Some(n),
        _ => None,
    }
}

/// Bytes of an integer that is longer than the machine's.
fn long(types: &Types, ty: Type) -> Option<u32> {
    match types.element(ty) {
        Some(Scalar::Int(n)) if n > 64 && n % BYTE == 0 && types.count(ty).is_none() => {
            Some(n / BYTE)
        }
        _ => None,
    }
}

/// The least width of the machine that has so many bits.
fn next(bits: u32) -> u32 {
    WIDTHS
        .into_iter()
        .find(|width| *width >= bits)
        .unwrap_or(bits)
}

/// The type that replaces a type: integers, or elements of a vector, have the next width.
fn wide(types: &mut Types, ty: Type) -> Type {
    match bits(types, ty) {
        Some(bits) => {
            let count = types.count(ty);
            types.shaped(count, Scalar::Int(next(bits)))
        }
        None => match long(types, ty) {
            Some(bytes) => types.shaped(Some(bytes), Scalar::Int(BYTE)),
            None => ty,
        },
    }
}

/// True if a type has to be replaced.
fn other(types: &Types, ty: Type) -> bool {
    bits(types, ty).is_some() || long(types, ty).is_some()
}

fn wants(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let named = match data.op {
        Op::Alloca(ty) | Op::Gep(ty) => other(types, ty),
        _ => false,
    };
    named || other(types, data.ty) || (data.args.iter()).any(|arg| other(types, function.ty(*arg)))
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
        let found = values.find(|value| other(self.types, self.function.ty(*value)));
        let name = found.map_or_else(String::new, |value| {
            self.types.name(self.function.ty(value))
        });
        let message = format!("type {name} is not supported here");
        Err(Diagnostic::new(Code::Type, data.loc, message))
    }

    fn widen_inst(&mut self) -> Result<()> {
        use Above::{Any, Sign as Signed, Zero};
        let data = self.function.insts[self.inst].clone();
        let op = data.op.clone();
        let values = data.args.iter().copied().chain(data.result);
        if values
            .into_iter()
            .any(|v| long(self.types, self.function.ty(v)).is_some())
        {
            return self.split_inst();
        }
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
            Op::Select
            | Op::Phi
            | Op::Freeze
            | Op::Shuffle(_)
            | Op::Call(_)
            | Op::Asm(_)
            | Op::Ret => {
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

    /// A long integer as its bytes; any other value as it is, its bits above clear.
    fn as_bytes(&mut self, value: Value) -> Value {
        let ty = wide(self.types, self.function.ty(value));
        match self.function.as_const(value).cloned() {
            Some(constant) if long(self.types, self.function.ty(value)).is_some() => {
                let constant = match constant {
                    Const::Bits(bits) => {
                        let count = self.bytes_in(value).unwrap_or(0);
                        let byte = |n| if n < 8 { bits >> (8 * n) & 0xff } else { 0 };
                        Const::Vector((0..count).map(byte).collect())
                    }
                    other => other,
                };
                self.function.constant(ty, constant)
            }
            _ => self.widened(value, Above::Zero),
        }
    }

    /// The bytes of a value from a place on, and zeros after them.
    fn part(&mut self, bytes: Value, from: impl Fn(u32) -> Option<u32>, count: u32) -> Value {
        let ty = self.types.shaped(Some(count), Scalar::Int(BYTE));
        let Some(have) = self
            .types
            .count(self.function.ty(bytes))
            .or(self.bytes_in(bytes))
        else {
            return bytes;
        };
        let zero = self.types.shaped(Some(have), Scalar::Int(BYTE));
        let zero = self.function.constant(zero, Const::Zero);
        let mask = (0..count).map(|n| from(n).filter(|n| *n < have).unwrap_or(have));
        self.add(Op::Shuffle(mask.collect()), smallvec![bytes, zero], ty)
    }

    fn bytes_in(&self, value: Value) -> Option<u32> {
        long(self.types, self.function.ty(value))
    }

    /// An instruction on long integers, as one on their bytes.
    fn split_inst(&mut self) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let args: Vec<Value> = data.args.iter().map(|arg| self.as_bytes(*arg)).collect();
        let bytes = long(self.types, data.ty);
        match &data.op {
            Op::Select
            | Op::Phi
            | Op::Freeze
            | Op::Call(_)
            | Op::Asm(_)
            | Op::Ret
            | Op::Load
            | Op::Store
            | Op::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
            | Op::Cast(CastOp::BitCast) => {
                self.become_op(data.op.clone(), args.into());
            }
            Op::Binary(op @ (BinaryOp::LShr | BinaryOp::Shl)) => {
                let by = self.function.as_bits(data.args[1]);
                let by = by
                    .filter(|by| by % u64::from(BYTE) == 0)
                    .map(|by| by / u64::from(BYTE));
                let (Some(count), Some(by)) = (bytes, by.and_then(|by| u32::try_from(by).ok()))
                else {
                    return self.refuse();
                };
                let left = *op == BinaryOp::Shl;
                let from = |n: u32| {
                    if left {
                        n.checked_sub(by)
                    } else {
                        n.checked_add(by)
                    }
                };
                let moved = self.part(args[0], from, count);
                self.become_op(Op::Freeze, smallvec![moved]);
            }
            Op::Cast(CastOp::Trunc) if bytes.is_some() => {
                let part = self.part(args[0], Some, bytes.unwrap_or(1));
                self.become_op(Op::Freeze, smallvec![part]);
            }
            Op::Cast(CastOp::Trunc) => {
                let to = wide(self.types, data.ty);
                let Some(Scalar::Int(bits)) = self.types.element(to) else {
                    return self.refuse();
                };
                let part = self.part(args[0], Some, bits.div_ceil(BYTE));
                if bits >= BYTE {
                    self.become_op(Op::Cast(CastOp::BitCast), smallvec![part]);
                } else {
                    let byte = self.types.int(BYTE);
                    let byte = self.cast(CastOp::BitCast, part, byte);
                    self.become_op(Op::Cast(CastOp::Trunc), smallvec![byte]);
                }
            }
            Op::Cast(CastOp::ZExt) => {
                let mut from = args[0];
                if self.bytes_in(data.args[0]).is_none() {
                    let ty = wide(self.types, self.function.ty(data.args[0]));
                    let mut bits = self
                        .types
                        .element(ty)
                        .map_or(0, |scalar| self.types.bits(scalar));
                    if bits < BYTE {
                        let byte = self.types.int(BYTE);
                        from = self.cast(CastOp::ZExt, from, byte);
                        bits = BYTE;
                    }
                    let parts = self.types.shaped(Some(bits / BYTE), Scalar::Int(BYTE));
                    from = self.cast(CastOp::BitCast, from, parts);
                }
                let whole = self.part(from, Some, bytes.unwrap_or(1));
                self.become_op(Op::Freeze, smallvec![whole]);
            }
            Op::ICmp(rel @ (IntRel::Eq | IntRel::Ne)) => {
                let count = self.bytes_in(data.args[0]);
                let ty = self.types.shaped(count, Scalar::Int(1));
                let differ = self.add(Op::ICmp(IntRel::Ne), args.into(), ty);
                let any = self.intrinsic("genx.any")?;
                if *rel == IntRel::Ne {
                    self.become_op(any, smallvec![differ]);
                } else {
                    let some = self.add(any, smallvec![differ], data.ty);
                    let one = self.function.bits(data.ty, 1);
                    self.become_op(Op::Binary(BinaryOp::Xor), smallvec![some, one]);
                }
            }
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
