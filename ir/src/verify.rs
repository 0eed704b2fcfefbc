//! The verifier of the IR: SSA form, edge arguments, no critical edges. It runs where stages are verified.

use std::ops::Range;

use cranelift_entity::SecondaryMap;

use crate::dominators::Dominators;
use crate::func::{Block, Def, Function, Inst, Routine, Value};

/// A broken invariant.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("{0}: value {1} is not defined on every path there")]
    NotDominated(Block, Value),
    #[error("{0}: {1} arguments for {2} parameters of {3}")]
    Arguments(Block, usize, usize, Block),
    #[error("{0} -> {1} is a critical edge")]
    Critical(Block, Block),
    #[error("{0}: instruction {1} has a value of another cell")]
    WrongCell(Block, Inst),
}

/// Checks SSA form, edge arguments and the shape of the linear graph.
///
/// # Errors
/// The first broken invariant.
pub fn verify(func: &Function) -> Result<(), VerifyError> {
    let doms = Dominators::new(func);
    // By instruction: its block.
    let mut block_of = vec![Block::from_u32(0); func.insts.len()];
    for b in func.blocks.keys() {
        for inst in func.block_insts(b) {
            block_of[inst.as_u32() as usize] = b;
        }
    }
    // By value: the routine that it is an input of.
    let mut input_of: SecondaryMap<Value, Option<Routine>> = SecondaryMap::new();
    for (r, routine) in &func.routines {
        let entry = if r.as_u32() == 0 {
            &func.entry
        } else {
            &routine.params
        };
        for &(_, value) in entry {
            input_of[value] = Some(r);
        }
    }
    // A use by instruction `at` of block `b`; `None` is the block's end.
    let check = |value: Value, b: Block, at: Option<Inst>| {
        let ok = match func.values[value].def {
            Def::Undef => true,
            Def::Entry => input_of[value].is_some_and(|r| {
                let Range { start, end } = func.routines[r].blocks;
                (start..end).contains(&b)
            }),
            Def::Param(p) => doms.dominates(p, b),
            Def::Inst(i) => {
                let d = block_of[i.as_u32() as usize];
                if d == b {
                    at.is_none_or(|at| i < at)
                } else {
                    doms.dominates(d, b)
                }
            }
        };
        if ok {
            Ok(())
        } else {
            Err(VerifyError::NotDominated(b, value))
        }
    };
    for (b, data) in func.blocks.iter().filter(|(b, _)| doms.is_reachable(*b)) {
        for inst in func.block_insts(b) {
            for r in func.reads(inst) {
                check(r.value, b, Some(inst))?;
                if !r.value.is_undef() && func.values[r.value].cell.expand() != Some(r.cell) {
                    return Err(VerifyError::WrongCell(b, inst));
                }
            }
            for w in func.writes(inst) {
                if let Some(old) = w.old.expand() {
                    check(old, b, Some(inst))?;
                }
                if func.values[w.new].cell.expand() != Some(w.cell) {
                    return Err(VerifyError::WrongCell(b, inst));
                }
            }
        }
        for edge in &data.succs {
            let to = &func.blocks[edge.to];
            if edge.args.len() != to.params.len() {
                return Err(VerifyError::Arguments(
                    b,
                    edge.args.len(),
                    to.params.len(),
                    edge.to,
                ));
            }
            if data.succs.len() > 1 && to.preds.len() > 1 {
                return Err(VerifyError::Critical(b, edge.to));
            }
            for &arg in &edge.args {
                check(arg, b, None)?;
            }
        }
    }
    for routine in func.routines.values() {
        let Some(exit) = routine.exit.expand() else {
            continue;
        };
        for &(_, value) in &routine.results {
            check(value, exit, None)?;
        }
    }
    Ok(())
}
