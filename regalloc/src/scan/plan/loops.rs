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
        };
        let mut open: Vec<u32> = Vec::new();
        for b in 0..blocks as u32 {
            while open.last().is_some_and(|&head| ends[head as usize] < b) {
                open.pop();
            }
            if ends[b as usize] != NONE {
                loops.outer[b as usize] = open.last().copied().unwrap_or(NONE);
                open.push(b);
            }
            loops.innermost.push(open.last().copied().unwrap_or(NONE));
        }
        loops
    }

    /// The first blocks of the loops around a block, from the innermost out.
    pub fn around(&self, block: u32) -> impl Iterator<Item = u32> {
        let some = |head: u32| (head != NONE).then_some(head);
        std::iter::successors(some(self.innermost[block as usize]), move |&head| {
            some(self.outer[head as usize])
        })
    }
}
