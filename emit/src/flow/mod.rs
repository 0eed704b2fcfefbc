//! Control flow after register allocation: passes over a [`Program`].
//!
//! Allocation may put moves on any edge, and only then is it known which edges are empty. The passes that depend on
//! it are here. `docs/control-flow.md` argues why no channel is lost.
//!
//! The predicate of a goto names the channels that take it, on all platforms: [`forms`](crate::forms) gives forward gotos
//! the other sense where the hardware has that.

pub mod backward;
pub mod predicate;
pub mod redundant;
pub mod shared;
pub mod structure;

use crate::assemble::Program;
use crate::inst::{Inst, Op, Place, PredCtrl, Src, Target};

/// The absent block.
const NONE: u32 = u32::MAX;

/// True for a forward goto.
pub(crate) fn is_forward(inst: &Inst) -> bool {
    inst.op == Op::Goto && !inst.opts.branch_ctrl
}

fn starts_with_join(block: &[Inst]) -> bool {
    block.first().is_some_and(|inst| inst.op == Op::Join)
}

/// Number of instructions at the end of a block that send all channels ahead, if they do: a goto without a predicate,
/// or one whose predicate is a flag that the instruction before has cleared for it.
fn leaving(block: &[Inst]) -> Option<usize> {
    let goto = block.last().filter(|inst| is_forward(inst))?;
    let Some(pred) = goto.pred else {
        return Some(1);
    };
    let zero = block.len().checked_sub(2).map(|at| &block[at])?;
    let dst = zero.dst?;
    let bits = dst.ty.bytes() * 8;
    let cleared = pred.ctrl == PredCtrl::Normal
        && pred.inverse
        && zero.op == Op::Mov
        && zero.exec_size == 1
        && zero.no_mask
        && zero.pred.is_none()
        && zero.cond.is_none()
        && dst.place == Place::Direct(pred.flag)
        && bits >= u32::from(goto.chan_off + goto.exec_size)
        && matches!(zero.srcs[..], [Src::Imm { bits: 0, .. }]);
    cleared.then_some(2)
}

/// Removes the goto that ends a block, and the instruction that clears its flag if all channels take it.
fn drop_goto(block: &mut Vec<Inst>) {
    let count = leaving(block).unwrap_or(1);
    block.truncate(block.len() - count);
}

fn number(target: Option<Target>) -> Option<u32> {
    match target {
        Some(Target::Block(block)) => Some(block),
        _ => None,
    }
}

/// The branches to each block. A block without instructions stands for the next one that has some.
struct BranchTargets {
    /// First block from each block on that has instructions, or the number of blocks.
    nonempty: Vec<u32>,
    /// Number of gotos whose channels wait at the block.
    waiters: Vec<u32>,
    /// Block of the last of those gotos, if it is a forward one that ends its block.
    waiter: Vec<u32>,
    /// Number of gotos and joins that jump there with no channel active.
    jumps: Vec<u32>,
    /// True if the channels of a backward goto wait there.
    latched: Vec<bool>,
    /// True if a scalar jump leads there.
    jumped: Vec<bool>,
    /// True if a backward goto leads there.
    headed: Vec<bool>,
    /// True if the block is entered from moves that are executed with no channel active.
    idle: Vec<bool>,
}

impl BranchTargets {
    fn new(program: &Program) -> BranchTargets {
        let count = program.blocks.len();
        let mut names = BranchTargets {
            nonempty: vec![count as u32; count + 1],
            waiters: vec![0; count + 1],
            waiter: vec![NONE; count + 1],
            jumps: vec![0; count + 1],
            latched: vec![false; count + 1],
            jumped: vec![false; count + 1],
            headed: vec![false; count + 1],
            idle: vec![false; count + 1],
        };
        for b in (0..count).rev() {
            names.nonempty[b] = match program.blocks[b].is_empty() {
                true => names.nonempty[b + 1],
                false => b as u32,
            };
        }
        for (b, block) in program.blocks.iter().enumerate() {
            for (i, inst) in block.iter().enumerate() {
                match inst.op {
                    Op::Jmpi => {
                        if let Some(to) = names.to(inst.jip) {
                            names.jumped[to as usize] = true;
                        }
                    }
                    Op::Goto => {
                        let forward = is_forward(inst);
                        let at = if forward { inst.uip } else { inst.jip };
                        if let Some(at) = names.to(at) {
                            names.waiters[at as usize] += 1;
                            names.latched[at as usize] |= !forward;
                            let last = i + 1 == block.len();
                            names.waiter[at as usize] = match forward && last {
                                true => b as u32,
                                false => NONE,
                            };
                        }
                        if forward {
                            names.moves(program, inst.jip);
                        } else if let Some(head) = names.to(inst.uip) {
                            names.headed[head as usize] = true;
                        }
                    }
                    Op::Join => names.moves(program, inst.jip),
                    _ => {}
                }
            }
        }
        names
    }

    /// The block of a target.
    fn to(&self, target: Option<Target>) -> Option<u32> {
        number(target).and_then(|b| self.nonempty.get(b as usize).copied())
    }

    /// Counts a jump with no channel active, and marks the blocks that are entered from the moves at its target.
    fn moves(&mut self, program: &Program, target: Option<Target>) {
        let Some(mut at) = self.to(target) else {
            return;
        };
        self.jumps[at as usize] += 1;
        // A join with no channels waiting further on has the next instruction as its jump target: code, not moves.
        while let Some(block) = program.blocks.get(at as usize)
            && !starts_with_join(block)
            && block.iter().all(|inst| inst.no_mask)
        {
            at = match block.last() {
                Some(last) if last.op == Op::Jmpi && last.pred.is_none() => {
                    self.to(last.jip).unwrap_or(NONE)
                }
                Some(last) if last.op.is_branch() || last.msg.is_some_and(|m| m.eot) => return,
                _ => self.nonempty[at as usize + 1],
            };
            match self.idle.get_mut(at as usize) {
                Some(idle) if !*idle => *idle = true,
                _ => return,
            }
        }
    }
}
