//! Joins for single-entry regions whose branches join far after them.
//!
//! After jump threading the two sides of an `if` meet where an enclosing `if` ends, or at the end of the program.
//! Channels that wait there wait for all code between, in which uniform branches then have to be SIMD gotos. A region
//! of that kind gets an empty block at its end, from which one jump leads to the far join: channels wait in the empty
//! block for one another only, and the jump may be scalar.
//!
//! A region begins at a divergent goto `h: (P) goto A` for which all channels leave the block before `A` for a block
//! `E` ahead. It ends before the first block `b` that the region reaches by `E` alone. Only `h` enters it, and all
//! edges that leave it lead to `E`. If `E` is not `b`, the empty block is put before `b`.
//!
//! Takes blocks before branches are decided. Guarantees the same paths for every channel. The search goes from the last
//! block to the first; a region found is one step for those around it, and a search takes at most `MAX_STEPS`
//! steps: the time is linear.

use kiln_visa::module::Object;
use kiln_visa::opcode::Opcode;

use crate::cfg::{Exit, LogicalBlock};

/// Maximum number of blocks and inner regions that a search steps over.
const MAX_STEPS: usize = 256;
/// No block.
const NONE: usize = usize::MAX;

/// A region: blocks from its branch to before `end`, which all edges leave to `exit`.
#[derive(Clone, Copy)]
struct Region {
    end: usize,
    exit: usize,
    /// A branch to `exit`.
    inst: usize,
}

/// Gives each region a join of its own.
pub fn end(blocks: &mut Vec<LogicalBlock>, object: &Object) {
    let found = Search::new(blocks, object).run();
    if found.iter().flatten().any(|r| r.end != r.exit) {
        insert(blocks, &found);
    }
}

struct Search<'a> {
    blocks: &'a [LogicalBlock],
    object: &'a Object,
    /// By block: the first and the last block that branch to it.
    sources: Vec<(usize, usize)>,
    /// By block: the region that its branch begins.
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
        // Lower bound of the region's end.
        let mut end = second + 1;
        let mut at = head + 1;
        let mut steps = 0;
        while at < end {
            steps += 1;
            if steps > MAX_STEPS || end > exit {
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
                None => (self.successors(at)?, at + 1),
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

    /// Successors of a block; `None` for a block that ends in a scalar jump or a return.
    fn successors(&self, block: usize) -> Option<[Option<usize>; 2]> {
        let exit = self.blocks[block].exit;
        let own = match exit {
            Exit::Branch { inst, .. } => self.jumps(inst),
            Exit::Ret => true,
            Exit::Fall | Exit::Diverge { .. } => false,
        };
        let falls = exit.falls_through().then_some(block + 1);
        (!own).then_some([exit.target(), falls])
    }

    /// True if a branch is scalar in vISA.
    fn jumps(&self, inst: Option<usize>) -> bool {
        inst.is_none_or(|i| self.object.insts[i].op == Opcode::Jmp)
    }

    /// Target and instruction of an unconditional forward goto at the end of a block, past the next block.
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

/// Inserts the new blocks, and redirects to them the edges that leave their regions.
fn insert(blocks: &mut Vec<LogicalBlock>, found: &[Option<Region>]) {
    // By block: the region that ends before it, and its new number.
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
    // Regions around the current block, the innermost last.
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
