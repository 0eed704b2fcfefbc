//! Coalescing: webs of values that are best in one unit, and reservations of units.
//!
//! Takes the problem with live ranges. A *web* is a set of values that block parameters, tied operands and copies join,
//! and whose live ranges do not overlap (aggressive coalescing by union-find). It has a preferred unit, in which its
//! values need no moves, and one spill slot. A unit has *reservations*: spans for fixed operands and clobbers, and the
//! live ranges of webs that prefer it. A value keeps away from a unit that is reserved for others while it lives.
//! The number of moves depends on all this, and nothing else.

use std::cell::Cell;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::spans::Spans;
use crate::problem::{Constraint, Operand, Problem, Unit, units};

/// No unit, where a preferred unit is expected.
pub const NO_UNIT: Unit = Unit(u16::MAX);
/// No web: a reservation for a clobber.
const NO_WEB: u32 = u32::MAX;
/// No live ranges but those of the web's only value.
const NO_RANGES: u32 = u32::MAX;
/// Maximum number of live ranges that are looked at to compare units.
const MAX_COMPARED_RANGES: usize = 32;

pub struct Webs {
    parent: Vec<u32>,
    /// By the root of a web: the index of its live ranges, or [`NO_RANGES`] if it is one value that nothing is joined with.
    indices: Vec<u32>,
    /// Live ranges of the other webs, first positions with last.
    ranges: Vec<BTreeMap<u32, u32>>,
    preferred: Vec<Unit>,
    /// By unit: disjoint spans, each with the web that it is reserved for.
    reservations: Vec<BTreeMap<u32, (u32, u32)>>,
    /// By unit: the span without reservations that was found last. The next question is mostly about the same one.
    gaps: Vec<Cell<(u32, u32)>>,
}

impl Webs {
    pub fn new(problem: &Problem, spans: &Spans) -> Webs {
        let (values, unit_count) = (problem.value_count(), problem.file.unit_count);
        let mut webs = Webs {
            parent: (0..values as u32).collect(),
            indices: vec![NO_RANGES; values],
            ranges: Vec::new(),
            preferred: vec![NO_UNIT; values],
            reservations: vec![BTreeMap::new(); unit_count],
            gaps: vec![Cell::default(); unit_count],
        };
        for edge in (0..problem.block_count()).flat_map(|b| problem.edges(b)) {
            let params = problem.params(edge.to as usize);
            for (&arg, &param) in problem.args(edge).iter().zip(params) {
                webs.join(arg, param, spans);
            }
        }
        for i in 0..problem.inst_count() as u32 {
            let ops = problem.operands(i);
            for op in ops {
                if let Constraint::Tied(k) = op.constraint {
                    webs.join(ops[usize::from(k)].value(), op.value(), spans);
                }
            }
            if let ([from, to], true) = (ops, problem.is_copy(i)) {
                webs.join(from.value(), to.value(), spans);
            }
        }
        webs.reserve_fixed(problem, spans);
        webs
    }

    /// The web of a value.
    pub fn of(&self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }

    /// By web: GRFs that each of its values has room in.
    pub fn slot_grfs(&self, problem: &Problem) -> Vec<u32> {
        let mut grfs = vec![1; problem.value_count()];
        for v in 0..problem.value_count() as u32 {
            let own = &mut grfs[self.of(v) as usize];
            *own = problem.slot_grfs(v).max(*own);
        }
        grfs
    }

    /// Makes one web of two, if their live ranges do not overlap.
    fn join(&mut self, a: u32, b: u32, spans: &Spans) {
        let (a, b) = (self.of(a), self.of(b));
        if a == b {
            return;
        }
        let count = |v: u32| {
            let several = self.ranges(v).map(BTreeMap::len);
            several.unwrap_or_else(|| spans.of(v as usize).len())
        };
        let (child, root) = if count(a) > count(b) { (b, a) } else { (a, b) };
        let few: SmallVec<[(u32, u32); 4]> = match self.ranges(child) {
            Some(several) => several.iter().map(|(&from, &to)| (from, to)).collect(),
            None => spans.of(child as usize).iter().copied().collect(),
        };
        let index = self.own_ranges(root, spans);
        let many = &mut self.ranges[index];
        let apart = few.iter().all(|&(from, to)| {
            let before = many.range(..to).next_back();
            before.is_none_or(|(_, &end)| end <= from)
        });
        if !apart {
            self.own_ranges(child, spans);
            return;
        }
        many.extend(few);
        if let Some(several) = self.ranges.get_mut(self.indices[child as usize] as usize) {
            several.clear();
        }
        self.parent[child as usize] = root;
    }

    /// The index of a web's own live ranges, by its root.
    fn own_ranges(&mut self, web: u32, spans: &Spans) -> usize {
        let index = &mut self.indices[web as usize];
        if *index == NO_RANGES {
            *index = self.ranges.len() as u32;
            (self.ranges).push(spans.of(web as usize).iter().copied().collect());
        }
        *index as usize
    }

    /// The live ranges of a web that has its own, by its root.
    fn ranges(&self, web: u32) -> Option<&BTreeMap<u32, u32>> {
        self.ranges.get(self.indices[web as usize] as usize)
    }

    /// Reserves units for fixed operands, with the webs of their values, and for clobbers.
    fn reserve_fixed(&mut self, problem: &Problem, spans: &Spans) {
        for i in 0..problem.inst_count() as u32 {
            for op in problem.operands(i) {
                let Constraint::Fixed(unit) = op.constraint else {
                    continue;
                };
                let web = self.of(op.value());
                if self.preferred[web as usize] == NO_UNIT {
                    self.prefer(web, unit, spans);
                }
                let (from, to) = span(i, op);
                if self.conflict(unit, from, to, web).is_none() {
                    self.reserve(unit, from, to, web);
                }
            }
            let file = problem.file.unit_count;
            for unit in units(problem.clobbers(i)).filter(|u| u.index() < file) {
                self.reserve(unit, 2 * i + 1, 2 * i + 2, NO_WEB);
            }
        }
    }

    fn reserve(&mut self, unit: Unit, from: u32, to: u32, web: u32) {
        self.reservations[unit.index()].insert(from, (to, web));
        self.gaps[unit.index()].set((0, 0));
    }

    /// The first position in a span at which a unit is reserved for another web.
    pub fn conflict(&self, unit: Unit, from: u32, to: u32, web: u32) -> Option<u32> {
        let to = to.max(from + 1);
        let gap = &self.gaps[unit.index()];
        if gap.get().0 <= from && to <= gap.get().1 {
            return None;
        }
        let reservations = &self.reservations[unit.index()];
        let before = reservations.range(..=from).next_back();
        let end = before.map_or(0, |(_, &(end, _))| end);
        if let Some((_, &(_, other))) = before
            && end > from
            && other != web
        {
            return Some(from);
        }
        let after = reservations.range(from + 1..);
        let next = after.clone().next().map_or(u32::MAX, |(&at, _)| at);
        if end <= from && to <= next {
            gap.set((end, next));
        }
        (after.take_while(|&(&at, _)| at < to))
            .find(|(_, reservation)| reservation.1 != web)
            .map(|(&at, _)| at)
    }

    /// The first position from one on at which a unit is reserved for another web than a value's, while the value
    /// lives.
    pub fn reserved(&self, unit: Unit, v: u32, at: u32, spans: &Spans) -> Option<u32> {
        let web = self.of(v);
        let spans = spans.of(v as usize);
        let next = spans.partition_point(|&(_, to)| to <= at);
        (spans[next..].iter().take(MAX_COMPARED_RANGES))
            .find_map(|&(from, to)| self.conflict(unit, from.max(at), to, web))
    }

    /// The end of the last live range of a web of several values.
    pub fn end(&self, web: u32) -> Option<u32> {
        let (_, &end) = self.ranges(web)?.last_key_value()?;
        Some(end)
    }

    /// The preferred unit of a web; [`NO_UNIT`] if it has none.
    pub fn preferred(&self, web: u32) -> Unit {
        self.preferred[web as usize]
    }

    /// Gives a web its preferred unit, and reserves that for its live ranges where no other reservation is.
    fn prefer(&mut self, web: u32, unit: Unit, spans: &Spans) {
        self.preferred[web as usize] = unit;
        let all: Vec<(u32, u32)> = match self.ranges(web) {
            Some(all) => all.iter().map(|(&from, &to)| (from, to)).collect(),
            None => spans.of(web as usize).to_vec(),
        };
        for (from, to) in all {
            if self.conflict(unit, from, to, web).is_none() {
                self.reserve(unit, from, to, web);
            }
        }
    }

    /// Chooses the preferred unit of a web of several values that has none: of these units, in order, the one that is
    /// reserved in the fewest of the web's live ranges.
    pub fn choose_preferred(
        &mut self,
        web: u32,
        units: impl Iterator<Item = Unit>,
        spans: &Spans,
    ) -> Option<Unit> {
        if self.preferred[web as usize] != NO_UNIT {
            return None;
        }
        let all = self.ranges(web).filter(|all| all.len() > 1)?;
        let mut best: Option<(usize, Unit)> = None;
        for unit in units {
            let taken = |span: &(&u32, &u32)| self.conflict(unit, *span.0, *span.1, web).is_some();
            let count = all.iter().take(MAX_COMPARED_RANGES).filter(taken).count();
            if best.is_none_or(|(least, _)| count < least) {
                best = Some((count, unit));
            }
            if count == 0 {
                break;
            }
        }
        let (_, unit) = best?;
        self.prefer(web, unit, spans);
        Some(unit)
    }
}

/// The span in which an operand of an instruction needs its unit.
fn span(i: u32, op: &Operand) -> (u32, u32) {
    match op.is_use() {
        true => (2 * i, 2 * i + 1),
        false => (2 * i + 1, 2 * i + 2),
    }
}
