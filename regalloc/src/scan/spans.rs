//! Live ranges of values, as spans of code.
//!
//! Takes definitions, uses and edge arguments, and gives the spans in which each value is live, the loop headers in which
//! it is live-in, and its last uses. A value is followed from its uses back to its definition (path exploration by variable, as in
//! Brandner et al. 2011, "Computing Liveness Sets for SSA-Form Programs"), 64 values at once in the bits of words, as
//! far as they live in several blocks.

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
    pub fn new(problem: &Problem, named: &Named, loops: &Loops) -> Liveness {
        let values = problem.value_count();
        let mut liveness = Liveness {
            spans: Spans::default(),
            used: Vec::with_capacity(values),
            live_in: Vec::new(),
            kills: Vec::with_capacity(values),
            dead: Vec::new(),
        };
        let mut spans: Vec<(u32, (u32, u32))> = Vec::with_capacity(values);
        let mut group = Group::new(problem.block_count());
        for v in 0..values as u32 {
            let is_passed = !named.passed.of(v as usize).is_empty();
            (liveness.used).push(is_passed || !named.uses.of(v as usize).is_empty());
            let (own, from) = named.defs[v as usize];
            if own == NONE {
                continue;
            }
            if !named.exposed.of(v as usize).is_empty() || is_passed {
                group.values.push(v);
                if group.values.len() == 64 {
                    group.finish(problem, named, loops, &mut liveness, &mut spans);
                }
                continue;
            }
            let last = last_use(problem, named, v, own, from);
            liveness.kills.push((last / 2, v));
            spans.push((v, (from, last + 1)));
        }
        group.finish(problem, named, loops, &mut liveness, &mut spans);
        liveness.spans = Lists::sorted(values, spans.iter().copied());
        liveness
    }
}

/// The last use of a value in a block that it does not leave, or else the position from which it lives there.
fn last_use(problem: &Problem, named: &Named, v: u32, b: u32, from: u32) -> u32 {
    let uses = named.uses.of(v as usize);
    let end = 2 * problem.insts_of(b as usize).1;
    let count = uses.partition_point(|&u| u < end);
    let last = count.checked_sub(1).map(|last| uses[last]);
    last.filter(|&last| last >= from).unwrap_or(from)
}

/// The numbers of the bits that are set, ascending.
pub(super) fn lanes(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(n)
    })
}

/// Up to 64 values that live in several blocks, each a bit of the words.
struct Group {
    values: Vec<u32>,
    /// By block: the values that it defines, that live at its start and at its end, and those of its start that its
    /// predecessors do not know of.
    defined: Vec<u64>,
    live_in: Vec<u64>,
    live_out: Vec<u64>,
    fresh: Vec<u64>,
}

impl Group {
    fn new(blocks: usize) -> Group {
        Group {
            values: Vec::with_capacity(64),
            defined: vec![0; blocks],
            live_in: vec![0; blocks],
            live_out: vec![0; blocks],
            fresh: vec![0; blocks],
        }
    }

    /// Adds the live ranges of the values, and leaves the group empty.
    fn finish(
        &mut self,
        problem: &Problem,
        named: &Named,
        loops: &Loops,
        liveness: &mut Liveness,
        spans: &mut Vec<(u32, (u32, u32))>,
    ) {
        let (mut low, mut high) = (usize::MAX, 0);
        let mut reach = |b: u32| (low, high) = (low.min(b as usize), high.max(b as usize));
        for (n, &v) in self.values.iter().enumerate() {
            let own = named.defs[v as usize].0;
            self.defined[own as usize] |= 1 << n;
            reach(own);
            for &b in named.passed.of(v as usize) {
                self.live_out[b as usize] |= 1 << n;
                reach(b);
            }
            for &b in named.exposed.of(v as usize) {
                self.live_in[b as usize] |= 1 << n;
                self.fresh[b as usize] |= 1 << n;
                reach(b);
            }
        }
        if self.values.is_empty() {
            return;
        }
        let blocks = self.spread(problem, low, high);
        self.add_spans(problem, named, loops, liveness, spans, blocks.clone());
        for of_block in [&mut self.defined, &mut self.live_in, &mut self.live_out] {
            of_block[blocks.clone()].fill(0);
        }
        self.values.clear();
    }

    /// Follows the values back to their definitions, from the last block to the first, and over back edges again. Gives
    /// the blocks in which any lives.
    fn spread(&mut self, problem: &Problem, mut low: usize, mut high: usize) -> Range<usize> {
        let mut next = high + 1;
        while next > low {
            next -= 1;
            let bits = std::mem::take(&mut self.fresh[next]);
            if bits == 0 {
                continue;
            }
            for &pred in problem.preds(next) {
                let pred = pred as usize;
                self.live_out[pred] |= bits;
                let new = bits & !self.live_in[pred] & !self.defined[pred];
                self.live_in[pred] |= new;
                self.fresh[pred] |= new;
                (low, high) = (low.min(pred), high.max(pred));
                if new != 0 {
                    next = next.max(pred + 1);
                }
            }
        }
        low..high + 1
    }

    /// Adds spans, last uses, and what lives at the starts of loop headers and does not at those of other blocks.
    fn add_spans(
        &self,
        problem: &Problem,
        named: &Named,
        loops: &Loops,
        liveness: &mut Liveness,
        spans: &mut Vec<(u32, (u32, u32))>,
        blocks: Range<usize>,
    ) {
        // The values that live at the end of the block before, and where their spans begin.
        let mut open = 0;
        let mut starts = [0; 64];
        let behind = blocks.end;
        for b in blocks {
            let (live_in, live_out) = (self.live_in[b], self.live_out[b]);
            let lives = live_in | self.defined[b];
            if live_in != 0 && loops.is_header(b as u32) {
                let values = lanes(live_in).map(|n| (b as u32, self.values[n]));
                liveness.live_in.extend(values);
            }
            if open == lives && lives == live_out {
                continue;
            }
            let (first, _) = problem.insts_of(b);
            for n in lanes(open & !live_in) {
                spans.push((self.values[n], (starts[n], 2 * first)));
                liveness.dead.push((b as u32, self.values[n]));
            }
            for n in lanes(live_in & !open) {
                starts[n] = 2 * first;
            }
            for n in lanes(self.defined[b]) {
                starts[n] = named.defs[self.values[n] as usize].1;
            }
            for n in lanes(lives & !live_out) {
                let v = self.values[n];
                let from = if live_in >> n & 1 == 1 {
                    2 * first
                } else {
                    starts[n]
                };
                let last = last_use(problem, named, v, b as u32, from);
                liveness.kills.push((last / 2, v));
                spans.push((v, (starts[n], last + 1)));
            }
            open = lives & live_out;
        }
        for n in lanes(open) {
            let (_, end) = problem.insts_of(behind - 1);
            spans.push((self.values[n], (starts[n], 2 * end)));
            if behind < problem.block_count() {
                liveness.dead.push((behind as u32, self.values[n]));
            }
        }
    }
}
