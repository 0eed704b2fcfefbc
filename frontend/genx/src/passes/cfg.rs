//! Unreachable blocks, blocks in a row, and critical edges.
//!
//! Takes any function. Afterwards every block is reached from the entry, a phi has an operand for each predecessor
//! and no other, a block that is the only way into another and out of it is one with it where channels do not part, and no edge goes from a block with several successors to one with several predecessors that has
//! phis, so that the copies of a phi fit at the end of a predecessor.

use cranelift_entity::SecondaryMap;
use smallvec::smallvec;

use super::builder::come_from;
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
    join_rows(function);
}

/// Makes one block of each row of blocks that are entered by the one before alone, and left for the one after alone.
fn join_rows(function: &mut Function) {
    let preds = crate::emit::predecessors(function);
    let entry = function.order.first().copied();
    let parts = |function: &Function, block: Block| {
        let insts = &function.blocks[block].insts;
        insts.iter().any(|inst| function.is_goto(*inst).is_some())
    };
    let mut is_joined: SecondaryMap<Block, bool> = SecondaryMap::new();
    // The first block of a row comes before the others.
    for block in function.reverse_postorder() {
        if is_joined[block] || parts(function, block) {
            continue;
        }
        let mut last = block;
        while let &[next] = function.successors(block) {
            let is_row = preds[next].as_slice() == [last] && Some(next) != entry && next != block;
            if !is_row || parts(function, next) {
                break;
            }
            let mut insts = std::mem::take(&mut function.blocks[next].insts);
            for inst in &insts {
                // A phi of one predecessor is a copy.
                let data = &mut function.insts[*inst];
                if data.op == Op::Phi {
                    data.op = Op::Freeze;
                    data.targets.clear();
                }
            }
            let row = &mut function.blocks[block].insts;
            row.pop();
            row.append(&mut insts);
            is_joined[next] = true;
            last = next;
        }
        if last != block {
            come_from(function, last, block);
        }
    }
    function.order.retain(|block| !is_joined[*block]);
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
