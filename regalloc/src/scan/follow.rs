//! In which blocks each value lives.
//!
//! Takes where values are defined, used and passed on, and leaves the spans of code in which each lives. A value is
//! followed from its uses back to the definition, so that time and memory are near the number of values that live at
//! the blocks' ends.

use regalloc2::{Block, Function};

use super::lives::{Lists, NONE, Spans};
use crate::adapter::Adapter;

/// Blocks that are looked at for one that is marked, where that is no longer than sorting.
const CLOSE: usize = 8;

/// Where some values live, one after the other.
#[derive(Default)]
pub(super) struct Followed {
    pub spans: Spans,
    /// Something uses it, or it is passed on.
    pub wanted: Vec<bool>,
    /// Blocks at whose start they live.
    pub lives_in: Vec<(u32, u32)>,
    /// At how many ends of blocks.
    pub at_ends: usize,
}

impl Followed {
    /// By value: the block of the definition and its position, the positions of uses, and the blocks that use it
    /// and do not define it, and that pass it on.
    pub fn new(
        input: &Adapter,
        defs: &[(u32, u32)],
        uses: &Lists<u32>,
        wanted: &Lists<u32>,
        passed: &Lists<u32>,
    ) -> Followed {
        let (blocks, values) = (input.num_blocks(), input.num_vregs());
        let mut followed = Followed {
            wanted: Vec::with_capacity(values),
            ..Followed::default()
        };
        followed.spans.ranges.reserve_exact(values);
        // The value that was last seen to live at each block's start, and at its end.
        let (mut begins, mut ends) = (vec![NONE; blocks], vec![NONE; blocks]);
        let mut end = |b: usize, v: u32, ends: &mut [u32]| {
            followed.at_ends += usize::from(std::mem::replace(&mut ends[b], v) != v);
        };
        let mut inside: Vec<u32> = Vec::new();
        for v in 0..values as u32 {
            inside.clear();
            let uses = uses.of(v as usize);
            let passed = passed.of(v as usize);
            (followed.wanted).push(!passed.is_empty() || !uses.is_empty());
            for &b in passed {
                end(b as usize, v, &mut ends);
            }
            for &b in wanted.of(v as usize) {
                begins[b as usize] = v;
                inside.push(b);
            }
            let (home, from) = defs[v as usize];
            let mut next = 0;
            while let Some(&b) = inside.get(next) {
                next += 1;
                for pred in input.block_preds(Block::new(b as usize)) {
                    let p = pred.index();
                    end(p, v, &mut ends);
                    if home != p as u32 && std::mem::replace(&mut begins[p], v) != v {
                        inside.push(p as u32);
                    }
                }
            }
            sort_marked(&mut inside, |b| begins[b as usize] == v);
            (followed.lives_in).extend(inside.iter().map(|&b| (b, v)));
            let start = followed.spans.pool.len() as u32;
            if home == NONE {
                followed.spans.ranges.push((start, start));
                continue;
            }
            let until = |b: u32, from: u32| {
                let end = 2 * input.insts_of(b as usize).1;
                if ends[b as usize] == v {
                    return end;
                }
                let behind = uses.partition_point(|&u| u < end);
                let last = behind.checked_sub(1).map(|last| uses[last] + 1);
                last.filter(|&last| last > from).unwrap_or(from + 1)
            };
            let own = inside.partition_point(|&b| b < home);
            let others = |b: &u32| {
                let from = 2 * input.insts_of(*b as usize).0;
                (from, until(*b, from))
            };
            let all = (inside[..own].iter().map(others))
                .chain([(from, until(home, from))])
                .chain(inside[own..].iter().map(others));
            for (from, to) in all {
                match followed.spans.pool[start as usize..].last_mut() {
                    Some(last) if last.1 == from => last.1 = to,
                    _ => followed.spans.pool.push((from, to)),
                }
            }
            let end = followed.spans.pool.len() as u32;
            followed.spans.ranges.push((start, end));
        }
        followed
    }
}

/// Sorts blocks that are marked, and no others. Where they lie close they are found by looking at all between.
fn sort_marked(blocks: &mut Vec<u32>, is_marked: impl Fn(u32) -> bool) {
    let (Some(&first), Some(&last)) = (blocks.iter().min(), blocks.iter().max()) else {
        return;
    };
    if ((last - first) as usize) < CLOSE * blocks.len() {
        blocks.clear();
        blocks.extend((first..=last).filter(|&b| is_marked(b)));
    } else {
        blocks.sort_unstable();
    }
}
