//! Divergent control flow as masks: `goto` and `join` become logic on their masks, and scalar branches.
//!
//! Takes any use of the two intrinsics; afterwards there is none. The masks are those that the language reference
//! defines: a `goto` turns the channels off whose condition is false, and puts them into the mask of its join; a
//! join turns the channels of its mask on again. Each says if no channel is on. It is correct for all uses, so that
//! the rules under which the hardware's own instructions could be used need not hold.

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Intrinsic, Kind};
use crate::ir::{BinaryOp, Function, Inst, InstData, Module, Op, Scalar, Type, Types, Value};

/// Lowers all `goto` and `join`.
///
/// # Errors
/// One has other operands than it should.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let mut results = HashMap::new();
    for block in function.order.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len());
        for inst in insts {
            match function.insts[inst].op {
                Op::Intrinsic(intrinsic) if matches!(intrinsic.kind(), Kind::Goto | Kind::Join) => {
                    let goto = matches!(intrinsic.kind(), Kind::Goto);
                    let mut lower = Lower {
                        module,
                        function,
                        new: &mut new,
                        inst,
                        results: &mut results,
                    };
                    lower.run(goto)?;
                }
                _ => new.push(inst),
            }
        }
        function.blocks[block].insts = new;
    }
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

struct Lower<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    new: &'a mut Vec<Inst>,
    inst: Inst,
    results: &'a mut HashMap<Value, Vec<Value>>,
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
            flags: Default::default(),
            align: 0,
            loc: data.loc,
            dbg: data.dbg,
        });
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.insts[self.inst].args[0],
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.add(Op::Binary(op), smallvec![a, b], ty)
    }

    fn not(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let count = self.module.types.count(ty).unwrap_or(1);
        let ones = match self.module.types.count(ty) {
            Some(_) => self
                .function
                .constant(ty, crate::ir::Const::Vector(vec![1; count as usize].into())),
            None => self.function.bits(ty, 1),
        };
        self.binary(BinaryOp::Xor, value, ones)
    }

    /// The first elements of a mask.
    fn narrow(&mut self, mask: Value, count: u32) -> Value {
        let ty = self.function.ty(mask);
        if self.module.types.count(ty) == Some(count) {
            return mask;
        }
        let narrow = self.module.types.shaped(Some(count), Scalar::Int(1));
        let numbers: Box<[u32]> = (0..count).collect();
        self.add(Op::Shuffle(numbers), smallvec![mask, mask], narrow)
    }

    /// A mask with other first elements; the others are kept if `fill` is not given, else its.
    fn widen(&mut self, mask: Value, wide: Type, rest: Value) -> Result<Value> {
        if self.function.ty(mask) == wide {
            return Ok(mask);
        }
        let Ok(write) = Intrinsic::named("genx.wrpredregion") else {
            return self.error("no predicate regions");
        };
        let zero = self.function.bits(Types::I32, 0);
        Ok(self.add(Op::Intrinsic(write), smallvec![rest, mask, zero], wide))
    }

    fn error<T>(&self, message: &str) -> Result<T> {
        let loc = self.function.insts[self.inst].loc;
        Err(Diagnostic::new(Code::Operand, loc, message))
    }

    fn run(&mut self, goto: bool) -> Result<()> {
        let args = self.function.insts[self.inst].args.clone();
        if args.len() != if goto { 3 } else { 2 } {
            return self.error("goto has three operands, join two");
        }
        let wide = self.function.ty(args[0]);
        let narrow = self.function.ty(args[1]);
        let types = &self.module.types;
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
        let results = if goto {
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
        };
        if let Some(result) = self.function.insts[self.inst].result {
            self.results.insert(result, results);
        }
        Ok(())
    }

    fn none(&mut self, mask: Value) -> Result<Value> {
        let Ok(any) = Intrinsic::named("genx.any") else {
            return self.error("no reduction");
        };
        let some = self.add(Op::Intrinsic(any), smallvec![mask], Types::I1);
        Ok(self.not(some))
    }
}
