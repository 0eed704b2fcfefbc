//! Rules that hold of every module: after it was read, and after each pass.
//!
//! Each operation has its operands and types ([`super::rules`]); blocks end with their only terminator; a phi has a
//! value for each predecessor; a value's definition dominates its uses (dominators by Cooper, Harvey and Kennedy, "A
//! Simple, Fast Dominance Algorithm"); calls have the arguments of the function.

use cranelift_entity::SecondaryMap;

use super::function::{Block, Function, Inst, Op, Value, ValueDef};
use super::module::Module;
use super::rules;
use super::types::{TypeData, Types};
use crate::error::{Code, Diagnostic, Error, Loc, Result};

/// Checks all functions of a module.
///
/// # Errors
/// The first rule that is broken.
pub fn module(module: &mut Module) -> Result<()> {
    let mut types = std::mem::take(&mut module.types);
    let mut functions = module.functions.values();
    let checked = functions.try_for_each(|function| {
        self::function(&mut types, function)?;
        calls(&types, module, function)
    });
    module.types = types;
    checked
}

fn error<T>(loc: Loc, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::new(Code::Mismatch, loc, message))
}

/// Checks a function by itself.
///
/// # Errors
/// The first rule that is broken.
pub fn function(types: &mut Types, function: &Function) -> Result<()> {
    if function.is_declaration() {
        return Ok(());
    }
    let preds = crate::emit::predecessors(function);
    if !preds[function.order[0]].is_empty() {
        return error(function.loc, "a branch goes to the first block");
    }
    let doms = Dominators::new(function, &preds);
    let mut places: SecondaryMap<Value, Option<(Block, usize)>> = SecondaryMap::new();
    for block in &function.order {
        for (i, inst) in function.blocks[*block].insts.iter().enumerate() {
            let data = &function.insts[*inst];
            let Some(result) = data.result else { continue };
            if function.values[result].def != ValueDef::Inst(*inst) || places[result].is_some() {
                return error(data.loc, "an instruction is in the code twice");
            }
            places[result] = Some((*block, i));
        }
    }
    let check = Check {
        function,
        preds: &preds,
        doms: &doms,
        places: &places,
    };
    function
        .order
        .iter()
        .try_for_each(|block| check.block(types, *block))
}

/// Checks the arguments of calls.
fn calls(types: &Types, module: &Module, function: &Function) -> Result<()> {
    let insts = function
        .order
        .iter()
        .flat_map(|block| &function.blocks[*block].insts);
    for data in insts.map(|inst| &function.insts[*inst]) {
        let Op::Call(callee) = data.op else { continue };
        let callee = &module.functions[callee];
        let params = callee.params.iter().map(|param| callee.ty(*param));
        let args = data.args.iter().map(|arg| function.ty(*arg));
        let count = match callee.variadic {
            true => data.args.len() >= callee.params.len(),
            false => data.args.len() == callee.params.len(),
        };
        let fit = params
            .zip(args)
            .all(|(param, arg)| rules::fits(types, arg, param));
        if !count || !fit || !rules::fits(types, callee.result, data.ty) {
            let message = format!("@{} has other parameters or another result", callee.name);
            return error(data.loc, message);
        }
    }
    Ok(())
}

struct Check<'a> {
    function: &'a Function,
    preds: &'a SecondaryMap<Block, Vec<Block>>,
    doms: &'a Dominators,
    places: &'a SecondaryMap<Value, Option<(Block, usize)>>,
}

impl Check<'_> {
    fn block(&self, types: &mut Types, block: Block) -> Result<()> {
        let insts = &self.function.blocks[block].insts;
        let mut phis = true;
        for (i, inst) in insts.iter().enumerate() {
            let data = &self.function.insts[*inst];
            let is_last = i + 1 == insts.len();
            if data.op.is_terminator() != is_last {
                return error(data.loc, "a block ends with its only terminator");
            }
            if data.op == Op::Phi && !phis {
                return error(data.loc, "a phi follows another instruction");
            }
            phis &= data.op == Op::Phi;
            self.inst(types, *inst)?;
            self.uses(block, i, *inst)?;
        }
        match insts.is_empty() {
            true => error(self.function.loc, "a block without instructions"),
            false => Ok(()),
        }
    }

    fn inst(&self, types: &mut Types, inst: Inst) -> Result<()> {
        let data = &self.function.insts[inst];
        let ty = rules::check(types, self.function, &data.op, &data.args, data.ty);
        let ty = ty.map_err(|fault| -> Error { fault.at(data.loc) })?;
        let result = data
            .result
            .map_or(Types::VOID, |result| self.function.ty(result));
        if !rules::fits(types, ty, data.ty) || result != data.ty {
            let message = format!(
                "the result is {}, not {}",
                types.name(ty),
                types.name(data.ty)
            );
            return error(data.loc, message);
        }
        let targets = match &data.op {
            Op::Br => 1,
            Op::CondBr => 2,
            Op::Switch(numbers) => numbers.len() + 1,
            Op::Phi => data.args.len(),
            _ => 0,
        };
        if data.targets.len() != targets {
            return error(data.loc, "an instruction has too many or too few blocks");
        }
        let is_value = |arg: &Value| {
            let ty = self.function.ty(*arg);
            !matches!(types.data(ty), TypeData::Void | TypeData::Label)
        };
        match data.args.iter().all(is_value) {
            true => Ok(()),
            false => error(data.loc, "an operand is no value"),
        }
    }

    fn uses(&self, block: Block, at: usize, inst: Inst) -> Result<()> {
        let data = &self.function.insts[inst];
        if data.op == Op::Phi {
            let sorted = |blocks: &[Block]| {
                let mut blocks = blocks.to_vec();
                blocks.sort_unstable();
                blocks.dedup();
                blocks
            };
            let both = sorted(&self.preds[block]) == sorted(&data.targets);
            if !both {
                return error(
                    data.loc,
                    "a phi has a value for each predecessor, and no other",
                );
            }
        }
        for (i, arg) in data.args.iter().enumerate() {
            match self.function.values[*arg].def {
                ValueDef::Inst(_) => {}
                ValueDef::Forward => return error(data.loc, "an operand has no definition"),
                ValueDef::Param(n) if self.function.params.get(n as usize) != Some(arg) => {
                    return error(data.loc, "an operand is the parameter of another function");
                }
                _ => continue,
            }
            let (from, end) = match data.op {
                Op::Phi => (data.targets[i], usize::MAX),
                _ => (block, at),
            };
            let Some((defined, place)) = self.places[*arg] else {
                if !self.doms.is_reached(from) {
                    continue;
                }
                return error(data.loc, "an operand's definition is in no block");
            };
            let dominates = match defined == from {
                true => place < end,
                false => self.doms.dominates(defined, from),
            };
            if self.doms.is_reached(from) && !dominates {
                return error(data.loc, "an operand is used before its definition");
            }
        }
        Ok(())
    }
}

/// The tree of dominators.
struct Dominators {
    /// Place in reverse postorder, plus 1; 0 if it is not reached.
    order: SecondaryMap<Block, u32>,
    /// First and last number in a walk of the tree.
    span: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    fn new(function: &Function, preds: &SecondaryMap<Block, Vec<Block>>) -> Dominators {
        let blocks = function.reverse_postorder();
        let mut order: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (i, block) in (1..).zip(&blocks) {
            order[*block] = i;
        }
        // Parents by place; 0 is none.
        let mut parents = vec![0u32; blocks.len() + 1];
        parents[1] = 1;
        let mut changed = true;
        while changed {
            changed = false;
            for block in &blocks[1..] {
                let mut new = 0;
                for pred in &preds[*block] {
                    let pred = order[*pred];
                    if pred == 0 || parents[pred as usize] == 0 {
                        continue;
                    }
                    new = if new == 0 {
                        pred
                    } else {
                        meet(&parents, new, pred)
                    };
                }
                let at = order[*block] as usize;
                if parents[at] != new {
                    parents[at] = new;
                    changed = true;
                }
            }
        }
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); blocks.len() + 1];
        for at in 2..parents.len() {
            children[parents[at] as usize].push(at as u32);
        }
        let mut span: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        let (mut work, mut next) = (vec![(1u32, false)], 0);
        while let Some((at, done)) = work.pop() {
            let block = blocks[at as usize - 1];
            if done {
                span[block].1 = next;
                continue;
            }
            span[block].0 = next;
            next += 1;
            work.push((at, true));
            work.extend(children[at as usize].iter().map(|child| (*child, false)));
        }
        Dominators { order, span }
    }

    fn is_reached(&self, block: Block) -> bool {
        self.order[block] > 0
    }

    fn dominates(&self, a: Block, b: Block) -> bool {
        let ((first, end), (at, _)) = (self.span[a], self.span[b]);
        self.is_reached(a) && (first..end).contains(&at)
    }
}

/// The nearest block that dominates two.
fn meet(parents: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        match a > b {
            true => a = parents[a as usize],
            false => b = parents[b as usize],
        }
    }
    a
}
