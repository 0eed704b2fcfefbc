//! Live ranges of values, as spans of code.
//!
//! Takes definitions, uses and edge arguments, and gives the spans in which each value is live and the blocks in which
//! it is live-in. A value is followed from its uses back to its definition (path exploration by variable, as in
//! Brandner et al. 2011, "Computing Liveness Sets for SSA-Form Programs"), so that time and memory are near the number
//! of values that are live at the ends of blocks.

use super::live_ranges::{Lists, NONE};
use crate::problem::Problem;

/// Maximum number of blocks to look at for each marked one, where that is no longer than sorting.
const MAX_BLOCKS_PER_MARKED: usize = 8;

/// By value: the spans in which it is live, ascending, from a position to before another.
pub type Spans = Lists<(u32, u32)>;

/// Live ranges of all values.
pub(super) struct Liveness {
    pub spans: Spans,
    /// By value: true if anything uses it, or it is an edge argument.
    pub used: Vec<bool>,
    /// Blocks with the values that are live-in.
    pub live_in: Vec<(u32, u32)>,
    /// Number of pairs of a block and a live-out value.
    pub live_out_count: usize,
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
    pub fn new(problem: &Problem, named: &Named, most_live: usize) -> Option<Liveness> {
        let (blocks, values) = (problem.block_count(), problem.value_count());
        let most_pairs = most_live.saturating_mul(problem.inst_count());
        let mut liveness = Liveness {
            spans: Spans::default(),
            used: Vec::with_capacity(values),
            live_in: Vec::new(),
            live_out_count: 0,
        };
        liveness.spans.ranges.reserve_exact(values);
        // By block, the value that was last found to be live-in, and live-out.
        let (mut begins, mut ends) = (vec![NONE; blocks], vec![NONE; blocks]);
        let mut end = |b: usize, v: u32, ends: &mut [u32]| {
            liveness.live_out_count += usize::from(std::mem::replace(&mut ends[b], v) != v);
        };
        let mut inside: Vec<u32> = Vec::new();
        for v in 0..values as u32 {
            inside.clear();
            let uses = named.uses.of(v as usize);
            let passed = named.passed.of(v as usize);
            (liveness.used).push(!passed.is_empty() || !uses.is_empty());
            for &b in passed {
                end(b as usize, v, &mut ends);
            }
            for &b in named.exposed.of(v as usize) {
                begins[b as usize] = v;
                inside.push(b);
            }
            let (own, from) = named.defs[v as usize];
            let mut next = 0;
            while let Some(&b) = inside.get(next) {
                next += 1;
                for &pred in problem.preds(b as usize) {
                    let p = pred as usize;
                    end(p, v, &mut ends);
                    if own != pred && std::mem::replace(&mut begins[p], v) != v {
                        inside.push(pred);
                    }
                }
            }
            if liveness.live_in.len() + inside.len() > most_pairs {
                return None;
            }
            sort_marked(&mut inside, |b| begins[b as usize] == v);
            (liveness.live_in).extend(inside.iter().map(|&b| (b, v)));
            let start = liveness.spans.pool.len() as u32;
            if own == NONE {
                liveness.spans.ranges.push((start, start));
                continue;
            }
            let until = |b: u32, from: u32| {
                let end = 2 * problem.insts_of(b as usize).1;
                if ends[b as usize] == v {
                    return end;
                }
                let count = uses.partition_point(|&u| u < end);
                let last = count.checked_sub(1).map(|last| uses[last] + 1);
                last.filter(|&last| last > from).unwrap_or(from + 1)
            };
            let before = inside.partition_point(|&b| b < own);
            let others = |b: &u32| {
                let from = 2 * problem.insts_of(*b as usize).0;
                (from, until(*b, from))
            };
            let all = (inside[..before].iter().map(others))
                .chain([(from, until(own, from))])
                .chain(inside[before..].iter().map(others));
            for (from, to) in all {
                match liveness.spans.pool[start as usize..].last_mut() {
                    Some(last) if last.1 == from => last.1 = to,
                    _ => liveness.spans.pool.push((from, to)),
                }
            }
            let end = liveness.spans.pool.len() as u32;
            liveness.spans.ranges.push((start, end));
        }
        Some(liveness)
    }
}

/// Sorts blocks that are marked, and no others are. Blocks that lie close are found by looking at all between.
fn sort_marked(blocks: &mut Vec<u32>, is_marked: impl Fn(u32) -> bool) {
    let (Some(&first), Some(&last)) = (blocks.iter().min(), blocks.iter().max()) else {
        return;
    };
    if ((last - first) as usize) < MAX_BLOCKS_PER_MARKED * blocks.len() {
        blocks.clear();
        blocks.extend((first..=last).filter(|&b| is_marked(b)));
    } else {
        blocks.sort_unstable();
    }
}
