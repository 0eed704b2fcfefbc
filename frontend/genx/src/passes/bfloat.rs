//! Arithmetic on `bfloat`: computed in `float`, and rounded to the nearest, ties to even.
//!
//! Takes any function. Afterwards a `bfloat` is only moved, negated, or copied to and from memory, as 16 bits; its
//! conversions are operations on integers, since Gen9 and Gen11 have none. A bfloat is the upper half of a float with
//! the same value.

use smallvec::{SmallVec, smallvec};

use crate::intrinsics::Kind;
use crate::ir::{
    BinaryOp, CastOp, Const, FloatRel, Function, Inst, InstData, Module, Op, Scalar, Type, Types,
    Value,
};

/// Bits of a float that a bfloat has not.
const LOWER_BITS: u64 = 16;
/// The bit that makes a bfloat a quiet NaN.
const QUIET: u64 = 0x40;
/// The relation that holds if an operand is no number.
const UNORDERED: FloatRel = FloatRel(0b1000);
const GREATER: FloatRel = FloatRel(0b0010);
const DIFFERENT: FloatRel = FloatRel(0b1110);

/// Lowers all arithmetic and conversions of bfloats.
pub fn lower(module: &mut Module, function: &mut Function) {
    for block in function.order.clone() {
        let insts = &function.blocks[block].insts;
        if !insts
            .iter()
            .any(|inst| wants(&module.types, function, *inst))
        {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut lower = Lower {
            types: &mut module.types,
            function,
            new: Vec::with_capacity(insts.len()),
            inst: insts[0],
        };
        for inst in insts {
            lower.inst = inst;
            match wants(lower.types, lower.function, inst) {
                true => lower.instruction(),
                false => lower.new.push(inst),
            }
        }
        function.blocks[block].insts = lower.new;
    }
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

struct Lower<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    new: Vec<Inst>,
    inst: Inst,
}

impl Lower<'_> {
    fn add(&mut self, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        let data = &self.function.insts[self.inst];
        let inst = self.function.make(InstData {
            op,
            args,
            targets: smallvec![],
            ty,
            result: None,
            flags: data.flags,
            align: 0,
            loc: data.loc,
            dbg: data.dbg,
        });
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.constant(ty, Const::Undef),
        }
    }

    fn cast(&mut self, op: CastOp, value: Value, ty: Type) -> Value {
        self.add(Op::Cast(op), smallvec![value], ty)
    }

    fn binary(&mut self, op: BinaryOp, value: Value, bits: u64) -> Value {
        let ty = self.function.ty(value);
        let other = self.splat(ty, bits);
        self.add(Op::Binary(op), smallvec![value, other], ty)
    }

    fn relation(&mut self, rel: FloatRel, a: Value, b: Value) -> Value {
        let ty = self.shaped(a, Scalar::Int(1));
        self.add(Op::FCmp(rel), smallvec![a, b], ty)
    }

    fn choose(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let ty = self.function.ty(yes);
        self.add(Op::Select, smallvec![condition, yes, no], ty)
    }

    fn splat(&mut self, ty: Type, bits: u64) -> Value {
        match self.types.count(ty) {
            Some(count) => {
                let elements = vec![bits; count as usize].into();
                self.function.constant(ty, Const::Vector(elements))
            }
            None => self.function.bits(ty, bits),
        }
    }

    /// Type with the elements of a value as others.
    fn shaped(&mut self, like: Value, scalar: Scalar) -> Type {
        let count = self.types.count(self.function.ty(like));
        self.types.shaped(count, scalar)
    }

    fn element(&self, value: Value) -> Option<Scalar> {
        self.types.element(self.function.ty(value))
    }

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
        let moved = self.binary(BinaryOp::Shl, wide, LOWER_BITS);
        self.cast(CastOp::BitCast, moved, float)
    }

    /// The bits of the bfloat next to a float.
    fn rounded(&mut self, value: Value) -> Value {
        let (word, dword) = (
            self.shaped(value, Scalar::Int(16)),
            self.shaped(value, Scalar::Int(32)),
        );
        let bits = self.cast(CastOp::BitCast, value, dword);
        let upper = self.binary(BinaryOp::LShr, bits, LOWER_BITS);
        let odd = self.binary(BinaryOp::And, upper, 1);
        let half = self.binary(BinaryOp::Add, bits, (1 << (LOWER_BITS - 1)) - 1);
        let sum = self.add(Op::Binary(BinaryOp::Add), smallvec![half, odd], dword);
        let near = self.binary(BinaryOp::LShr, sum, LOWER_BITS);
        let quiet = self.binary(BinaryOp::Or, upper, QUIET);
        let nan = self.relation(UNORDERED, value, value);
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
            let bits = lower.binary(BinaryOp::And, bits, u64::MAX >> 1);
            lower.cast(CastOp::BitCast, bits, double)
        };
        let (a, b) = (magnitude(self, back), magnitude(self, value));
        let beyond = self.relation(GREATER, a, b);
        let less = self.binary(BinaryOp::Add, bits, u64::from(u32::MAX));
        let below = self.choose(beyond, less, bits);
        let odd = self.binary(BinaryOp::Or, below, 1);
        let inexact = self.relation(DIFFERENT, back, value);
        let bits = self.choose(inexact, odd, below);
        self.cast(CastOp::BitCast, bits, float)
    }

    /// Ends an instruction: it gives these bits.
    fn become_bits(&mut self, bits: Value) {
        let data = &mut self.function.insts[self.inst];
        let same = self.function.values[bits].ty == data.ty;
        data.op = match same {
            true => Op::Freeze,
            false => Op::Cast(CastOp::BitCast),
        };
        data.args = smallvec![bits];
        self.new.push(self.inst);
    }

    fn instruction(&mut self) {
        let data = self.function.insts[self.inst].clone();
        let to_bfloat = self.types.element(data.ty) == Some(Scalar::BFloat);
        match &data.op {
            Op::Intrinsic(intrinsic) if matches!(intrinsic.kind(), Kind::ConvertBFloat) => {
                let value = data.args[0];
                if self.element(value) == Some(Scalar::Float) {
                    let bits = self.rounded(value);
                    return self.become_bits(bits);
                }
                let float = self.extended(value);
                self.become_bits(float);
            }
            Op::Cast(op) if to_bfloat => {
                let value = data.args[0];
                let float = match (op, self.element(value)) {
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
                let inst = &mut self.function.insts[self.inst];
                inst.op = Op::Cast(*op);
                inst.args = smallvec![float];
                self.new.push(self.inst);
            }
            op => {
                let args = data.args.iter().map(|arg| match self.element(*arg) {
                    Some(Scalar::BFloat) => self.extended(*arg),
                    _ => *arg,
                });
                let args: SmallVec<[Value; 3]> = args.collect();
                if !to_bfloat {
                    self.function.insts[self.inst].args = args;
                    self.new.push(self.inst);
                    return;
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
