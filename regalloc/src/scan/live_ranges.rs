//! Live ranges, and distances to next uses.
//!
//! Takes a problem and gives, for each value, its live range; for each loop header, the live-in values; for each operand,
//! whether it is the value's last use. A position is twice the number of an instruction, and one more after it.
//!
//! A distance to a next use (Braun and Hack 2009) is that in the order of the code. It is found when it is asked for:
//! in the innermost loop first, where it may lead over the back edge, and then in the loops around.

use super::lists::{Lists, NONE};
use super::loops::Loops;
use super::spans::{Liveness, Named, Spans};
use crate::problem::Problem;

/// The distance of a value that is not used any more.
pub const MAX_DISTANCE: u32 = u32::MAX / 4;
/// Added to the distance of a use after the end of a loop, so that uses in the loop are nearer.
pub const LOOP_EXIT_DISTANCE: u32 = 1 << 20;

pub struct LiveRanges {
    /// By value: the positions of its uses in the order of the code, odd for late uses and for arguments of edges.
    uses: Lists<u32>,
    /// By block, if it is a loop header: live-in values but for parameters.
    live_in: Lists<u32>,
    /// By block: values that live at the end of the block before, and not at its start.
    dead: Lists<u32>,
    pub spans: Spans,
    /// By value: true if anything uses it, or it is an edge argument.
    used: Vec<bool>,
    /// By operand: true for the last use of a value, and for a definition that is never used.
    kills: Vec<bool>,
    /// By block: number of loops around it.
    pub depth: Vec<u32>,
    pub loops: Loops,
}

impl LiveRanges {
    pub fn new(problem: &Problem) -> LiveRanges {
        let named = named(problem);
        let loops = Loops::new(problem);
        let liveness = Liveness::new(problem, &named, &loops);
        let mut kills = vec![false; problem.operand_count()];
        for (i, v) in liveness.kills {
            let ops = (problem.operands_from(i)..).zip(problem.operands(i));
            for (k, _) in ops.filter(|(_, op)| op.value() == v) {
                kills[k] = true;
            }
        }
        LiveRanges {
            uses: named.uses,
            live_in: Lists::sorted(problem.block_count(), liveness.live_in.iter().copied()),
            dead: Lists::sorted(problem.block_count(), liveness.dead.iter().copied()),
            spans: liveness.spans,
            used: liveness.used,
            kills,
            depth: depths(problem),
            loops,
        }
    }

    /// The values that live at the start of a loop header, but for parameters.
    pub fn live_in(&self, header: usize) -> &[u32] {
        self.live_in.of(header)
    }

    /// The values that live at the end of the block before, and not at the start of this one.
    pub fn dead_at(&self, b: usize) -> &[u32] {
        self.dead.of(b)
    }

    /// True if an operand is the last use of its value, or a definition without uses.
    pub fn kills(&self, operand: usize) -> bool {
        self.kills[operand]
    }

    pub fn is_used(&self, v: u32) -> bool {
        self.used[v as usize]
    }

    /// True if a value lives at a position.
    pub fn is_live(&self, v: u32, at: u32) -> bool {
        let spans = self.spans.of(v as usize);
        let next = spans.partition_point(|&(_, to)| to <= at);
        spans.get(next).is_some_and(|&(from, _)| from <= at)
    }

    /// The distance to the next use of a value, from before an instruction of a block.
    pub fn next_use(&self, v: u32, inst: u32, b: usize) -> u32 {
        let uses = self.uses.of(v as usize);
        let from = 2 * inst;
        let next_of = |at: u32| uses.get(uses.partition_point(|&u| u < at)).copied();
        let next = next_of(from);
        let mut more = 0u32;
        for (start, end) in self.loops.around(b as u32) {
            let (start, end) = (2 * start, 2 * end);
            // Loops around a block may overlap: the inner one of two may end before the place.
            if end < from {
                continue;
            }
            if let Some(at) = next.filter(|&at| at < end) {
                return (at - from).saturating_add(more).min(MAX_DISTANCE);
            }
            if let Some(at) = next_of(start).filter(|&at| at < from)
                && self.is_live(v, end - 1)
            {
                let distance = (end - from) + (at - start);
                return distance.saturating_add(more).min(MAX_DISTANCE);
            }
            more = more.saturating_add(LOOP_EXIT_DISTANCE);
        }
        next.map_or(MAX_DISTANCE, |at| {
            (at - from).saturating_add(more).min(MAX_DISTANCE)
        })
    }
}

/// Finds definitions and uses.
fn named(problem: &Problem) -> Named {
    let (blocks, values) = (problem.block_count(), problem.value_count());
    let mut defs = vec![(NONE, 0); values];
    let mut uses: Vec<(u32, u32)> = Vec::with_capacity(problem.operand_count());
    let mut exposed: Vec<(u32, u32)> = Vec::new();
    let mut passed: Vec<(u32, u32)> = Vec::new();
    let mut seen = vec![NONE; values];
    for b in 0..blocks {
        let (first, end) = problem.insts_of(b);
        for &p in problem.params(b) {
            defs[p as usize] = (b as u32, 2 * first);
        }
        let mut expose = |v: u32, defs: &[(u32, u32)]| {
            if defs[v as usize].0 != b as u32
                && std::mem::replace(&mut seen[v as usize], b as u32) != b as u32
            {
                exposed.push((v, b as u32));
            }
        };
        for i in first..end {
            for op in problem.operands(i) {
                let v = op.value();
                match op.is_use() {
                    true => {
                        uses.push((v, 2 * i + u32::from(op.is_late_use())));
                        expose(v, &defs);
                    }
                    false => defs[v as usize] = (b as u32, 2 * i + 1),
                }
            }
        }
        for &arg in problem.edges(b).iter().flat_map(|edge| problem.args(edge)) {
            expose(arg, &defs);
            uses.push((arg, 2 * end - 1));
            passed.push((arg, b as u32));
        }
    }
    Named {
        defs,
        uses: Lists::sorted(values, uses.iter().copied()),
        exposed: Lists::sorted(values, exposed.iter().copied()),
        passed: Lists::sorted(values, passed.iter().copied()),
    }
}

/// Numbers of loops around each block, by the back edges around it.
fn depths(problem: &Problem) -> Vec<u32> {
    let blocks = problem.block_count();
    let mut change = vec![0i32; blocks + 1];
    for b in 0..blocks {
        for edge in problem.edges(b).iter().filter(|edge| edge.to as usize <= b) {
            change[edge.to as usize] += 1;
            change[b + 1] -= 1;
        }
    }
    let mut depth = 0;
    change.pop();
    (change.iter())
        .map(|c| {
            depth += c;
            depth as u32
        })
        .collect()
}
