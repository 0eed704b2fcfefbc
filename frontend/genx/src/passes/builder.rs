//! Instructions that take the place of others.
//!
//! A pass that replaces instructions goes over a function with [`rewrite`]: it adds others with a [`Builder`], which
//! have the place and the flags of the one that they are for.

use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Intrinsic;
use crate::ir::function::MAX_INSTS;
use crate::ir::rules;
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, Inst, InstData, Op, Scalar, Type, Types, Value,
};

/// Adds instructions in front of the rest of a block.
pub struct Builder<'a> {
    pub types: &'a mut Types,
    pub function: &'a mut Function,
    /// The block that instructions are added to, and its instructions so far.
    pub block: Block,
    pub new: Vec<Inst>,
    /// The instruction that the new ones are for.
    pub inst: Inst,
}

/// Goes over the instructions of a function. Those that are wanted are replaced; a replacement adds the old instruction
/// itself if it stays.
///
/// # Errors
/// The first of the replacements.
pub fn rewrite(
    types: &mut Types,
    function: &mut Function,
    wants: impl Fn(&Types, &Function, Inst) -> bool,
    mut replace: impl FnMut(&mut Builder) -> Result<()>,
) -> Result<()> {
    for block in function.order.clone() {
        let insts = &function.blocks[block].insts;
        let Some(&first) = insts.iter().find(|inst| wants(types, function, **inst)) else {
            continue;
        };
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut builder = Builder {
            types,
            function,
            block,
            new: Vec::with_capacity(insts.len()),
            inst: first,
        };
        for inst in insts {
            builder.inst = inst;
            match wants(builder.types, builder.function, inst) {
                true => {
                    replace(&mut builder)?;
                    builder.check_size()?;
                }
                false => builder.new.push(inst),
            }
        }
        let (new, last) = (builder.new, builder.block);
        function.blocks[last].insts = new;
        if last != block {
            come_from(function, block, last);
        }
    }
    Ok(())
}

/// Makes the successors of a block those of the block that its end moved to.
pub fn come_from(function: &mut Function, before: Block, last: Block) {
    for next in function.successors(last).to_vec() {
        for inst in function.blocks[next].insts.clone() {
            let data = &mut function.insts[inst];
            if data.op == Op::Phi {
                let from = data.targets.iter_mut().filter(|from| **from == before);
                from.for_each(|from| *from = last);
            }
        }
    }
}

impl Builder<'_> {
    /// Ends the block and goes on in another.
    pub fn begin(&mut self, block: Block) {
        self.function.blocks[self.block].insts = std::mem::take(&mut self.new);
        self.block = block;
    }

    /// Checks that the function has not become too long.
    fn check_size(&self) -> Result<()> {
        if self.function.insts.len() <= MAX_INSTS {
            return Ok(());
        }
        let loc = self.function.insts[self.inst].loc;
        let message = format!("the function becomes more than {MAX_INSTS} instructions");
        Err(Diagnostic::new(Code::Size, loc, message))
    }

    /// Adds an instruction; its result.
    pub fn add(&mut self, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        let &InstData {
            flags, loc, dbg, ..
        } = &self.function.insts[self.inst];
        let inst = self.function.make(InstData {
            flags,
            loc,
            dbg,
            ..rules::data(op, args, ty)
        });
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.constant(ty, Const::Undef),
        }
    }

    /// Ends the replacement: the old instruction is one on these operands.
    pub fn become_op(&mut self, op: Op, args: SmallVec<[Value; 3]>) {
        let data = &mut self.function.insts[self.inst];
        (data.op, data.args) = (op, args);
        self.new.push(self.inst);
    }

    /// Ends the replacement: the old instruction gives these bits.
    pub fn become_bits(&mut self, bits: Value) {
        let same = self.function.ty(bits) == self.function.insts[self.inst].ty;
        let op = match same {
            true => Op::Freeze,
            false => Op::Cast(CastOp::BitCast),
        };
        self.become_op(op, smallvec![bits]);
    }

    pub fn cast(&mut self, op: CastOp, value: Value, ty: Type) -> Value {
        self.add(Op::Cast(op), smallvec![value], ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.add(Op::Binary(op), smallvec![a, b], ty)
    }

    /// An operation whose second operand has these bits in all elements.
    pub fn binary_bits(&mut self, op: BinaryOp, value: Value, bits: u64) -> Value {
        let ty = self.function.ty(value);
        let other = self.splat(ty, bits);
        self.binary(op, value, other)
    }

    /// An element of a vector.
    pub fn extract(&mut self, vector: Value, number: u32, ty: Type) -> Value {
        let at = self.function.bits(Types::I32, number.into());
        self.add(Op::ExtractElement, smallvec![vector, at], ty)
    }

    /// A constant of a type with these bits in all elements.
    pub fn splat(&mut self, ty: Type, bits: u64) -> Value {
        match self.types.count(ty) {
            Some(count) => {
                let elements = vec![bits; count as usize].into();
                self.function.constant(ty, Const::Vector(elements))
            }
            None => self.function.bits(ty, bits),
        }
    }

    /// Type with the elements of a value as others.
    pub fn shaped(&mut self, like: Value, scalar: Scalar) -> Type {
        let count = self.types.count(self.function.ty(like));
        self.types.shaped(count, scalar)
    }

    /// Type of the elements of a value.
    pub fn scalar(&self, value: Value) -> Option<Scalar> {
        self.types.element(self.function.ty(value))
    }

    /// # Errors
    /// There is no such intrinsic.
    pub fn intrinsic(&self, name: &str) -> Result<Op> {
        match Intrinsic::named(name) {
            Ok(intrinsic) => Ok(Op::Intrinsic(intrinsic)),
            Err(_) => self.error("no such operation"),
        }
    }

    /// # Errors
    /// Always: an operand is wrong.
    pub fn error<T>(&self, message: &str) -> Result<T> {
        let loc = self.function.insts[self.inst].loc;
        Err(Diagnostic::new(Code::Operand, loc, message))
    }
}
