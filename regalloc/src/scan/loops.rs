//! Loops by the order of the code.
//!
//! Takes back edges, and gives the loops around a block: a loop is the code from a block to the last one with an edge
//! back to it.

use crate::problem::Problem;

const NONE: u32 = u32::MAX;

pub struct Loops {
    /// By block: the first block of the innermost loop with it.
    innermost: Vec<u32>,
    /// By first block of a loop: that of the loop around it.
    outer: Vec<u32>,
    /// By first block of a loop: its instructions, the first and the one after the last.
    insts: Vec<(u32, u32)>,
    /// True if an edge from before a loop leads into it and not to its first block.
    pub have_side_entries: bool,
}

impl Loops {
    pub fn new(problem: &Problem) -> Loops {
        let blocks = problem.block_count();
        let mut ends = vec![NONE; blocks];
        for b in 0..blocks {
            for edge in problem.edges(b).iter().filter(|edge| edge.to as usize <= b) {
                ends[edge.to as usize] = b as u32;
            }
        }
        let mut loops = Loops {
            innermost: Vec::with_capacity(blocks),
            outer: vec![NONE; blocks],
            insts: vec![(0, 0); blocks],
            have_side_entries: false,
        };
        let mut open: Vec<u32> = Vec::new();
        for b in 0..blocks {
            while open
                .last()
                .is_some_and(|&head| ends[head as usize] < b as u32)
            {
                open.pop();
            }
            if ends[b] != NONE {
                let (first, _) = problem.insts_of(b);
                let (_, end) = problem.insts_of(ends[b] as usize);
                loops.insts[b] = (first, end);
                loops.outer[b] = open.last().copied().unwrap_or(NONE);
                open.push(b as u32);
            }
            let innermost = open.last().copied().unwrap_or(NONE);
            let around = match innermost == b as u32 {
                true => loops.outer[b],
                false => innermost,
            };
            let is_outside = |&pred: &u32| around != NONE && pred < around;
            loops.have_side_entries |= problem.preds(b).iter().any(is_outside);
            loops.innermost.push(innermost);
        }
        loops
    }

    /// True if a block has an edge back to it.
    pub fn is_header(&self, block: u32) -> bool {
        self.innermost[block as usize] == block
    }

    /// The loops around a block, from the innermost out: the first instruction of each, and the one after the last.
    pub fn around(&self, block: u32) -> impl Iterator<Item = (u32, u32)> {
        let some = |head: u32| (head != NONE).then_some(head);
        let heads = std::iter::successors(some(self.innermost[block as usize]), move |&head| {
            some(self.outer[head as usize])
        });
        heads.map(|head| self.insts[head as usize])
    }
}
