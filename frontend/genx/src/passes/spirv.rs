//! Functions of SPIR-V that have other operands than the instructions and intrinsics of LLVM.
//!
//! Takes any function. Afterwards no atomic access has the operands of SPIR-V (pointer, scope, semantics, values), no function
//! stores its second result by itself, and pointers to any memory become others by casts.

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use crate::error::Result;
use crate::intrinsics::Kind;
use crate::ir::{CastOp, Function, Inst, Module, Op, Scalar, TypeData, Types, atomics};

/// Replaces these functions.
///
/// # Errors
/// An operand is missing.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let wants = |_: &Types, function: &Function, inst| kind(function, inst).is_some();
    rewrite(&mut module.types, function, wants, |b| {
        match kind(b.function, b.inst) {
            Some(Kind::Scoped(name)) => b.in_order(name),
            Some(Kind::Stored(name)) => b.and_stored(name),
            // A pointer has no mark of its memory: a null for another kind is never made.
            Some(Kind::FromGeneric) => {
                let pointer = b.function.insts[b.inst].args[0];
                b.become_op(Op::Cast(CastOp::AddrSpaceCast), smallvec![pointer]);
                Ok(())
            }
            _ => b.error("no such function"),
        }
    })
}

/// Kind of an instruction that this pass replaces.
fn kind(function: &Function, inst: Inst) -> Option<Kind> {
    match &function.insts[inst].op {
        Op::Intrinsic(intrinsic) => {
            let kind = intrinsic.kind();
            matches!(kind, Kind::Scoped(_) | Kind::Stored(_) | Kind::FromGeneric).then_some(kind)
        }
        _ => None,
    }
}

impl Builder<'_> {
    /// Replaces an access with the operands of SPIR-V by one whose ordering is the last.
    fn in_order(&mut self, name: &str) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        let op = self.intrinsic(name)?;
        let &[pointer, _, semantics, ref values @ ..] = &args[..] else {
            return self.error("a pointer, a scope and semantics are expected");
        };
        let said = self.function.as_bits(semantics);
        // A variable may say any ordering.
        let ordering = said.map_or(Some(atomics::SEQUENTIAL), atomics::of_semantics);
        let ordering = atomics::ordering(self.function, ordering.unwrap_or(atomics::MONOTONIC));
        match (name, values) {
            (atomics::LOAD, _) => self.become_op(op, smallvec![pointer, ordering]),
            (atomics::STORE, &[value]) => self.become_op(op, smallvec![value, pointer, ordering]),
            (atomics::EXCHANGE, &[_, value, expected]) => {
                let ty = self.function.ty(value);
                let pair = self.types.get(TypeData::Struct(vec![ty, Types::I1], false));
                let found = self.add(op, smallvec![pointer, expected, value, ordering], pair);
                self.become_op(Op::ExtractValue(smallvec![0]), smallvec![found]);
            }
            (_, &[value]) => self.become_op(op, smallvec![pointer, value, ordering]),
            _ => {
                // A count goes by one.
                let one = self.function.bits(self.function.insts[self.inst].ty, 1);
                self.become_op(op, smallvec![pointer, one, ordering]);
            }
        }
        Ok(())
    }

    /// Replaces a function of which one result goes to memory by one with two results, and a store.
    fn and_stored(&mut self, name: &str) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        let &[x, to] = &args[..] else {
            return self.error("a number and a pointer are expected");
        };
        let own = self.function.ty(x);
        let second = match name {
            "frexp" => self.shaped(x, Scalar::Int(u32::BITS)),
            _ => own,
        };
        let both = self.types.get(TypeData::Struct(vec![own, second], false));
        let op = self.intrinsic(name)?;
        let both = self.add(op, smallvec![x], both);
        let part = self.add(Op::ExtractValue(smallvec![1]), smallvec![both], second);
        self.add(Op::Store, smallvec![part, to], Types::VOID);
        self.become_op(Op::ExtractValue(smallvec![0]), smallvec![both]);
        Ok(())
    }
}
