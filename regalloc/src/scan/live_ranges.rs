//! Live ranges, and distances to next uses.
//!
//! Takes a problem and gives, for each block, the live-in and live-out values with the distance to their next use from
//! there; for each operand, whether it is the value's last use; for each value, its live range. A position is twice
//! the number of an instruction, and one more after it.
//!
//! Distances are found by a backward walk over the blocks, and a second one for values that come over back edges
//! (next-use distances of Braun and Hack 2009, with two rounds in place of a fixpoint).

use super::spans::{Liveness, Named, Spans};
use crate::problem::Problem;

/// The distance of a value that is not used any more.
pub const MAX_DISTANCE: u32 = u32::MAX / 4;
/// Added to the distance of a use after the end of a loop, so that uses in the loop are nearer.
pub const LOOP_EXIT_DISTANCE: u32 = 1 << 20;
pub(super) const NONE: u32 = u32::MAX;

/// Lists of one vector, by number.
#[derive(Default)]
pub struct Lists<T> {
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) pool: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    fn new(count: usize) -> Lists<T> {
        Lists {
            ranges: vec![(0, 0); count],
            pool: Vec::new(),
        }
    }

    /// The lists of items with the number of their list, each in the order in which its items come.
    pub(super) fn sorted(count: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Lists<T> {
        let mut lists = Lists::new(count);
        let mut total = 0;
        for (n, _) in items.clone() {
            lists.ranges[n as usize].1 += 1;
            total += 1;
        }
        let mut at = 0;
        for range in &mut lists.ranges {
            let len = range.1;
            *range = (at, at);
            at += len;
        }
        lists.pool = vec![T::default(); total];
        for (n, item) in items {
            let end = &mut lists.ranges[n as usize].1;
            lists.pool[*end as usize] = item;
            *end += 1;
        }
        lists
    }

    /// True if no list has an item.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    pub fn of(&self, n: usize) -> &[T] {
        let (from, to) = self.ranges[n];
        &self.pool[from as usize..to as usize]
    }
}

/// A value with the distance to its next use.
#[derive(Clone, Copy, Default)]
pub struct NextUse {
    pub v: u32,
    pub distance: u32,
}

pub struct LiveRanges {
    /// By value: the positions of its uses in the order of the code, odd for late uses.
    uses: Lists<u32>,
    /// By block, ascending by value: live-in values but for parameters.
    live_in: Lists<NextUse>,
    /// By block, ascending by value: live-out values, edge arguments among them.
    live_out: Lists<NextUse>,
    /// By value: the distance of a parameter's first use from the start of its block.
    params: Vec<u32>,
    pub spans: Spans,
    /// By value: true if anything uses it, or it is an edge argument.
    used: Vec<bool>,
    /// By operand: true for the last use of a value, and for a definition that is never used.
    kills: Vec<bool>,
    /// By block: number of loops around it.
    pub depth: Vec<u32>,
}

impl LiveRanges {
    /// None if there are more pairs of a block and a live-in value for each instruction than `most_live`.
    pub fn new(problem: &Problem, most_live: usize) -> Option<LiveRanges> {
        let (blocks, values) = (problem.block_count(), problem.value_count());
        let mut ranges = LiveRanges {
            uses: Lists::default(),
            live_in: Lists::default(),
            live_out: Lists::new(blocks),
            params: vec![MAX_DISTANCE; values],
            spans: Spans::default(),
            used: Vec::new(),
            kills: vec![false; problem.operand_count()],
            depth: depths(problem),
        };
        ranges.find(problem, most_live)?;
        ranges.measure(problem);
        ranges.find_kills(problem);
        Some(ranges)
    }

    pub fn live_in(&self, b: usize) -> &[NextUse] {
        self.live_in.of(b)
    }

    pub fn live_out(&self, b: usize) -> &[NextUse] {
        self.live_out.of(b)
    }

    /// True if an operand is the last use of its value, or a definition without uses.
    pub fn kills(&self, operand: usize) -> bool {
        self.kills[operand]
    }

    pub fn is_used(&self, v: u32) -> bool {
        self.used[v as usize]
    }

    /// The distance of a parameter's first use from the start of its block.
    pub fn of_param(&self, v: u32) -> u32 {
        self.params[v as usize]
    }

    /// The distance from an instruction of a block to the next use of a value after it.
    pub fn next_use(&self, v: u32, inst: u32, b: usize, end: u32) -> u32 {
        let uses = self.uses.of(v as usize);
        match uses.get(uses.partition_point(|&u| u / 2 <= inst)) {
            Some(&at) if at < 2 * end => at - 2 * inst,
            _ => {
                let live_out = self.live_out(b);
                let at = live_out.binary_search_by_key(&v, |next| next.v);
                at.map_or(MAX_DISTANCE, |at| {
                    (2 * (end - inst) + live_out[at].distance).min(MAX_DISTANCE)
                })
            }
        }
    }

    /// Finds definitions and uses, and the live range of each value.
    fn find(&mut self, problem: &Problem, most_live: usize) -> Option<()> {
        let (blocks, values) = (problem.block_count(), problem.value_count());
        let mut defs = vec![(NONE, 0); values];
        let mut uses: Vec<(u32, u32)> = Vec::new();
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
                passed.push((arg, b as u32));
            }
        }
        let named = Named {
            defs,
            uses: Lists::sorted(values, uses.iter().copied()),
            exposed: Lists::sorted(values, exposed.iter().copied()),
            passed: Lists::sorted(values, passed.iter().copied()),
        };
        let liveness = Liveness::new(problem, &named, most_live)?;
        self.uses = named.uses;
        self.spans = liveness.spans;
        self.used = liveness.used;
        let without_distance = |&(b, v): &(u32, u32)| {
            let distance = MAX_DISTANCE;
            (b, NextUse { v, distance })
        };
        self.live_in = Lists::sorted(blocks, liveness.live_in.iter().map(without_distance));
        // They are many, and a vector that grows takes twice what it needs.
        self.live_out.pool.reserve_exact(liveness.live_out_count);
        Some(())
    }

    /// Finds distances: once from the end to the start, and once more for back edges.
    fn measure(&mut self, problem: &Problem) {
        let (blocks, values) = (problem.block_count(), problem.value_count());
        let has_loops = self.depth.iter().any(|&depth| depth > 0);
        // By value: the block and round in which it was seen last, and the distance to its next use from there.
        let mut seen = vec![NONE; values];
        let mut next = vec![MAX_DISTANCE; values];
        let mut out: Vec<u32> = Vec::new();
        for last in [false, true] {
            if !last && !has_loops {
                continue;
            }
            for b in (0..blocks).rev() {
                let here = (b + blocks * usize::from(last)) as u32;
                out.clear();
                for edge in problem.edges(b) {
                    let to = edge.to as usize;
                    let leaves = self.depth[to] < self.depth[b];
                    let more = if leaves { LOOP_EXIT_DISTANCE } else { 0 };
                    let passed = problem.args(edge).iter().zip(problem.params(to));
                    let passed = passed.map(|(&arg, &param)| (arg, self.params[param as usize]));
                    let live_in = self.live_in(to).iter().map(|next| (next.v, next.distance));
                    for (v, distance) in live_in.chain(passed) {
                        let distance = (distance + more).min(MAX_DISTANCE);
                        let next = &mut next[v as usize];
                        if std::mem::replace(&mut seen[v as usize], here) == here {
                            *next = (*next).min(distance);
                        } else {
                            *next = distance;
                            out.push(v);
                        }
                    }
                }
                if last {
                    // The live-in values of one block are sorted.
                    if !out.is_sorted() {
                        out.sort();
                    }
                    let from = self.live_out.pool.len() as u32;
                    let live_out = out.iter().map(|&v| NextUse {
                        v,
                        distance: next[v as usize],
                    });
                    self.live_out.pool.extend(live_out);
                    self.live_out.ranges[b] = (from, self.live_out.pool.len() as u32);
                }
                let (first, end) = problem.insts_of(b);
                for &v in &out {
                    let next = &mut next[v as usize];
                    *next = (2 * (end - first) + *next).min(MAX_DISTANCE);
                }
                for i in (first..end).rev() {
                    for op in problem.operands(i).iter().rev().filter(|op| op.is_use()) {
                        let v = op.value() as usize;
                        seen[v] = here;
                        next[v] = 2 * (i - first) + u32::from(op.is_late_use());
                    }
                }
                let distance = |v: u32| match seen[v as usize] == here {
                    true => next[v as usize],
                    false => MAX_DISTANCE,
                };
                for &p in problem.params(b) {
                    self.params[p as usize] = distance(p);
                }
                let (from, to) = self.live_in.ranges[b];
                for next in &mut self.live_in.pool[from as usize..to as usize] {
                    next.distance = distance(next.v);
                }
            }
        }
    }

    /// Finds the last uses of values, from each block's end to its start. Live values are marked by the block's number.
    fn find_kills(&mut self, problem: &Problem) {
        let mut live = vec![NONE; problem.value_count()];
        for b in 0..problem.block_count() {
            let mark = b as u32;
            for next in self.live_out.of(b) {
                live[next.v as usize] = mark;
            }
            let (first, end) = problem.insts_of(b);
            for i in (first..end).rev() {
                let ops = || (problem.operands_from(i)..).zip(problem.operands(i));
                for (k, op) in ops().filter(|(_, op)| op.is_def()) {
                    let is_live = std::mem::replace(&mut live[op.value() as usize], NONE) == mark;
                    self.kills[k] = !is_live;
                }
                for (k, op) in ops().filter(|(_, op)| op.is_use()) {
                    self.kills[k] = live[op.value() as usize] != mark;
                }
                for (_, op) in ops().filter(|(_, op)| op.is_use()) {
                    live[op.value() as usize] = mark;
                }
            }
        }
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
