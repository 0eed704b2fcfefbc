//! Backward gotos whose channels would not wait at a join.
//!
//! The channels that do not take a backward goto wait at its jump target. That must be the join that the other exits
//! of the loop lead to, or the channels are never reached. Allocation may have put moves between the two. Such a goto
//! is inverted: a forward goto sends the exiting channels to the join itself, and a scalar jump takes the others
//! back. When no channel is left, execution continues at the moves, which need none.
//!
//! Takes a program whose branches name blocks. Guarantees that every predicated backward goto left stands directly
//! before the join that it names.

use crate::assemble::Program;
use crate::inst::{Inst, Op, Target};

/// Inverts the backward gotos whose channels would not wait at a join.
pub fn invert(program: &mut Program) {
    let backward = |i: &Inst| i.op == Op::Goto && i.opts.branch_ctrl && i.pred.is_some();
    for block in 0..program.blocks.len() {
        let at = program.blocks[block].iter().position(backward);
        if let Some(at) = at
            && let Some(join) = misplaced(program, block, at)
        {
            let insts = &mut program.blocks[block];
            // The rest of the block could only jump to where the goto continues anyway.
            insts.truncate(at + 1);
            let goto = &mut insts[at];
            let mut back = Inst::new(Op::Jmpi, 1);
            back.no_mask = true;
            back.jip = goto.uip;
            // The exiting channels are those that did not take the goto.
            if let Some(pred) = &mut goto.pred {
                pred.inverse = !pred.inverse;
            }
            goto.opts.branch_ctrl = false;
            goto.uip = Some(Target::Block(join));
            insts.push(back);
        }
    }
}

/// The join for the channels that do not take a backward goto; none if it already follows the goto.
fn misplaced(program: &Program, block: usize, at: usize) -> Option<u32> {
    let Some(Target::Block(jip)) = program.blocks[block][at].jip else {
        return None;
    };
    let join = join_at_or_after(program, jip)?;
    let last = at + 1 == program.blocks[block].len();
    let next = (block + 1..program.blocks.len()).find(|&b| !program.blocks[b].is_empty());
    let follows = last && next == Some(join as usize) && jip == join;
    (!follows).then_some(join)
}

/// The block that starts with the first join at or after `from`, on a path without branches.
fn join_at_or_after(program: &Program, from: u32) -> Option<u32> {
    let mut block = from;
    // The bound ends a cycle of jumps.
    for _ in 0..program.blocks.len() {
        let mut next = block + 1;
        for (index, inst) in program.blocks.get(block as usize)?.iter().enumerate() {
            match (inst.op, inst.jip) {
                (Op::Join, _) => return (index == 0).then_some(block),
                (Op::Jmpi, Some(Target::Block(to))) if inst.pred.is_none() => {
                    next = to;
                    break;
                }
                _ if inst.jip.is_some() || inst.msg.is_some_and(|m| m.eot) || !inst.no_mask => {
                    return None;
                }
                _ => {}
            }
        }
        block = next;
    }
    None
}
