//! Rematerialization places: before the loops around a read in which no register is missing.
//!
//! The value was live through these loops before; rematerialized before them, it is computed once for all
//! iterations.

use kiln_machine::func::{Block, Function, Term};
use kiln_machine::graph::{Graph, depths};

use super::lasts::Loops;
use super::values::{BOTH, Read};
use super::{LOOP_WEIGHT, MAX_LOOP_DEPTH};

pub struct Spots<'a> {
    func: &'a Function,
    graph: &'a Graph,
    loops: Loops,
    depths: Vec<u32>,
    /// For each block: the number of earlier blocks with too many live values.
    crowded: Vec<u32>,
}

impl Spots<'_> {
    pub fn new<'a>(func: &'a Function, graph: &'a Graph, is_crowded: &[bool]) -> Spots<'a> {
        let mut crowded = vec![0];
        let mut count = 0;
        crowded.extend(is_crowded.iter().map(|&is_crowded| {
            count += u32::from(is_crowded);
            count
        }));
        Spots {
            func,
            graph,
            loops: Loops::new(func),
            depths: depths(func),
            crowded,
        }
    }

    /// The block at whose end a value defined in `home` is rematerialized for a read in another block, or the
    /// reading block itself.
    pub fn of(&self, home: Block, read: Block) -> Block {
        let mut spot = read;
        let mut end = read;
        for (head, last) in self.loops.around(read) {
            end = end.max(last);
            let Some(before) = self.before(head) else {
                break;
            };
            let is_between = before != home
                && self.graph.dominates(home, before)
                && self.graph.dominates(before, read);
            if !is_between || !self.is_free(before, end) {
                break;
            }
            // The use may be in another loop.
            if self.depth(before) < self.depth(spot) && before < head {
                spot = before;
            }
        }
        spot
    }

    /// The block before a loop's first block, if a value can be computed at its end.
    fn before(&self, head: Block) -> Option<Block> {
        let mut block = self.graph.idom(head)?;
        while self.func.blocks[block].term == Term::Join {
            block = self.graph.idom(block)?;
        }
        Some(block)
    }

    /// True if no block in a range has too many live values.
    fn is_free(&self, from: Block, to: Block) -> bool {
        let before = |block: u32| self.crowded[block as usize];
        from <= to && before(from.as_u32()) == before(to.as_u32() + 1)
    }

    fn depth(&self, block: Block) -> u32 {
        self.depths[block.as_u32() as usize].min(MAX_LOOP_DEPTH)
    }

    /// The cost of rematerializing a value for these reads; hoisted ones with the same place are counted once.
    pub fn cost(&self, reads: impl Iterator<Item = Read> + Clone) -> u32 {
        let count = |(n, read): (usize, Read)| {
            let place = |read: Read| (read.spot, read.half);
            let is_made = !read.is_hoisted()
                || reads
                    .clone()
                    .take(n)
                    .all(|other| place(other) != place(read));
            let operations = 1 + u32::from(read.half == BOTH);
            u32::from(is_made) * operations * LOOP_WEIGHT.pow(self.depth(read.spot))
        };
        reads.clone().enumerate().map(count).sum()
    }
}
