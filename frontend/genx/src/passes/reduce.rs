//! Reductions of vectors to one element.
//!
//! Takes any function; afterwards there is no reduction. One whose order does not matter halves the vector until one
//! element is left; the others go element by element. Those of `i1` are `any` and `all`.

use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Intrinsic, Kind, Reduction};
use crate::ir::{BinaryOp, Function, Inst, InstData, Module, Op, Scalar, Type, Types, Value};

/// Lowers all reductions.
///
/// # Errors
/// One has other operands than it should.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    for block in function.order.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Op::Intrinsic(intrinsic) = function.insts[inst].op
                && let Kind::Reduce(reduction) = intrinsic.kind()
            {
                let mut lower = Lower {
                    types: &mut module.types,
                    function,
                    new: &mut new,
                    inst,
                };
                lower.run(reduction)?;
            }
            new.push(inst);
        }
        function.blocks[block].insts = new;
    }
    Ok(())
}

struct Lower<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    new: &'a mut Vec<Inst>,
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
            align: 0,
            ..data.clone()
        });
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.insts[self.inst].args[0],
        }
    }

    fn error<T>(&self, message: &str) -> Result<T> {
        let loc = self.function.insts[self.inst].loc;
        Err(Diagnostic::new(Code::Operand, loc, message))
    }

    /// The operation on two values of a type.
    fn operation(&self, reduction: Reduction) -> Result<Op> {
        match reduction {
            Reduction::Binary(op) => Ok(Op::Binary(op)),
            Reduction::Named(name) => match Intrinsic::named(name) {
                Ok(intrinsic) => Ok(Op::Intrinsic(intrinsic)),
                Err(_) => self.error("no such operation"),
            },
        }
    }

    fn element(&mut self, vector: Value, number: u32, ty: Type) -> Value {
        let at = self.function.bits(Types::I32, number.into());
        self.add(Op::ExtractElement, smallvec![vector, at], ty)
    }

    fn run(&mut self, reduction: Reduction) -> Result<()> {
        let data = self.function.insts[self.inst].clone();
        let ordered = matches!(
            reduction,
            Reduction::Binary(BinaryOp::FAdd | BinaryOp::FMul)
        );
        let (Some(&vector), Some(&first)) = (data.args.last(), data.args.first()) else {
            return self.error("a vector is expected");
        };
        let ty = self.function.ty(vector);
        let shape = self.types.count(ty).zip(self.types.element(ty));
        let Some((count, scalar)) = shape.filter(|(n, _)| *n > 0) else {
            return self.error("a vector is expected");
        };
        if data.args.len() != 1 + usize::from(ordered) {
            return self.error("another number of operands is expected");
        }
        if scalar == Scalar::Int(1) {
            return self.bools(reduction, vector);
        }
        let mut sum = ordered.then_some(first);
        if ordered && !data.flags.reassoc {
            for number in 0..count {
                let element = self.element(vector, number, data.ty);
                let op = self.operation(reduction)?;
                sum = Some(match sum {
                    Some(sum) => self.add(op, smallvec![sum, element], data.ty),
                    None => element,
                });
            }
        } else {
            let (mut vector, mut count) = (vector, count);
            while count > 1 {
                let half = count / 2;
                if count % 2 != 0 {
                    let odd = self.element(vector, count - 1, data.ty);
                    let op = self.operation(reduction)?;
                    sum = Some(match sum {
                        Some(sum) => self.add(op, smallvec![sum, odd], data.ty),
                        None => odd,
                    });
                }
                let ty = self.types.shaped(Some(half), scalar);
                let [low, high] = [0, half].map(|from| {
                    let numbers: Box<[u32]> = (from..from + half).collect();
                    self.add(Op::Shuffle(numbers), smallvec![vector, vector], ty)
                });
                let op = self.operation(reduction)?;
                vector = self.add(op, smallvec![low, high], ty);
                count = half;
            }
            let last = self.element(vector, 0, data.ty);
            let op = self.operation(reduction)?;
            sum = Some(match sum {
                Some(sum) => self.add(op, smallvec![sum, last], data.ty),
                None => last,
            });
        }
        let new = &mut self.function.insts[self.inst];
        new.op = Op::Freeze;
        new.args = sum.into_iter().collect();
        Ok(())
    }

    /// One of `i1` is `any`, or `all`.
    fn bools(&mut self, reduction: Reduction, vector: Value) -> Result<()> {
        let name = match reduction {
            Reduction::Binary(BinaryOp::Or) | Reduction::Named("umax" | "smin") => "genx.any",
            Reduction::Binary(BinaryOp::And | BinaryOp::Mul)
            | Reduction::Named("umin" | "smax") => "genx.all",
            _ => return self.error("a reduction of i1 that is not supported"),
        };
        let Ok(intrinsic) = Intrinsic::named(name) else {
            return self.error("no such operation");
        };
        let new = &mut self.function.insts[self.inst];
        new.op = Op::Intrinsic(intrinsic);
        new.args = smallvec![vector];
        Ok(())
    }
}
