//! Live ranges of values, as spans of code.
//!
//! Takes definitions, uses and edge arguments, and gives the spans in which each value is live, the loop headers in which
//! it is live-in, and its last uses. A value is followed from its uses back to its definition (path exploration by variable, as in
//! Brandner et al. 2011, "Computing Liveness Sets for SSA-Form Programs"), 64 values at once in the bits of words, as
//! far as they live in several blocks.

use std::ops::Range;

use super::lists::{Lists, NONE};
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

/// Values of a group in one block, each a bit.
#[derive(Clone, Copy, Default)]
struct Words {
    /// Defined there, live at its start, and live at its end.
    defined: u64,
    live_in: u64,
    live_out: u64,
    /// Live at its start, which its predecessors do not know of.
    fresh: u64,
}

/// Up to 64 values that live in several blocks, each a bit of the words.
struct Group {
    values: Vec<u32>,
    words: Vec<Words>,
    /// Blocks with words, and those with fresh values, each a bit.
    touched: Vec<u64>,
    fresh: Vec<u64>,
    /// Elements of these sets that are not empty.
    reach: Range<usize>,
}

impl Group {
    fn new(blocks: usize) -> Group {
        Group {
            values: Vec::with_capacity(64),
            words: vec![Words::default(); blocks],
            touched: vec![0; blocks.div_ceil(64)],
            fresh: vec![0; blocks.div_ceil(64)],
            reach: 0..0,
        }
    }

    /// The words of a block.
    fn touch(&mut self, b: u32) -> &mut Words {
        let at = b as usize / 64;
        self.touched[at] |= 1 << (b % 64);
        self.reach = self.reach.start.min(at)..self.reach.end.max(at + 1);
        &mut self.words[b as usize]
    }

    /// Makes values live at the start of a block.
    fn enter(&mut self, b: u32, new: u64) {
        let words = self.touch(b);
        words.live_in |= new;
        words.fresh |= new;
        self.fresh[b as usize / 64] |= 1 << (b % 64);
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
        let Some(&first) = self.values.first() else {
            return;
        };
        let at = named.defs[first as usize].0 as usize / 64;
        self.reach = at..at;
        for n in 0..self.values.len() {
            let v = self.values[n] as usize;
            self.touch(named.defs[v].0).defined |= 1 << n;
            for &b in named.passed.of(v) {
                self.touch(b).live_out |= 1 << n;
            }
            for &b in named.exposed.of(v) {
                self.enter(b, 1 << n);
            }
        }
        self.spread(problem);
        self.add_spans(problem, named, loops, liveness, spans);
        self.values.clear();
    }

    /// Follows the values back to their definitions, from the last block to the first, and over back edges again.
    fn spread(&mut self, problem: &Problem) {
        let mut next = self.reach.end;
        while next > self.reach.start {
            let at = next - 1;
            let Some(bit) = self.fresh[at].checked_ilog2() else {
                next -= 1;
                continue;
            };
            self.fresh[at] &= !(1 << bit);
            let b = at * 64 + bit as usize;
            let bits = std::mem::take(&mut self.words[b].fresh);
            for &pred in problem.preds(b) {
                let words = self.touch(pred);
                words.live_out |= bits;
                let new = bits & !words.live_in & !words.defined;
                words.live_in |= new;
                words.fresh |= new;
                if new != 0 {
                    self.fresh[pred as usize / 64] |= 1 << (pred % 64);
                    next = next.max(pred as usize / 64 + 1);
                }
            }
        }
    }

    /// Adds spans, last uses, and what lives at the starts of loop headers and does not at those of other blocks.
    fn add_spans(
        &mut self,
        problem: &Problem,
        named: &Named,
        loops: &Loops,
        liveness: &mut Liveness,
        spans: &mut Vec<(u32, (u32, u32))>,
    ) {
        // The values that live at the end of the block before, and where their spans begin.
        let mut open = 0;
        let mut starts = [0; 64];
        let touched = |at: usize| lanes(self.touched[at]).map(move |n| (at * 64 + n) as u32);
        for b in self.reach.clone().flat_map(touched) {
            let Words {
                defined,
                live_in,
                live_out,
                ..
            } = std::mem::take(&mut self.words[b as usize]);
            let lives = live_in | defined;
            if live_in != 0 && loops.is_header(b) {
                let values = lanes(live_in).map(|n| (b, self.values[n]));
                liveness.live_in.extend(values);
            }
            let (first, end) = problem.insts_of(b as usize);
            if open != lives || lives != live_out {
                for n in lanes(live_in & !open) {
                    starts[n] = 2 * first;
                }
                for n in lanes(defined) {
                    starts[n] = named.defs[self.values[n] as usize].1;
                }
                for n in lanes(lives & !live_out) {
                    let v = self.values[n];
                    let from = if live_in >> n & 1 == 1 {
                        2 * first
                    } else {
                        starts[n]
                    };
                    let last = last_use(problem, named, v, b, from);
                    liveness.kills.push((last / 2, v));
                    spans.push((v, (starts[n], last + 1)));
                }
                open = lives & live_out;
            }
            let next = b as usize + 1;
            let goes_on = self.words.get(next).map_or(0, |words| words.live_in);
            for n in lanes(open & !goes_on) {
                spans.push((self.values[n], (starts[n], 2 * end)));
                if next < problem.block_count() {
                    liveness.dead.push((next as u32, self.values[n]));
                }
            }
            open &= goes_on;
        }
        self.touched[self.reach.clone()].fill(0);
    }
}
