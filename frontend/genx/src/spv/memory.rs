//! Instructions of memory.

use smallvec::{SmallVec, smallvec};
use spirv::{Decoration, MemoryAccess, Op, Scope};

use super::Reader;
use super::body::Body;
use crate::error::{Code, Result};
use crate::ir::{BinaryOp, Op as IrOp, Scalar, TypeData, Types, Value, atomics, rules};

/// Atomic operations, and their names in LLVM IR.
const ATOMICS: [(Op, &str); 13] = [
    (Op::AtomicExchange, "xchg"),
    (Op::AtomicIAdd, "add"),
    (Op::AtomicISub, "sub"),
    (Op::AtomicAnd, "and"),
    (Op::AtomicOr, "or"),
    (Op::AtomicXor, "xor"),
    (Op::AtomicSMax, "max"),
    (Op::AtomicSMin, "min"),
    (Op::AtomicUMax, "umax"),
    (Op::AtomicUMin, "umin"),
    (Op::AtomicFAddEXT, "fadd"),
    (Op::AtomicFMaxEXT, "fmax"),
    (Op::AtomicFMinEXT, "fmin"),
];

impl Reader<'_> {
    /// Reads an instruction of memory.
    pub(super) fn memory(&mut self, body: &mut Body, op: Op) -> Result<()> {
        match op {
            Op::Variable => self.allocation(body),
            Op::VariableLengthArrayINTEL => {
                let id = self.op(1)?;
                let (pointer, held) = (self.value_ty(self.op(0)?)?, self.pointee(id)?);
                let count = self.arg(body, 2)?;
                let mut data = self.make(body, IrOp::Alloca(held), smallvec![count], pointer)?;
                data.align = self.decoration(id, Decoration::Alignment).unwrap_or(0);
                self.finish(body, data)
            }
            Op::Load => {
                let pointer = self.arg(body, 2)?;
                let ty = self.value_ty(self.op(0)?)?;
                let mut data = self.make(body, IrOp::Load, smallvec![pointer], ty)?;
                data.align = self.align(3);
                self.finish(body, data)
            }
            Op::Store => {
                let (pointer, value) = (self.arg(body, 0)?, self.arg(body, 1)?);
                let align = self.align(2);
                self.store(body, value, pointer, align)
            }
            Op::CopyMemory => {
                let (to, from) = (self.arg(body, 0)?, self.arg(body, 1)?);
                let ty = self.pointee(self.op(0)?)?;
                let align = self.align(2);
                let mut data = self.make(body, IrOp::Load, smallvec![from], ty)?;
                data.align = align;
                match self.put(body, data)? {
                    Some(value) => self.store(body, value, to, align),
                    None => Err(self.fail("a copy of nothing")),
                }
            }
            Op::CopyMemorySized => {
                let args = smallvec![
                    self.arg(body, 0)?,
                    self.arg(body, 1)?,
                    self.arg(body, 2)?,
                    body.function.bits(Types::I1, 0)
                ];
                let copy = self.named("memcpy")?;
                let mut data = self.make(body, copy, args, Types::VOID)?;
                data.align = self.align(3).max(1);
                self.put(body, data)?;
                Ok(())
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                let source = self.pointee(self.op(2)?)?;
                let mut args = self.values(body, 2)?;
                if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) {
                    args.insert(1, body.function.bits(Types::I32, 0));
                }
                self.finish_of(body, IrOp::Gep(source), args)
            }
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => {
                let source = self.ty(self.op(2)?)?;
                let mut args = self.values(body, 3)?;
                let chain = [Op::UntypedAccessChainKHR, Op::UntypedInBoundsAccessChainKHR];
                if chain.contains(&op) && !args.is_empty() {
                    args.insert(1, body.function.bits(Types::I32, 0));
                }
                self.finish_of(body, IrOp::Gep(source), args)
            }
            Op::PtrDiff => self.distance(body),
            Op::SaveMemoryINTEL => {
                let top = self.named("stacksave")?;
                self.finish_of(body, top, smallvec![])
            }
            Op::RestoreMemoryINTEL => {
                let saved = self.arg(body, 0)?;
                let set = self.named("stackrestore")?;
                self.put(body, rules::data(set, smallvec![saved], Types::VOID))?;
                Ok(())
            }
            Op::MemoryBarrier => {
                let semantics = self.op(1)?;
                self.fence(body, semantics)
            }
            Op::ControlBarrier => {
                if self.plain_number(self.op(0)?) != Some(Scope::Workgroup as u64) {
                    let message = "barriers are those of a group";
                    return Err(self.refused(Code::Instruction, message));
                }
                let semantics = self.op(2)?;
                self.fence(body, semantics)?;
                let barrier = self.named("genx.barrier")?;
                let data = self.make(body, barrier, smallvec![], Types::VOID)?;
                self.put(body, data)?;
                Ok(())
            }
            op => self.atomic(body, op),
        }
    }

    /// Intrinsic of a name.
    fn named(&self, name: &str) -> Result<IrOp> {
        self.placed(atomics::op(name))
    }

    /// Alignment that memory operands from a word on name; 0 if they name none.
    fn align(&self, from: usize) -> u32 {
        match self.rest(from) {
            [access, align, ..] if access & MemoryAccess::ALIGNED.bits() != 0 => *align,
            _ => 0,
        }
    }

    fn store(&mut self, body: &mut Body, value: Value, pointer: Value, align: u32) -> Result<()> {
        let mut data = self.make(body, IrOp::Store, smallvec![value, pointer], Types::VOID)?;
        data.align = align;
        self.put(body, data)?;
        Ok(())
    }

    /// A variable of the function, and its initializer.
    fn allocation(&mut self, body: &mut Body) -> Result<()> {
        let id = self.op(1)?;
        let (pointer, held) = (self.value_ty(self.op(0)?)?, self.pointee(id)?);
        let count = body.function.bits(Types::I32, 1);
        let mut data = self.make(body, IrOp::Alloca(held), smallvec![count], pointer)?;
        data.align = self.decoration(id, Decoration::Alignment).unwrap_or(0);
        self.finish(body, data)?;
        if let Some(init) = self.rest(3).first() {
            let (value, pointer) = (self.value(body, *init)?, self.value(body, id)?);
            self.store(body, value, pointer, 0)?;
        }
        Ok(())
    }

    /// Elements between two addresses.
    fn distance(&mut self, body: &mut Body) -> Result<()> {
        let held = self.pointee(self.op(2)?)?;
        let ty = self.value_ty(self.op(0)?)?;
        let (a, b) = (self.arg(body, 2)?, self.arg(body, 3)?);
        let size = self.module.types.layout(held).map_or(0, |(size, _)| size);
        if size == 0 {
            return Err(self.refused(Code::Type, "the distance of what has no size"));
        }
        let address = IrOp::Cast(crate::ir::CastOp::PtrToInt);
        let a = self.value_of(body, address.clone(), smallvec![a], ty)?;
        let b = self.value_of(body, address, smallvec![b], ty)?;
        let bytes = IrOp::Binary(BinaryOp::Sub);
        let bytes = self.value_of(body, bytes, smallvec![a, b], ty)?;
        let size = self.filled(body, ty, size)?;
        self.finish_of(body, IrOp::Binary(BinaryOp::SDiv), smallvec![bytes, size])
    }

    /// Number of the ordering that a constant says.
    fn ordering(&self, semantics: u32) -> Result<Option<u64>> {
        let Some(bits) = self.plain_number(semantics) else {
            return Err(self.refused(Code::Operand, "the ordering of an access is no constant"));
        };
        Ok(atomics::of_semantics(bits))
    }

    fn fence(&mut self, body: &mut Body, semantics: u32) -> Result<()> {
        let Some(ordering) = self.ordering(semantics)? else {
            return Ok(());
        };
        let ordering = atomics::ordering(&mut body.function, ordering);
        let op = self.named(atomics::FENCE)?;
        self.put(body, rules::data(op, smallvec![ordering], Types::VOID))?;
        Ok(())
    }

    /// An atomic access: pointer, scope, ordering, values.
    fn atomic(&mut self, body: &mut Body, op: Op) -> Result<()> {
        if op == Op::AtomicStore {
            let (pointer, value) = (self.arg(body, 0)?, self.arg(body, 3)?);
            self.make(body, IrOp::Store, smallvec![value, pointer], Types::VOID)?;
            let ordering = self.ordering(self.op(2)?)?.unwrap_or(atomics::MONOTONIC);
            let ordering = atomics::ordering(&mut body.function, ordering);
            let op = self.named(atomics::STORE)?;
            let args = smallvec![value, pointer, ordering];
            self.put(body, rules::data(op, args, Types::VOID))?;
            return Ok(());
        }
        let row = ATOMICS.iter().find(|(one, _)| *one == op);
        let counted = match op {
            Op::AtomicIIncrement => Some("add"),
            Op::AtomicIDecrement => Some("sub"),
            _ => row.map(|(_, word)| *word),
        };
        let known = counted.is_some()
            || matches!(
                op,
                Op::AtomicLoad | Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak
            );
        if !known {
            return Err(self.unsupported());
        }
        let pointer = self.arg(body, 2)?;
        let ordering = self.ordering(self.op(4)?)?.unwrap_or(atomics::MONOTONIC);
        let ty = self.value_ty(self.op(0)?)?;
        let mut args: SmallVec<[Value; 3]> = smallvec![pointer];
        let Some(word) = counted else {
            if op == Op::AtomicLoad {
                self.make(body, IrOp::Load, args.clone(), ty)?;
                args.push(atomics::ordering(&mut body.function, ordering));
                let op = self.named(atomics::LOAD)?;
                return self.finish(body, rules::data(op, args, ty));
            }
            return self.exchange(body, args, ordering);
        };
        args.push(match op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => match self.module.types.data(ty) {
                TypeData::Scalar(Scalar::Int(_)) => body.function.bits(ty, 1),
                _ => return Err(self.refused(Code::Mismatch, "an integer is expected")),
            },
            _ => self.arg(body, 5)?,
        });
        let number = (0..)
            .zip(atomics::OPERATIONS)
            .find(|(_, (one, _))| *one == word);
        let op = atomics::operation(number.map_or(u64::MAX, |(number, _)| number));
        let op = self.placed(op)?;
        let ty = rules::atomic(&mut self.module.types, &body.function, false, &args);
        let ty = self.placed(ty)?;
        args.push(atomics::ordering(&mut body.function, ordering));
        self.finish(body, rules::data(op, args, ty))
    }

    /// Pointer, scope, two orderings, the new value, the value that is expected; gives the old value.
    fn exchange(
        &mut self,
        body: &mut Body,
        mut args: SmallVec<[Value; 3]>,
        ordering: u64,
    ) -> Result<()> {
        args.push(self.arg(body, 7)?);
        args.push(self.arg(body, 6)?);
        let ty = rules::atomic(&mut self.module.types, &body.function, true, &args);
        let ty = self.placed(ty)?;
        args.push(atomics::ordering(&mut body.function, ordering));
        let op = self.named(atomics::EXCHANGE)?;
        let Some(pair) = self.put(body, rules::data(op, args, ty))? else {
            return Err(self.fail("an exchange without a result"));
        };
        self.finish_of(body, IrOp::ExtractValue(smallvec![0]), smallvec![pair])
    }
}
