//! Ends for the parts of a program that branches lead out of to one far place.
//!
//! A compiler that has threaded its jumps lets the two ways of an `if` meet where the `if` around it ends, or at
//! the end of the whole program. Channels that wait there wait for everything between, which then
//! takes SIMD gotos for what all channels do. This gives such a region an end of its own, an
//! empty block behind it that goes on to the far place: channels wait there only for one another,
//! and what follows may be a scalar jump.
//!
//! A region is what one branch decides: from a divergent goto `h: (P) goto A`, where all channels
//! leave before `A` for a place `E` ahead, to the first block `b` that no way leads to but by `E`.
//! Nothing enters it but through `h`, and all that leaves it goes to `E`. If `E` is not `b`, the new block
//! stands before `b`.
//!
//! Takes blocks whose branches are as in vISA, before any is made scalar or SIMD. Regions are looked for from the
//! last to the first; one that was found is a single step for those around it, and no search takes
//! more than `STEPS`: the time is linear.

use kiln_frontend::module::Object;
use kiln_frontend::opcode::Opcode;

use crate::cfg::{Exit, LogicalBlock};

/// Blocks and regions that a search steps over before it gives up.
const STEPS: usize = 256;
/// No block.
const NONE: usize = usize::MAX;

/// The blocks from the branch of one to before another, which lead to `exit` alone.
#[derive(Clone, Copy)]
struct Region {
    end: usize,
    exit: usize,
    /// An instruction that goes there.
    inst: usize,
}

/// Gives each region an end.
pub fn end(blocks: &mut Vec<LogicalBlock>, object: &Object) {
    let found = Search::new(blocks, object).run();
    if found.iter().flatten().any(|r| r.end != r.exit) {
        insert(blocks, &found);
    }
}

struct Search<'a> {
    blocks: &'a [LogicalBlock],
    object: &'a Object,
    /// The first and the last block with a branch to each.
    sources: Vec<(usize, usize)>,
    /// By the block whose branch begins them.
    found: Vec<Option<Region>>,
}

impl<'a> Search<'a> {
    fn new(blocks: &'a [LogicalBlock], object: &'a Object) -> Search<'a> {
        let mut sources = vec![(NONE, 0); blocks.len() + 1];
        for (b, block) in blocks.iter().enumerate() {
            if let Some(to) = block.exit.target() {
                let (first, last) = &mut sources[to];
                *first = b.min(*first);
                *last = b.max(*last);
            }
        }
        Search {
            blocks,
            object,
            sources,
            found: vec![None; blocks.len()],
        }
    }

    fn run(mut self) -> Vec<Option<Region>> {
        for head in (0..self.blocks.len()).rev() {
            self.found[head] = self.region(head);
        }
        self.found
    }

    /// The region that the branch of a block begins.
    fn region(&self, head: usize) -> Option<Region> {
        let Exit::Diverge { target: second, .. } = self.blocks[head].exit else {
            return None;
        };
        let turn = second.checked_sub(1).filter(|&turn| turn > head)?;
        let (exit, inst) = self.leaves(turn)?;
        // The region reaches at least to here.
        let mut end = second + 1;
        let mut at = head + 1;
        let mut steps = 0;
        while at < end {
            steps += 1;
            if steps > STEPS || end > exit {
                return None;
            }
            let (first, last) = self.sources[at];
            if first < head {
                return None;
            }
            if first != NONE {
                end = end.max(last + 1);
            }
            let (ways, next) = match self.found[at] {
                Some(inner) => ([Some(inner.exit), None], inner.end),
                None => (self.ways(at)?, at + 1),
            };
            for to in ways.into_iter().flatten().filter(|&to| to != exit) {
                if to <= head {
                    return None;
                }
                end = end.max(to + 1);
            }
            end = end.max(next);
            at = next;
        }
        (end <= exit).then_some(Region { end, exit, inst })
    }

    /// Where execution goes from a block, if that is known and asks for nothing of its own.
    fn ways(&self, block: usize) -> Option<[Option<usize>; 2]> {
        let exit = self.blocks[block].exit;
        let own = match exit {
            Exit::Branch { inst, .. } => self.jumps(inst),
            Exit::Ret => true,
            Exit::Fall | Exit::Diverge { .. } => false,
        };
        let falls = exit.falls_through().then_some(block + 1);
        (!own).then_some([exit.target(), falls])
    }

    /// Whether a branch is scalar whoever waits.
    fn jumps(&self, inst: Option<usize>) -> bool {
        inst.is_none_or(|i| self.object.insts[i].op == Opcode::Jmp)
    }

    /// Where a block goes that ends in a goto ahead for all channels, past what is next, and by
    /// which instruction.
    fn leaves(&self, block: usize) -> Option<(usize, usize)> {
        match self.blocks[block].exit {
            Exit::Branch {
                inst: Some(inst),
                target,
                predicated: false,
            } if target > block + 1 && !self.jumps(Some(inst)) => Some((target, inst)),
            _ => None,
        }
    }
}

/// Puts the new blocks in, and has what leaves a region go there.
fn insert(blocks: &mut Vec<LogicalBlock>, found: &[Option<Region>]) {
    // The region whose end stands before each block, and the number that the block gets.
    let mut ends: Vec<Option<Region>> = vec![None; blocks.len() + 1];
    for region in found.iter().flatten().filter(|r| r.end != r.exit) {
        ends[region.end] = Some(*region);
    }
    let numbers: Vec<usize> = (ends.iter().enumerate())
        .scan(0, |before, (b, end)| {
            *before += usize::from(end.is_some());
            Some(b + *before)
        })
        .collect();
    let old = std::mem::take(blocks);
    blocks.reserve(numbers[old.len()]);
    // The regions around the block, the innermost last.
    let mut open: Vec<Region> = Vec::new();
    for (b, mut block) in old.into_iter().enumerate() {
        while open.pop_if(|region| region.end <= b).is_some() {}
        let leads = |to: usize, open: &[Region]| match open.last() {
            Some(region) if region.exit == to && region.end != to => numbers[region.end] - 1,
            _ => numbers[to],
        };
        if let Some(region) = ends[b] {
            let exit = Exit::Branch {
                inst: Some(region.inst),
                target: leads(region.exit, &open),
                predicated: false,
            };
            blocks.push(LogicalBlock::empty(block.insts.start, exit));
        }
        open.extend(found[b]);
        if let Exit::Branch { target, .. } | Exit::Diverge { target, .. } = &mut block.exit {
            *target = leads(*target, &open);
        }
        blocks.push(block);
    }
}
