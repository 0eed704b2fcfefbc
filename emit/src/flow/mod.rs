//! Control flow after register allocation: passes over a [`Program`].
//!
//! Allocation may put moves on any edge, and only then is it known which edges are empty. What
//! depends on that is done here. `docs/control-flow.md` has the argument why no channel is lost.

pub mod backward;
pub mod predicate;
pub mod redundant;
pub mod shared;
pub mod structure;

use crate::assemble::Program;
use crate::inst::{Inst, Op, Place, PredCtrl, Src, Target};
use crate::platform::Platform;

/// No block.
const NONE: u32 = u32::MAX;

/// A pass that code is right without, too.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    run: fn(&mut Program),
}

/// Those that come before loops are made of jumps back, and those that come behind.
const BEFORE: &[Pass] = &[Pass {
    name: "shared-gotos",
    run: shared::share,
}];
const BEHIND: &[Pass] = &[
    Pass {
        name: "short-ifs",
        run: predicate::predicate,
    },
    Pass {
        name: "redundant-gotos",
        run: redundant::remove,
    },
    Pass {
        name: "structure",
        run: structure::structure,
    },
];

/// The passes that may be left out, in their order.
pub fn passes() -> impl Iterator<Item = &'static Pass> {
    BEFORE.iter().chain(BEHIND)
}

/// All passes, in their order. To them the predicate of a forward goto is that of the channels which stay.
pub fn run(program: &mut Program, platform: &Platform) {
    run_without(program, platform, &[]);
}

/// The same without the passes of those names.
pub fn run_without(program: &mut Program, platform: &Platform, without: &[&str]) {
    let wanted = |pass: &&Pass| !without.contains(&pass.name);
    let on_true = !platform.goto_on_false;
    if on_true {
        invert(program);
    }
    for pass in BEFORE.iter().filter(wanted) {
        (pass.run)(program);
    }
    backward::turn_round(program);
    for pass in BEHIND.iter().filter(wanted) {
        (pass.run)(program);
    }
    if on_true {
        invert(program);
    }
}

/// Has the predicates of forward gotos mean the other channels.
fn invert(program: &mut Program) {
    for inst in program.blocks.iter_mut().flatten() {
        if is_forward(inst)
            && let Some(pred) = &mut inst.pred
        {
            pred.inverse = !pred.inverse;
        }
    }
}

/// Whether an instruction is a goto forward.
fn is_forward(inst: &Inst) -> bool {
    inst.op == Op::Goto && !inst.opts.branch_ctrl
}

fn starts_with_join(block: &[Inst]) -> bool {
    block.first().is_some_and(|inst| inst.op == Op::Join)
}

/// How many instructions at the end of a block send all channels ahead, if they do: a goto without a predicate,
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
        && !pred.inverse
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

/// Takes out the goto that ends a block, and what clears its flag if all channels take it.
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

/// Which branches name each block. A block without instructions stands for the next one that has
/// some.
struct Names {
    /// For each block the first from there on that has instructions, or the number of blocks.
    solid: Vec<u32>,
    /// Gotos whose channels wait at the block.
    waiters: Vec<u32>,
    /// The block of the last of them, if it is a forward one that ends its block.
    waiter: Vec<u32>,
    /// Gotos and joins that go on there with no channel active.
    jumps: Vec<u32>,
    /// A backward one is among the gotos that wait.
    latched: Vec<bool>,
    /// A scalar jump leads there.
    jumped: Vec<bool>,
    /// A backward goto leads there.
    headed: Vec<bool>,
    /// It is fallen or jumped into behind moves that are executed without an active channel.
    idle: Vec<bool>,
}

impl Names {
    fn new(program: &Program) -> Names {
        let count = program.blocks.len();
        let mut names = Names {
            solid: vec![count as u32; count + 1],
            waiters: vec![0; count + 1],
            waiter: vec![NONE; count + 1],
            jumps: vec![0; count + 1],
            latched: vec![false; count + 1],
            jumped: vec![false; count + 1],
            headed: vec![false; count + 1],
            idle: vec![false; count + 1],
        };
        for b in (0..count).rev() {
            names.solid[b] = match program.blocks[b].is_empty() {
                true => names.solid[b + 1],
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

    /// The block that a target names.
    fn to(&self, target: Option<Target>) -> Option<u32> {
        number(target).and_then(|b| self.solid.get(b as usize).copied())
    }

    /// Counts a jump with no channel active, and marks the blocks that are entered from moves behind
    /// its target.
    fn moves(&mut self, program: &Program, target: Option<Target>) {
        let Some(mut at) = self.to(target) else {
            return;
        };
        self.jumps[at as usize] += 1;
        // The jump target of a join beyond which nobody waits is what follows: code, not moves.
        while let Some(block) = program.blocks.get(at as usize)
            && !starts_with_join(block)
            && block.iter().all(|inst| inst.no_mask)
        {
            at = match block.last() {
                Some(last) if last.op == Op::Jmpi && last.pred.is_none() => {
                    self.to(last.jip).unwrap_or(NONE)
                }
                Some(last) if last.op.is_branch() || last.msg.is_some_and(|m| m.eot) => return,
                _ => self.solid[at as usize + 1],
            };
            match self.idle.get_mut(at as usize) {
                Some(idle) if !*idle => *idle = true,
                _ => return,
            }
        }
    }
}
