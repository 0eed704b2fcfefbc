//! Basic blocks of machine code, with what the instruction pointer and what a channel may do at their ends.
//!
//! Takes decoded code of any compiler and the places where kernels and functions begin. Control flow is that of the
//! proof that no channel is lost ([`crate::verify::flow`]): where execution may go, and where channels wait meanwhile. If
//! a branch goes where the manuals do not allow it, channels count as waiting nowhere.

use smallvec::SmallVec;

use crate::inst::{Inst, Op, Target};
use crate::verify::flow::{Flow, NONE};

/// Blocks in the order of the code.
pub(super) struct Graph {
    pub blocks: Vec<Block>,
}

/// A basic block.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub first: u32,
    pub end: u32,
    /// Blocks to which the instruction pointer may go.
    pub next: SmallVec<[u32; 3]>,
    /// Blocks to which channels go on that do not wait after it.
    pub stay: SmallVec<[u32; 2]>,
    /// Blocks from which the instruction pointer may come.
    pub from: Vec<u32>,
    /// Blocks at which channels wait that leave at its end.
    pub leave: SmallVec<[u32; 2]>,
    /// Nearest block at which channels may wait while it executes.
    pub near: Option<u32>,
    /// True if channels may wait at its first instruction.
    pub waits: bool,
    /// The subroutine that its last instruction calls.
    pub calls: Option<u32>,
    /// True if its last instruction calls code that is not here.
    pub calls_away: bool,
    /// True if its last instruction returns to the caller.
    pub returns: bool,
}

impl Graph {
    pub fn new(code: &[Inst], entries: &[u32]) -> Graph {
        let mut flow = Flow::of_code(code);
        let right = flow.is_right();
        let near = if right {
            flow.find_places()
        } else {
            Vec::new()
        };
        let count = code.len() as u32;
        let inside = |at: u32| (at < count).then_some(at);
        let wait = |at: u32| {
            let places = if right { flow.wait(at) } else { [None, None] };
            places.into_iter().flatten().filter_map(inside)
        };
        let targets = |at: u32| {
            let inst = &code[at as usize];
            let to = [flow.jip[at as usize], flow.uip[at as usize]];
            to.into_iter()
                .filter(|_| !inst.op.branches_to_place())
                .filter(|to| *to != NONE)
                .filter_map(inside)
        };
        let mut leads = vec![false; code.len()];
        let mut waits = vec![false; code.len()];
        for &entry in entries.iter().filter(|entry| **entry < count) {
            leads[entry as usize] = true;
        }
        for (at, inst) in (0u32..).zip(code) {
            leads[at as usize] |= at == 0;
            if !inst.op.is_branch() && !ends(inst) {
                continue;
            }
            for to in targets(at) {
                leads[to as usize] = true;
            }
            for to in wait(at) {
                leads[to as usize] = true;
                waits[to as usize] = true;
            }
            if let Some(next) = inside(at + 1) {
                leads[next as usize] = true;
            }
        }
        let mut of = vec![0; code.len()];
        let mut blocks: Vec<Block> = Vec::new();
        for at in 0..count {
            if leads[at as usize] {
                let waits = waits[at as usize];
                blocks.push(Block {
                    first: at,
                    waits,
                    ..Block::default()
                });
            }
            of[at as usize] = blocks.len() as u32 - 1;
            if let Some(block) = blocks.last_mut() {
                block.end = at + 1;
            }
        }
        let of = |at: u32| of[at as usize];
        for block in &mut blocks {
            let last = block.end - 1;
            let inst = &code[last as usize];
            let after = inside(block.end);
            if right {
                let near = Flow::nearest_of(block.first, &near);
                block.near = inside(near).filter(|_| near != NONE).map(of);
            }
            match inst.op {
                Op::Call | Op::Calla => {
                    block.calls = targets(last).next().map(of);
                    block.calls_away = block.calls.is_none();
                    block.next.extend(after.map(of));
                    block.stay.extend(after.map(of));
                    continue;
                }
                Op::Jmpi if inst.jip == Some(Target::Reg) => {
                    // A call by a jump returns to the next instruction, before which other threads may run.
                    let back = after.filter(|next| code[*next as usize].opts.switch);
                    block.calls_away = back.is_some();
                    block.returns = back.is_none();
                    block.next.extend(back.map(of));
                    block.stay.extend(back.map(of));
                    continue;
                }
                Op::Ret => {
                    block.returns = true;
                    let goes_on = inst.pred.is_some() && after.is_some();
                    block.next.extend(after.filter(|_| goes_on).map(of));
                    block.stay.extend(after.filter(|_| goes_on).map(of));
                    continue;
                }
                _ => {}
            }
            match right {
                true => block
                    .next
                    .extend(flow.follow(last).filter_map(inside).map(of)),
                false => {
                    block.next.extend(targets(last).map(of));
                    block.next.extend(after.filter(|_| !ends(inst)).map(of));
                }
            }
            block.next.sort_unstable();
            block.next.dedup();
            block.leave.extend(wait(last).map(of));
            let stays = stays(inst);
            let to = match stays {
                Stays::Nowhere => [None, None],
                Stays::Next => [after, None],
                Stays::Jumps => [inside(flow.jip[last as usize]), None],
                Stays::Updates => [inside(flow.uip[last as usize]), None],
                Stays::Either => [inside(flow.jip[last as usize]), after],
            };
            match right {
                true => block.stay.extend(to.into_iter().flatten().map(of)),
                false => block.stay.extend(block.next.iter().copied()),
            }
        }
        for at in 0..blocks.len() {
            for next in blocks[at].next.clone() {
                blocks[next as usize].from.push(at as u32);
            }
        }
        Graph { blocks }
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, at: u32) -> u32 {
        self.blocks
            .partition_point(|block| block.first <= at)
            .saturating_sub(1) as u32
    }

    /// The blocks at which channels may wait while a block executes, the nearest first.
    pub fn chain(&self, near: Option<u32>) -> impl Iterator<Item = u32> {
        // Places lie further and further ahead.
        let further = |at: &u32| self.blocks[*at as usize].near.filter(|next| next > at);
        std::iter::successors(near, further)
    }
}

/// Where channels that stay active go from the end of a block.
enum Stays {
    Nowhere,
    Next,
    Jumps,
    Updates,
    Either,
}

fn stays(inst: &Inst) -> Stays {
    let always = inst.pred.is_none();
    match inst.op {
        _ if inst.msg.is_some_and(|message| message.eot) => Stays::Nowhere,
        Op::Jmpi | Op::Brd if always => Stays::Jumps,
        Op::Jmpi | Op::Brd | Op::Brc => Stays::Either,
        Op::While => Stays::Jumps,
        Op::Goto if inst.opts.branch_ctrl => Stays::Updates,
        Op::Goto | Op::Break | Op::Cont if always => Stays::Nowhere,
        Op::Else => Stays::Nowhere,
        _ => Stays::Next,
    }
}

/// True if execution never falls through to the next instruction.
pub(crate) fn ends(inst: &Inst) -> bool {
    let always = inst.pred.is_none();
    match inst.op {
        Op::Jmpi | Op::Brd | Op::Ret => always,
        _ => inst.msg.is_some_and(|message| message.eot),
    }
}
