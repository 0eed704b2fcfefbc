//! Reductions of vectors to one element.
//!
//! Takes any function; afterwards there is no reduction. One whose order does not matter halves the vector until one
//! element is left; the others go element by element. Those of `i1` are `any` and `all`.

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use crate::error::Result;
use crate::intrinsics::{Kind, Reduction};
use crate::ir::{BinaryOp, Function, Inst, Module, Op, Scalar, Value};

/// Lowers all reductions.
///
/// # Errors
/// One has other operands than it should.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let wants = |_: &_, function: &_, inst| reduction(function, inst).is_some();
    rewrite(
        &mut module.types,
        function,
        wants,
        |builder| match reduction(builder.function, builder.inst) {
            Some(reduction) => builder.reduce(reduction),
            None => Ok(()),
        },
    )
}

/// The reduction that an instruction is.
fn reduction(function: &Function, inst: Inst) -> Option<Reduction> {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::Reduce(reduction) => Some(reduction),
            _ => None,
        },
        _ => None,
    }
}

impl Builder<'_> {
    /// The operation on two values of a type.
    fn reducing(&self, reduction: Reduction) -> Result<Op> {
        match reduction {
            Reduction::Binary(op) => Ok(Op::Binary(op)),
            Reduction::Named(name) => self.intrinsic(name),
        }
    }

    fn reduce(&mut self, reduction: Reduction) -> Result<()> {
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
            return self.reduce_bools(reduction, vector);
        }
        let mut sum = ordered.then_some(first);
        if ordered && !data.flags.reassoc {
            for number in 0..count {
                let element = self.extract(vector, number, data.ty);
                let op = self.reducing(reduction)?;
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
                    let odd = self.extract(vector, count - 1, data.ty);
                    let op = self.reducing(reduction)?;
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
                let op = self.reducing(reduction)?;
                vector = self.add(op, smallvec![low, high], ty);
                count = half;
            }
            let last = self.extract(vector, 0, data.ty);
            let op = self.reducing(reduction)?;
            sum = Some(match sum {
                Some(sum) => self.add(op, smallvec![sum, last], data.ty),
                None => last,
            });
        }
        self.become_op(Op::Freeze, sum.into_iter().collect());
        Ok(())
    }

    /// One of `i1` is `any`, or `all`.
    fn reduce_bools(&mut self, reduction: Reduction, vector: Value) -> Result<()> {
        let name = match reduction {
            Reduction::Binary(BinaryOp::Or) | Reduction::Named("umax" | "smin") => "genx.any",
            Reduction::Binary(BinaryOp::And | BinaryOp::Mul)
            | Reduction::Named("umin" | "smax") => "genx.all",
            _ => return self.error("a reduction of i1 that is not supported"),
        };
        let op = self.intrinsic(name)?;
        self.become_op(op, smallvec![vector]);
        Ok(())
    }
}
