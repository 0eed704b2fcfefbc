//! Instructions that compute, choose and branch.

use smallvec::{SmallVec, smallvec};
use spirv::{Decoration, FPRoundingMode, Op};

use super::Reader;
use super::body::Body;
use super::compute;
use crate::error::{Code, Result};
use crate::ir::function::Flags;
use crate::ir::rules;
use crate::ir::{
    BinaryOp, CastOp, Const, FloatRel, IntRel, Op as IrOp, Scalar, Type, TypeData, Types, Value,
};

/// Shuffle index of an undefined element.
const ANY: u32 = u32::MAX;

/// Instructions in functions whose operands are always as many: first and last opcode of a row of them, and the words of each after
/// its first, the type and the number of the result among them. Source: the specification's section on instructions.
const COUNTS: [(Op, Op, usize); 36] = [
    (Op::SelectionMerge, Op::SelectionMerge, 2),
    (Op::Undef, Op::Undef, 2),
    (Op::Line, Op::Line, 3),
    (Op::NoLine, Op::NoLine, 0),
    (Op::VectorExtractDynamic, Op::VectorExtractDynamic, 4),
    (Op::VectorInsertDynamic, Op::VectorInsertDynamic, 5),
    (Op::CopyObject, Op::CopyObject, 3),
    (Op::ConvertFToU, Op::GenericCastToPtr, 3),
    (Op::Bitcast, Op::FNegate, 3),
    (Op::IAdd, Op::VectorTimesScalar, 4),
    (Op::Dot, Op::SMulExtended, 4),
    (Op::Any, Op::SignBitSet, 3),
    (Op::LessOrGreater, Op::LogicalAnd, 4),
    (Op::LogicalNot, Op::LogicalNot, 3),
    (Op::Select, Op::Select, 5),
    (Op::IEqual, Op::FUnordGreaterThanEqual, 4),
    (Op::ShiftRightLogical, Op::BitwiseAnd, 4),
    (Op::Not, Op::Not, 3),
    (Op::BitFieldInsert, Op::BitFieldInsert, 6),
    (Op::BitFieldSExtract, Op::BitFieldUExtract, 5),
    (Op::BitReverse, Op::BitCount, 3),
    (Op::ControlBarrier, Op::ControlBarrier, 3),
    (Op::MemoryBarrier, Op::MemoryBarrier, 2),
    (Op::AtomicLoad, Op::AtomicLoad, 5),
    (Op::AtomicStore, Op::AtomicStore, 4),
    (Op::AtomicExchange, Op::AtomicExchange, 6),
    (Op::AtomicCompareExchange, Op::AtomicCompareExchangeWeak, 8),
    (Op::AtomicIIncrement, Op::AtomicIDecrement, 5),
    (Op::AtomicIAdd, Op::AtomicXor, 6),
    (Op::Label, Op::Label, 1),
    (Op::Branch, Op::Branch, 1),
    (Op::Return, Op::Return, 0),
    (Op::ReturnValue, Op::ReturnValue, 1),
    (Op::Unreachable, Op::Unreachable, 0),
    (Op::LifetimeStart, Op::LifetimeStop, 2),
    (
        Op::VariableLengthArrayINTEL,
        Op::VariableLengthArrayINTEL,
        3,
    ),
];

impl Reader<'_> {
    /// Flags of the instruction.
    pub(super) fn flags(&self) -> Flags {
        let id = self.inst.words.get(1).copied().unwrap_or(0);
        let mode = self.decoration(id, Decoration::FPFastMathMode);
        mode.map_or_else(Flags::default, compute::flags)
    }

    /// Checks that the instruction has its operands, and no others.
    pub(super) fn counted(&self) -> Result<()> {
        let op = self.opcode();
        let of = |(first, last, _): &&(Op, Op, usize)| {
            op.is_some_and(|op| (*first..=*last).contains(&op))
        };
        match COUNTS.iter().find(of) {
            Some((_, _, count)) if *count != self.inst.words.len() => {
                let message = format!("{} has {count} operands", self.inst.name());
                Err(self.fail(message))
            }
            _ => Ok(()),
        }
    }

    /// Reads an instruction of a block.
    pub(super) fn instruction(&mut self, body: &mut Body) -> Result<()> {
        let Some(op) = self.opcode() else {
            return Err(self.unsupported());
        };
        if let Some(made) = compute::binary(op).or(compute::relation(op)) {
            let args = smallvec![self.arg(body, 2)?, self.arg(body, 3)?];
            let stated = self.ty(self.op(0)?)?;
            let mut data = self.make(body, made, args, stated)?;
            data.flags = self.flags();
            return self.finish(body, data);
        }
        if let Some(name) = compute::intrinsic(op) {
            let mut args = self.values(body, 2)?;
            if matches!(name, "ctlz" | "cttz") {
                // Zero is a number like others.
                args.push(self.filled(body, Types::I1, 0)?);
            }
            return self.finish_intrinsic(body, name, args);
        }
        match op {
            Op::FNegate => {
                let value = self.arg(body, 2)?;
                let mut data = self.make(body, IrOp::FNeg, smallvec![value], Types::VOID)?;
                data.flags = self.flags();
                self.finish(body, data)
            }
            Op::SNegate => {
                let value = self.arg(body, 2)?;
                let zero = self.filled(body, body.function.ty(value), 0)?;
                self.finish_of(body, IrOp::Binary(BinaryOp::Sub), smallvec![zero, value])
            }
            Op::Not | Op::LogicalNot => {
                let value = self.arg(body, 2)?;
                let ones = self.filled(body, body.function.ty(value), u64::MAX)?;
                self.finish_of(body, IrOp::Binary(BinaryOp::Xor), smallvec![value, ones])
            }
            Op::IsNan => {
                let value = self.arg(body, 2)?;
                self.finish_of(
                    body,
                    IrOp::FCmp(FloatRel::UNORDERED),
                    smallvec![value, value],
                )
            }
            Op::Select => {
                let args = self.values(body, 2)?;
                self.finish_of(body, IrOp::Select, args)
            }
            Op::Phi => self.phi(body),
            Op::Undef => {
                let ty = self.value_ty(self.op(0)?)?;
                let undef = body.function.constant(ty, Const::Undef);
                self.alias(body, undef)
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR | Op::ArithmeticFenceEXT => {
                let value = self.arg(body, 2)?;
                self.alias(body, value)
            }
            Op::FunctionCall => self.call(body),
            Op::FunctionPointerCallINTEL => {
                let args = self.values(body, 2)?;
                if args.is_empty() {
                    return Err(self.fail("a call of no address"));
                }
                let result = self.ty(self.op(0)?)?;
                let types = args[1..].iter().map(|arg| body.function.ty(*arg)).collect();
                let ty = TypeData::Function(result, types, false);
                let ty = self.module.types.checked(ty);
                let ty = self.placed(ty)?;
                self.finish(body, rules::data(IrOp::CallIndirect(ty), args, result))
            }
            Op::AsmCallINTEL => {
                let asm = match self.asms.get(&self.op(2)?) {
                    Some(Ok(asm)) => asm.clone(),
                    Some(Err(fault)) => return Err(fault.clone().at(self.loc())),
                    None => return Err(self.fail("a call of no inline assembly")),
                };
                let args = self.values(body, 3)?;
                self.finish_of(body, IrOp::Asm(asm), args)
            }
            Op::ExtInst => self.extended(body),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(body, op)
            }
            Op::VectorTimesScalar => {
                let (vector, scalar) = (self.arg(body, 2)?, self.arg(body, 3)?);
                let ty = body.function.ty(vector);
                let scalar = self.spread(body, scalar, ty)?;
                let product = IrOp::Binary(BinaryOp::FMul);
                self.finish_of(body, product, smallvec![vector, scalar])
            }
            Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable => self.terminator(body, op),
            Op::CompositeExtract
            | Op::CompositeInsert
            | Op::CompositeConstruct
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::VectorShuffle => self.composite(body, op),
            op => match self.derived(body, op)? || self.conversion(body, op)? {
                true => Ok(()),
                false => self.memory(body, op),
            },
        }
    }

    /// Adds an intrinsic whose result is that of the instruction that is read.
    pub(super) fn finish_intrinsic(
        &mut self,
        body: &mut Body,
        name: &str,
        args: SmallVec<[Value; 3]>,
    ) -> Result<()> {
        let op = crate::ir::atomics::op(name);
        let op = self.placed(op)?;
        let stated = self.ty(self.op(0)?)?;
        let mut data = self.make(body, op, args, stated)?;
        data.flags = self.flags();
        self.finish(body, data)
    }

    /// A constant of a type with these bits in each element.
    pub(super) fn filled(&mut self, body: &mut Body, ty: Type, bits: u64) -> Result<Value> {
        let types = &self.module.types;
        let Some((count, scalar)) = types.shape(ty) else {
            return Err(self.refused(Code::Mismatch, "a number is expected"));
        };
        let width = types.bits(scalar);
        if width > u64::BITS && bits == u64::MAX {
            return Err(self.refused(Code::Constant, "the integer is too long"));
        }
        let bits = bits & u64::MAX >> (u64::BITS - width.min(u64::BITS));
        let constant = match types.count(ty) {
            None => Const::Bits(bits),
            Some(_) => Const::Vector(vec![bits; count as usize].into()),
        };
        let function = &mut body.function;
        Ok(rules::Constants::value(types, function, ty, constant))
    }

    /// A scalar in each element of a vector.
    pub(super) fn spread(&mut self, body: &mut Body, scalar: Value, ty: Type) -> Result<Value> {
        let Some(count) = self.module.types.count(ty) else {
            return Err(self.fail("a vector is expected"));
        };
        let undef = body.function.constant(ty, Const::Undef);
        let first = body.function.bits(Types::I32, 0);
        let void = Types::VOID;
        let one = self.value_of(
            body,
            IrOp::InsertElement,
            smallvec![undef, scalar, first],
            void,
        )?;
        let mask = vec![0; count as usize];
        self.value_of(
            body,
            IrOp::Shuffle(mask.into()),
            smallvec![one, undef],
            void,
        )
    }

    /// Reads a conversion; false for any other operation.
    fn conversion(&mut self, body: &mut Body, op: Op) -> Result<bool> {
        // All of them have one operand, and those that are none may have others.
        if compute::cast(&self.module.types, op, Types::I32, Types::I32).is_none() {
            return Ok(false);
        }
        let id = self.op(1)?;
        let value = self.arg(body, 2)?;
        let (from, to) = (body.function.ty(value), self.value_ty(self.op(0)?)?);
        if let (true, Some(name)) = (
            self.has(id, Decoration::SaturatedConversion),
            compute::saturated(op),
        ) {
            self.finish_intrinsic(body, name, smallvec![value])?;
            return Ok(true);
        }
        let is_handle = matches!(self.module.types.data(from), TypeData::Handle(_));
        if op == Op::ConvertPtrToU && is_handle {
            self.handle_number(body, value, to)?;
            return Ok(true);
        }
        if let Some(mode) = self.decoration(id, Decoration::FPRoundingMode) {
            let usual = match op {
                Op::ConvertFToU | Op::ConvertFToS => FPRoundingMode::RTZ,
                _ => FPRoundingMode::RTE,
            };
            if mode != usual as u32 {
                let message = "a conversion that rounds in another way is not supported";
                return Err(self.refused(Code::Instruction, message));
            }
        }
        match compute::cast(&self.module.types, op, from, to) {
            Some(Some(cast)) => self.finish_of(body, IrOp::Cast(cast), smallvec![value])?,
            _ if rules::fits(&self.module.types, from, to) => self.alias(body, value)?,
            _ => return Err(self.refused(Code::Mismatch, "no such conversion")),
        }
        Ok(true)
    }

    /// Number of a surface or sampler, of 32 bits.
    fn handle_number(&mut self, body: &mut Body, value: Value, to: Type) -> Result<()> {
        const CONVERT: &str = "genx.address.convert";
        if to == Types::I32 {
            return self.finish_intrinsic(body, CONVERT, smallvec![value]);
        }
        let op = crate::ir::atomics::op(CONVERT);
        let op = self.placed(op)?;
        let number = self.value_of(body, op, smallvec![value], Types::I32)?;
        self.finish_of(body, IrOp::Cast(CastOp::ZExt), smallvec![number])
    }

    /// Pairs of a value and a block.
    fn phi(&mut self, body: &mut Body) -> Result<()> {
        let ty = self.value_ty(self.op(0)?)?;
        let mut data = rules::data(IrOp::Phi, smallvec![], ty);
        let pairs = self.rest(2);
        if !pairs.len().is_multiple_of(2) {
            return Err(self.fail("a phi has a value without a block"));
        }
        for pair in pairs.chunks_exact(2) {
            data.args.push(self.value(body, pair[0])?);
            data.targets.push(self.block(body, pair[1])?);
        }
        let checked = rules::check(
            &mut self.module.types,
            &body.function,
            &data.op,
            &data.args,
            ty,
        );
        self.placed(checked)?;
        self.finish(body, data)
    }

    /// Sum with its carry, difference with its borrow, or both halves of a product, as a structure of two integers.
    fn extended_arithmetic(&mut self, body: &mut Body, op: Op) -> Result<()> {
        let (a, b) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let (ty, whole) = (body.function.ty(a), self.value_ty(self.op(0)?)?);
        let void = Types::VOID;
        let types = &mut self.module.types;
        let (Some(Scalar::Int(bits)), count) = (types.element(ty), types.count(ty)) else {
            return Err(self.refused(Code::Mismatch, "integers are expected"));
        };
        let cast = |op| IrOp::Cast(op);
        let (low, high) = match op {
            Op::IAddCarry | Op::ISubBorrow => {
                // A sum is less than its parts if it carries.
                let (operation, relation) = match op {
                    Op::IAddCarry => (BinaryOp::Add, IntRel::Ult),
                    _ => (BinaryOp::Sub, IntRel::Ugt),
                };
                let low = self.value_of(body, IrOp::Binary(operation), smallvec![a, b], void)?;
                let out = self.value_of(body, IrOp::ICmp(relation), smallvec![low, a], void)?;
                (
                    low,
                    self.value_of(body, cast(CastOp::ZExt), smallvec![out], ty)?,
                )
            }
            _ => {
                let extend = match op {
                    Op::UMulExtended => CastOp::ZExt,
                    _ => CastOp::SExt,
                };
                let wide = types.shaped(count, Scalar::Int(2 * bits));
                let a = self.value_of(body, cast(extend), smallvec![a], wide)?;
                let b = self.value_of(body, cast(extend), smallvec![b], wide)?;
                let product = IrOp::Binary(BinaryOp::Mul);
                let product = self.value_of(body, product, smallvec![a, b], void)?;
                let shift = self.filled(body, wide, bits.into())?;
                let high = IrOp::Binary(BinaryOp::LShr);
                let high = self.value_of(body, high, smallvec![product, shift], void)?;
                let low = self.value_of(body, cast(CastOp::Trunc), smallvec![product], ty)?;
                (
                    low,
                    self.value_of(body, cast(CastOp::Trunc), smallvec![high], ty)?,
                )
            }
        };
        let undef = body.function.constant(whole, Const::Undef);
        let first = IrOp::InsertValue(smallvec![0]);
        let first = self.value_of(body, first, smallvec![undef, low], void)?;
        self.finish_of(
            body,
            IrOp::InsertValue(smallvec![1]),
            smallvec![first, high],
        )
    }

    fn terminator(&mut self, body: &mut Body, op: Op) -> Result<()> {
        let (made, args, labels): (_, SmallVec<[Value; 3]>, &[u32]) = match op {
            Op::Branch => (IrOp::Br, smallvec![], &[self.op(0)?]),
            Op::BranchConditional => {
                let condition = self.arg(body, 0)?;
                (
                    IrOp::CondBr,
                    smallvec![condition],
                    &[self.op(1)?, self.op(2)?],
                )
            }
            Op::Switch => return self.switch(body),
            Op::Return => (IrOp::Ret, smallvec![], &[]),
            Op::ReturnValue => (IrOp::Ret, smallvec![self.arg(body, 0)?], &[]),
            _ => (IrOp::Unreachable, smallvec![], &[]),
        };
        let mut data = self.make(body, made, args, Types::VOID)?;
        for label in labels {
            data.targets.push(self.block(body, *label)?);
        }
        self.put(body, data)?;
        Ok(())
    }

    /// Value, default, then a number of as many words as the value has, and a block.
    fn switch(&mut self, body: &mut Body) -> Result<()> {
        let value = self.arg(body, 0)?;
        let Some(&Scalar::Int(bits @ 1..=64)) =
            (match self.module.types.data(body.function.ty(value)) {
                TypeData::Scalar(scalar) => Some(scalar),
                _ => None,
            })
        else {
            return Err(self.refused(Code::Mismatch, "a switch takes an integer"));
        };
        let size = bits.div_ceil(u32::BITS) as usize;
        let mut targets = smallvec![self.block(body, self.op(1)?)?];
        let mut numbers = Vec::new();
        let cases = self.rest(2).chunks_exact(size + 1);
        if !cases.remainder().is_empty() {
            return Err(self.fail("a case has no block"));
        }
        for case in cases {
            let high = if size > 1 {
                u64::from(case[1]) << u32::BITS
            } else {
                0
            };
            numbers.push((high | u64::from(case[0])) & u64::MAX >> (u64::BITS - bits));
            targets.push(self.block(body, case[size])?);
        }
        let op = IrOp::Switch(numbers.into());
        let mut data = self.make(body, op, smallvec![value], Types::VOID)?;
        data.targets = targets;
        self.put(body, data)?;
        Ok(())
    }

    fn composite(&mut self, body: &mut Body, op: Op) -> Result<()> {
        match op {
            Op::VectorExtractDynamic => {
                let args = smallvec![self.arg(body, 2)?, self.arg(body, 3)?];
                self.finish_of(body, IrOp::ExtractElement, args)
            }
            Op::VectorInsertDynamic => {
                let args = smallvec![self.arg(body, 2)?, self.arg(body, 3)?, self.arg(body, 4)?];
                self.finish_of(body, IrOp::InsertElement, args)
            }
            Op::CompositeExtract => {
                let whole = self.arg(body, 2)?;
                let path = self.rest(3);
                if path.is_empty() {
                    return self.alias(body, whole);
                }
                let (members, element) = self.split(body.function.ty(whole), path)?;
                let Some(element) = element else {
                    let op = IrOp::ExtractValue(members.into());
                    return self.finish_of(body, op, smallvec![whole]);
                };
                let vector = match members.is_empty() {
                    true => whole,
                    false => {
                        let op = IrOp::ExtractValue(members.into());
                        self.value_of(body, op, smallvec![whole], Types::VOID)?
                    }
                };
                let index = body.function.bits(Types::I32, element.into());
                self.finish_of(body, IrOp::ExtractElement, smallvec![vector, index])
            }
            Op::CompositeInsert => {
                let (member, whole) = (self.arg(body, 2)?, self.arg(body, 3)?);
                let path = self.rest(4);
                if path.is_empty() {
                    return self.alias(body, member);
                }
                let (members, element) = self.split(body.function.ty(whole), path)?;
                let Some(element) = element else {
                    let op = IrOp::InsertValue(members.into());
                    return self.finish_of(body, op, smallvec![whole, member]);
                };
                let index = body.function.bits(Types::I32, element.into());
                if members.is_empty() {
                    let args = smallvec![whole, member, index];
                    return self.finish_of(body, IrOp::InsertElement, args);
                }
                let op = IrOp::ExtractValue(members.into());
                let vector = self.value_of(body, op, smallvec![whole], Types::VOID)?;
                let args = smallvec![vector, member, index];
                let vector = self.value_of(body, IrOp::InsertElement, args, Types::VOID)?;
                let op = IrOp::InsertValue(members.into());
                self.finish_of(body, op, smallvec![whole, vector])
            }
            Op::CompositeConstruct => self.construct(body),
            _ => self.shuffle(body),
        }
    }

    /// A path into an aggregate: its members, and the element of a vector at its end.
    fn split<'p>(&self, mut ty: Type, path: &'p [u32]) -> Result<(&'p [u32], Option<u32>)> {
        for (i, index) in path.iter().enumerate() {
            let types = &self.module.types;
            ty = match types.data(ty) {
                TypeData::Vector(count, _) if i + 1 == path.len() && index < count => {
                    return Ok((&path[..i], Some(*index)));
                }
                TypeData::Struct(fields, _) if (*index as usize) < fields.len() => {
                    fields[*index as usize]
                }
                TypeData::Array(count, element) if u64::from(*index) < *count => *element,
                _ => {
                    let message = format!("there is no member {index}");
                    return Err(self.refused(Code::Mismatch, message));
                }
            };
        }
        Ok((path, None))
    }

    /// A vector of scalars and vectors, or an aggregate of its members.
    fn construct(&mut self, body: &mut Body) -> Result<()> {
        let ty = self.value_ty(self.op(0)?)?;
        let parts = self.values(body, 2)?;
        if self.module.types.count(ty).is_none() {
            let mut whole = body.function.constant(ty, Const::Undef);
            for (at, part) in (0..).zip(parts) {
                let op = IrOp::InsertValue(smallvec![at]);
                whole = self.value_of(body, op, smallvec![whole, part], Types::VOID)?;
            }
            return self.alias(body, whole);
        }
        let mut vectors = self.vectors(body, &parts)?;
        // Neighbours are joined, so that few words with large vectors in them are few instructions, and each element
        // is moved only as often as the number of parts can be halved.
        while vectors.len() > 1 {
            let mut joined = Vec::with_capacity(vectors.len().div_ceil(2));
            for pair in vectors.chunks(2) {
                joined.push(match *pair {
                    [first, second] => self.joined(body, first, second)?,
                    _ => pair[0],
                });
            }
            vectors = joined;
        }
        match vectors.first() {
            Some(whole) => self.alias(body, *whole),
            None => Err(self.fail("a vector of no parts")),
        }
    }

    /// The parts of a vector, with neighbouring scalars as a vector of their own.
    fn vectors(&mut self, body: &mut Body, parts: &[Value]) -> Result<Vec<Value>> {
        let types = &self.module.types;
        let scalar = |part: &Value| match types.data(body.function.ty(*part)) {
            TypeData::Scalar(scalar) => Some(*scalar),
            _ => None,
        };
        let runs = parts.chunk_by(|a, b| scalar(a).is_some() && scalar(a) == scalar(b));
        let runs: Vec<_> = runs.map(|run| (run, scalar(&run[0]))).collect();
        let mut vectors = Vec::with_capacity(runs.len());
        for (run, element) in runs {
            let Some(element) = element else {
                vectors.extend(run);
                continue;
            };
            let ty = self.module.types.vector(run.len() as u64, element);
            let ty = self.placed(ty)?;
            let mut vector = body.function.constant(ty, Const::Undef);
            for (at, part) in (0..).zip(run) {
                let index = body.function.bits(Types::I32, at);
                let args = smallvec![vector, *part, index];
                vector = self.value_of(body, IrOp::InsertElement, args, Types::VOID)?;
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }

    /// Number of a vector's elements.
    fn count(&self, body: &Body, vector: Value) -> Result<u32> {
        let count = self.module.types.count(body.function.ty(vector));
        count.ok_or_else(|| self.fail("a vector is expected"))
    }

    /// The elements of one vector, and then those of another.
    fn joined(&mut self, body: &mut Body, first: Value, second: Value) -> Result<Value> {
        let all = self.count(body, first)? + self.count(body, second)?;
        let (op, args) = self.selection(body, first, second, (0..all).collect())?;
        self.value_of(body, op, args, Types::VOID)
    }

    /// Elements of two vectors by their numbers.
    fn shuffle(&mut self, body: &mut Body) -> Result<()> {
        let (first, second) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let (op, args) = self.selection(body, first, second, self.rest(4).to_vec())?;
        self.finish_of(body, op, args)
    }

    /// Operation that selects elements of two vectors of any length, and its operands.
    fn selection(
        &mut self,
        body: &mut Body,
        mut first: Value,
        mut second: Value,
        mut mask: Vec<u32>,
    ) -> Result<(IrOp, SmallVec<[Value; 3]>)> {
        let (a, b) = (self.count(body, first)?, self.count(body, second)?);
        if mask.iter().any(|index| *index != ANY && *index >= a + b) {
            return Err(self.fail("an element is in none of the vectors"));
        }
        if a != b {
            // Undefined elements fill up the shorter vector.
            let longer = a.max(b);
            let (shorter, from) = if a < b {
                (&mut first, a)
            } else {
                (&mut second, b)
            };
            let undef = body
                .function
                .constant(body.function.ty(*shorter), Const::Undef);
            let widen = (0..longer).map(|n| if n < from { n } else { ANY });
            let op = IrOp::Shuffle(widen.collect());
            *shorter = self.value_of(body, op, smallvec![*shorter, undef], Types::VOID)?;
            let moved = mask
                .iter_mut()
                .filter(|index| **index != ANY && **index >= a);
            moved.for_each(|index| *index = *index - a + longer);
        }
        Ok((IrOp::Shuffle(mask.into()), smallvec![first, second]))
    }
}
