//! Live ranges of values, as spans of code.
//!
//! Takes definitions, uses and edge arguments, and gives the spans in which each value is live, the loop headers in which
//! it is live-in, and its last uses. A value is followed from its uses back to its definition (path exploration by variable, as in
//! Brandner et al. 2011, "Computing Liveness Sets for SSA-Form Programs"), so that time is near the number of pairs of a
//! block and a live-in value. Blocks are bits, so that memory and all that follows are near the number of spans.

use std::ops::Range;

use super::live_ranges::{Lists, NONE};
use super::loops::Loops;
use crate::problem::Problem;

/// By value: the spans in which it is live, ascending, from a position to before another.
pub type Spans = Lists<(u32, u32)>;

/// Live ranges of all values.
pub(super) struct Liveness {
    pub spans: Spans,
    /// By value: true if anything uses it, or it is an edge argument.
    pub used: Vec<bool>,
    /// Loop headers with the values that are live-in.
    pub live_in: Vec<(u32, u32)>,
    /// Instructions with the values that they use last, or define without a use.
    pub kills: Vec<(u32, u32)>,
    /// Blocks with the values that live at the end of the block before, and not at their start.
    pub dead: Vec<(u32, u32)>,
}

/// Places where values are named.
pub(super) struct Named {
    /// By value: the block of its definition, and the position.
    pub defs: Vec<(u32, u32)>,
    /// By value: the positions of its uses, ascending.
    pub uses: Lists<u32>,
    /// By value: blocks that use it and do not define it.
    pub exposed: Lists<u32>,
    /// By value: blocks with edges that have it as an argument.
    pub passed: Lists<u32>,
}

impl Liveness {
    /// None if there are more pairs of a block and a live-in value for each instruction than `most_live`.
    pub fn new(
        problem: &Problem,
        named: &Named,
        loops: &Loops,
        most_live: usize,
    ) -> Option<Liveness> {
        let (blocks, values) = (problem.block_count(), problem.value_count());
        let mut pairs_left = most_live.saturating_mul(problem.inst_count());
        let mut liveness = Liveness {
            spans: Spans::default(),
            used: Vec::with_capacity(values),
            live_in: Vec::new(),
            kills: Vec::with_capacity(values),
            dead: Vec::new(),
        };
        liveness.spans.ranges.reserve_exact(values);
        let headers: Vec<u32> = (0..blocks as u32).filter(|&b| loops.is_header(b)).collect();
        let (mut live_in, mut live_out) = (Bits::new(blocks), Bits::new(blocks));
        let mut work: Vec<u32> = Vec::new();
        for v in 0..values as u32 {
            let passed = named.passed.of(v as usize);
            let exposed = named.exposed.of(v as usize);
            (liveness.used).push(!passed.is_empty() || !named.uses.of(v as usize).is_empty());
            let (own, _) = named.defs[v as usize];
            let (mut low, mut high) = (own.min(blocks as u32), if own == NONE { 0 } else { own });
            for &b in passed {
                live_out.insert(b);
            }
            for &b in exposed {
                live_in.insert(b);
                (low, high) = (low.min(b), high.max(b));
            }
            work.extend_from_slice(exposed);
            while let Some(b) = work.pop() {
                pairs_left = pairs_left.checked_sub(1)?;
                for &pred in problem.preds(b as usize) {
                    live_out.insert(pred);
                    if pred != own && live_in.insert(pred) {
                        (low, high) = (low.min(pred), high.max(pred));
                        work.push(pred);
                    }
                }
            }
            let first = headers.partition_point(|&header| header < low);
            let inside = headers[first..]
                .iter()
                .take_while(|&&header| header <= high);
            let inside = inside.filter(|&&header| live_in.contains(header));
            liveness.live_in.extend(inside.map(|&header| (header, v)));
            let words = (low / 64) as usize..((high / 64) as usize + 1).max((low / 64) as usize);
            let start = liveness.spans.pool.len() as u32;
            if own != NONE {
                live_in.insert(own);
                let lives = (&live_in.0[..], &live_out.0[..]);
                liveness.add_spans(problem, named, v, lives, words.clone());
            }
            let end = liveness.spans.pool.len() as u32;
            liveness.spans.ranges.push((start, end));
            live_in.0[words.clone()].fill(0);
            live_out.0[words].fill(0);
        }
        Some(liveness)
    }

    /// Adds the spans of a value, by the blocks in which it lives and those at whose end it does.
    fn add_spans(
        &mut self,
        problem: &Problem,
        named: &Named,
        v: u32,
        (lives, live_out): (&[u64], &[u64]),
        words: Range<usize>,
    ) {
        let start = self.spans.pool.len();
        let (own, defined) = named.defs[v as usize];
        let uses = named.uses.of(v as usize);
        let insts = |b: u32| problem.insts_of(b as usize);
        let from = |b: u32| if b == own { defined } else { 2 * insts(b).0 };
        // The block after a span that reaches the end of one.
        let mut next = NONE;
        let mut add = |liveness: &mut Liveness, from: u32, to: u32, first: u32, after: u32| {
            match liveness.spans.pool[start..].last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => liveness.spans.pool.push((from, to)),
            }
            if next != NONE && next != first {
                liveness.dead.push((next, v));
            }
            next = after;
        };
        for word in words {
            let (mut left, out) = (lives[word], live_out[word]);
            // Blocks that follow each other.
            while left != 0 {
                let low = left & left.wrapping_neg();
                let run = left & !left.wrapping_add(low);
                left &= !run;
                let block = |bit: u64| word as u32 * 64 + bit.trailing_zeros();
                let mut first = block(run);
                let mut ends = run & !out;
                while ends != 0 {
                    let b = block(ends);
                    let count = uses.partition_point(|&u| u < 2 * insts(b).1);
                    let last = count.checked_sub(1).map(|last| uses[last]);
                    let last = last.filter(|&last| last >= from(b)).unwrap_or(from(b));
                    self.kills.push((last / 2, v));
                    add(self, from(first), last + 1, first, NONE);
                    first = b + 1;
                    ends &= ends - 1;
                }
                let behind = block(run) + run.count_ones();
                if first < behind {
                    add(self, from(first), 2 * insts(behind - 1).1, first, behind);
                }
            }
        }
        if next != NONE && (next as usize) < problem.block_count() {
            self.dead.push((next, v));
        }
    }
}

/// A set of blocks.
struct Bits(Vec<u64>);

impl Bits {
    fn new(blocks: usize) -> Bits {
        Bits(vec![0; blocks / 64 + 1])
    }

    /// Adds a block. True if it was not there.
    fn insert(&mut self, b: u32) -> bool {
        let (word, bit) = (&mut self.0[(b / 64) as usize], 1 << (b % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, b: u32) -> bool {
        self.0[(b / 64) as usize] >> (b % 64) & 1 == 1
    }
}
