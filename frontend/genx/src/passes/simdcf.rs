//! Divergent control flow as masks: `goto` and `join` become logic on their masks, and scalar branches.
//!
//! Takes any use of the two intrinsics and removes all of them. The masks are those that the language reference
//! defines: a `goto` turns the channels off whose condition is false, and puts them into the mask of its join; a
//! join turns the channels of its mask on again. Each says if no channel is on. It is correct for all uses, so that
//! the rules under which the hardware's own instructions could be used need not hold.

use std::collections::HashMap;

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use crate::error::{Code, Diagnostic, Result};
use crate::ir::{BinaryOp, Function, Module, Op, Scalar, Type, Types, Value};

/// Lowers all `goto` and `join`.
///
/// # Errors
/// One has other operands than it should.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let mut results = HashMap::new();
    let wants = |_: &_, function: &Function, inst| function.is_goto(inst).is_some();
    rewrite(&mut module.types, function, wants, |builder| {
        let asm = builder
            .function
            .insts
            .values()
            .find(|data| matches!(data.op, Op::Asm(_)));
        if let Some(asm) = asm {
            let message = "inline assembly is in a function whose channels diverge in another way than the hardware's";
            return Err(Diagnostic::new(Code::Instruction, asm.loc, message));
        }
        let goto = builder.function.is_goto(builder.inst) == Some(true);
        let masks = builder.masks(goto)?;
        if let Some(result) = builder.function.insts[builder.inst].result {
            results.insert(result, masks);
        }
        Ok(())
    })?;
    if results.is_empty() {
        return Ok(());
    }
    // Each `extractvalue` is a copy of what it takes out.
    for data in function.insts.values_mut() {
        if let Op::ExtractValue(path) = &data.op
            && let Some(results) = data.args.first().and_then(|arg| results.get(arg))
            && let Some(value) = path.first().and_then(|i| results.get(*i as usize))
        {
            data.args = smallvec![*value];
            data.op = Op::Freeze;
        }
    }
    Ok(())
}

impl Builder<'_> {
    fn not(&mut self, mask: Value) -> Value {
        self.binary_bits(BinaryOp::Xor, mask, 1)
    }

    /// The first elements of a mask.
    fn narrow(&mut self, mask: Value, count: u32) -> Value {
        let ty = self.function.ty(mask);
        if self.types.count(ty) == Some(count) {
            return mask;
        }
        let narrow = self.types.shaped(Some(count), Scalar::Int(1));
        let numbers: Box<[u32]> = (0..count).collect();
        self.add(Op::Shuffle(numbers), smallvec![mask, mask], narrow)
    }

    /// A mask with other first elements; the others are kept if `fill` is not given, else its.
    fn widen(&mut self, mask: Value, wide: Type, rest: Value) -> Result<Value> {
        if self.function.ty(mask) == wide {
            return Ok(mask);
        }
        let write = self.intrinsic("genx.wrpredregion")?;
        let zero = self.function.bits(Types::I32, 0);
        Ok(self.add(write, smallvec![rest, mask, zero], wide))
    }

    /// The masks after a `goto` or `join`, and true if no channel is on.
    fn masks(&mut self, goto: bool) -> Result<Vec<Value>> {
        let args = self.function.insts[self.inst].args.clone();
        if args.len() != if goto { 3 } else { 2 } {
            return self.error("goto has three operands, join two");
        }
        let wide = self.function.ty(args[0]);
        let narrow = self.function.ty(args[1]);
        let types = &*self.types;
        let counts = (types.count(wide), types.count(narrow).or(Some(1)));
        let (Some(most), Some(count)) = counts else {
            return self.error("the execution mask is a vector of i1");
        };
        if !types.is_bool(wide) || !types.is_bool(narrow) || count > most || most > 32 {
            return self.error(
                "masks are vectors of i1, the resume mask no wider than the execution mask",
            );
        }
        let old = self.narrow(args[0], count);
        Ok(if goto {
            if self.function.ty(args[2]) != narrow {
                return self.error("the condition has another type than the resume mask");
            }
            let off = self.not(args[2]);
            let leaving = self.binary(BinaryOp::And, off, old);
            let resume = self.binary(BinaryOp::Or, args[1], leaving);
            let on = self.binary(BinaryOp::And, old, args[2]);
            let em = self.widen(on, wide, args[0])?;
            vec![em, resume, self.none(on)?]
        } else {
            let on = self.binary(BinaryOp::Or, old, args[1]);
            let em = self.widen(on, wide, args[0])?;
            vec![em, self.none(on)?]
        })
    }

    fn none(&mut self, mask: Value) -> Result<Value> {
        let any = self.intrinsic("genx.any")?;
        let some = self.add(any, smallvec![mask], Types::I1);
        Ok(self.not(some))
    }
}
