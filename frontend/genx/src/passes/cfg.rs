//! Unreachable blocks and critical edges.
//!
//! Takes any function. Afterwards every block is reached from the entry, a phi has an operand for each predecessor
//! and no other, and no edge goes from a block with several successors to one with several predecessors that has
//! phis, so that the copies of a phi fit at the end of a predecessor.

use cranelift_entity::SecondaryMap;
use smallvec::smallvec;

use crate::intrinsics::Kind;
use crate::ir::rules;
use crate::ir::{Block, Function, Inst, InstData, Op, Types};

/// Ends blocks at their traps: no thread gets past one.
fn end_at_traps(function: &mut Function) {
    let Function { blocks, insts, .. } = function;
    for data in blocks.values_mut() {
        let is_trap = |inst: &Inst| matches!(insts[*inst].op, Op::Intrinsic(i) if matches!(i.kind(), Kind::Trap));
        if let Some(at) = data.insts.iter().position(is_trap) {
            data.insts.truncate(at + 1);
            let trap = &mut insts[data.insts[at]];
            (trap.op, trap.args) = (Op::Unreachable, smallvec![]);
        }
    }
}

/// Removes blocks that are not reached, and what follows on traps.
pub fn prune(function: &mut Function) {
    end_at_traps(function);
    let mut reached: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut work: Vec<Block> = function.order.first().copied().into_iter().collect();
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut reached[block], true) {
            continue;
        }
        work.extend(function.successors(block));
    }
    function.order.retain(|block| reached[*block]);
    let preds = crate::emit::predecessors(function);
    for block in function.order.clone() {
        for inst in function.blocks[block].insts.clone() {
            let data = &mut function.insts[inst];
            if data.op != Op::Phi {
                continue;
            }
            let mut seen: Vec<Block> = Vec::new();
            let (mut args, mut targets) = (smallvec![], smallvec![]);
            for (arg, from) in data.args.iter().zip(&data.targets) {
                if preds[block].contains(from) && !seen.contains(from) {
                    seen.push(*from);
                    args.push(*arg);
                    targets.push(*from);
                }
            }
            (data.args, data.targets) = (args, targets);
        }
    }
}

/// Splits critical edges.
pub fn split_edges(function: &mut Function) {
    let preds = crate::emit::predecessors(function);
    let mut order = Vec::with_capacity(function.order.len());
    for block in function.order.clone() {
        order.push(block);
        let Some(&last) = function.blocks[block].insts.last() else {
            continue;
        };
        let mut targets = function.insts[last].targets.clone();
        targets.sort_unstable();
        targets.dedup();
        if targets.len() < 2 {
            continue;
        }
        for target in targets {
            let has_phi = function.blocks[target]
                .insts
                .first()
                .is_some_and(|inst| function.insts[*inst].op == Op::Phi);
            if preds[target].len() < 2 || !has_phi {
                continue;
            }
            let middle = function.blocks.push(Default::default());
            let branch = function.make(InstData {
                targets: smallvec![target],
                loc: function.insts[last].loc,
                ..rules::data(Op::Br, smallvec![], Types::VOID)
            });
            function.blocks[middle].insts.push(branch);
            for to in &mut function.insts[last].targets {
                if *to == target {
                    *to = middle;
                }
            }
            for inst in function.blocks[target].insts.clone() {
                let data = &mut function.insts[inst];
                if data.op == Op::Phi {
                    data.targets
                        .iter_mut()
                        .filter(|from| **from == block)
                        .for_each(|from| *from = middle);
                }
            }
            order.push(middle);
        }
    }
    function.order = order;
}
