//! The answer, without moves that have no effect.
//!
//! Takes the moves of the walk and gives the answer. A value may be loaded or moved and then spilled before it is read,
//! and stored for loads that are not there any more: such moves are left out by liveness of units over the code, and
//! by slots without a load. Slots are assigned to webs by first fit; webs that are not in memory at once share GRFs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use kiln_target::bits::UnitSet;

use super::parallel_moves::{CYCLE_SLOT, SAVE_SLOT};
use super::{NO_VALUE, Scan, Step};
use crate::problem::{Answer, Move, Place, Slot};

impl Scan<'_> {
    /// The answer.
    pub(super) fn answer(mut self) -> Answer {
        self.moves.sort_by_key(|&(key, _)| key);
        self.drop_unread();
        self.drop_unloaded();
        let (numbers, mut slots) = self.slots();
        let unit_grfs = self.problem.file.unit_grfs;
        let mut others = [(CYCLE_SLOT, None), (SAVE_SLOT, None)];
        let mut place = |place: Place| match place {
            Place::Unit(_) => place,
            Place::Memory(web) => match others.iter_mut().find(|(slot, _)| *slot == web) {
                Some((_, number)) => Place::Memory(*number.get_or_insert_with(|| {
                    let at = slots.iter().map(|slot: &Slot| slot.at + slot.grfs).max();
                    slots.push(Slot {
                        at: at.unwrap_or(0),
                        grfs: unit_grfs,
                    });
                    slots.len() as u32 - 1
                })),
                None => Place::Memory(numbers[web as usize]),
            },
        };
        let moves = self.moves.iter().map(|&(key, (from, to))| Move {
            at: (key >> 2) as u32,
            from: place(from),
            to: place(to),
        });
        let moves = moves.collect();
        let mut places = std::mem::take(&mut self.places);
        places.iter_mut().for_each(|at| *at = place(*at));
        Answer {
            places,
            moves,
            slots,
        }
    }

    /// Drops moves to units that are written again before anything reads them, from the end of each block to its
    /// start.
    fn drop_unread(&mut self) {
        let problem = self.problem;
        let mut unread = vec![false; self.moves.len()];
        let mut next = self.moves.len();
        // By block, the units that are read from its start on; units that hold something, as long as that is unknown.
        let mut reads = std::mem::take(&mut self.starts);
        for b in (0..problem.block_count()).rev() {
            let succs = problem.edges(b).iter();
            let mut read = succs.fold(UnitSet::EMPTY, |set, edge| set | reads[edge.to as usize]);
            let (first, end) = problem.insts_of(b);
            for i in (first..end).rev() {
                let mut moves = |from: u64, read: &mut UnitSet, moves: &[(u64, Step)]| {
                    while let Some(at) = next.checked_sub(1)
                        && moves[at].0 >> 2 >= from
                    {
                        next = at;
                        let (from, to) = moves[at].1;
                        unread[at] = to.unit().is_some_and(|unit| !read.contains(unit));
                        if !unread[at] {
                            *read = (*read - to.set()) | from.set();
                        }
                    }
                };
                moves(2 * u64::from(i) + 1, &mut read, &self.moves);
                let places = &self.places[problem.operands_from(i)..];
                let ops = problem.operands(i).iter().zip(places);
                for (_, place) in ops.clone().filter(|(op, _)| op.is_def()) {
                    read -= place.set();
                }
                for (_, place) in ops.filter(|(op, _)| op.is_use()) {
                    read |= place.set();
                }
                moves(2 * u64::from(i), &mut read, &self.moves);
            }
            reads[b] = read;
        }
        let mut unread = unread.into_iter();
        self.moves.retain(|_| unread.next() != Some(true));
    }

    /// Drops stores to slots from which nothing is loaded.
    fn drop_unloaded(&mut self) {
        let mut loaded = vec![false; self.last_unit.len()];
        let froms = self.moves.iter().map(|&(_, (from, _))| from);
        for place in froms.chain(self.places.iter().copied()) {
            if let Place::Memory(web) = place
                && let Some(loaded) = loaded.get_mut(web as usize)
            {
                *loaded = true;
            }
        }
        let is_loaded = |web: u32| loaded.get(web as usize).is_none_or(|loaded| *loaded);
        self.moves.retain(|(_, (_, to))| match *to {
            Place::Memory(web) => is_loaded(web),
            Place::Unit(_) => true,
        });
        for v in 0..self.stored.len() {
            self.stored[v] &= is_loaded(self.webs.of(v as u32));
        }
    }

    /// The spans in which each web has values in its slot. A parameter is stored at the ends of the predecessors of
    /// its block, while others are still read.
    fn spans_in_memory(&self) -> BTreeMap<u32, BTreeMap<u32, u32>> {
        let mut spans: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for v in (0..self.last_unit.len() as u32).filter(|&v| self.stored[v as usize]) {
            let of_web = spans.entry(self.webs.of(v)).or_default();
            of_web.extend(self.ranges.spans.of(v as usize).iter().copied());
        }
        for b in 0..self.problem.block_count() {
            for &v in self.problem.params(b) {
                if !self.stored[v as usize] {
                    continue;
                }
                let web = self.webs.of(v);
                for &pred in self.problem.preds(b) {
                    let end = 2 * self.problem.insts_of(pred as usize).1;
                    // Unless another value of the web is there until then.
                    let of_web = spans.entry(web).or_default();
                    let before = of_web.range(..end).next_back();
                    if before.is_none_or(|(_, &to)| to < end) {
                        of_web.insert(end - 1, end);
                    }
                }
            }
        }
        spans
    }

    /// The slots, and by web the number of its slot.
    fn slots(&self) -> (Vec<u32>, Vec<Slot>) {
        let grfs = self.slot_grfs();
        let mut in_memory = self.spans_in_memory();
        let mut order: Vec<(u32, u32)> = (in_memory.iter())
            .filter_map(|(&web, spans)| Some((*spans.first_key_value()?.0, web)))
            .collect();
        order.sort_unstable();
        let mut numbers = vec![NO_VALUE; self.last_unit.len()];
        let mut slots = Vec::new();
        let mut taken = Taken::default();
        for (start, web) in order {
            let Some(spans) = in_memory.remove(&web) else {
                continue;
            };
            let size = grfs[web as usize] as usize;
            let at = taken.first_fit(start, &spans, size);
            numbers[web as usize] = slots.len() as u32;
            slots.push(Slot {
                at: at as u32,
                grfs: size as u32,
            });
        }
        (numbers, slots)
    }

    /// By web, the GRFs of its slot: all of a unit for an operand in memory.
    fn slot_grfs(&self) -> Vec<u32> {
        let mut grfs = vec![1; self.last_unit.len()];
        for v in 0..self.last_unit.len() as u32 {
            let own = &mut grfs[self.webs.of(v) as usize];
            *own = self.problem.slot_grfs(v).max(*own);
        }
        for place in &self.places {
            if let Place::Memory(web) = place
                && let Some(own) = grfs.get_mut(*web as usize)
            {
                *own = self.problem.file.unit_grfs;
            }
        }
        grfs
    }
}

/// GRFs of scratch space that are taken, asked for by spans in the order of their starts.
#[derive(Default)]
struct Taken {
    /// By GRF: the spans in which it is taken.
    spans: Vec<BTreeMap<u32, u32>>,
    /// GRFs that are taken at the current position, with the end of that.
    busy: BinaryHeap<Reverse<(u32, usize)>>,
    /// The others.
    idle: BTreeSet<usize>,
}

impl Taken {
    /// Takes the first GRFs that follow each other and are free in all spans.
    fn first_fit(&mut self, start: u32, spans: &BTreeMap<u32, u32>, size: usize) -> usize {
        while let Some(&Reverse((end, grf))) = self.busy.peek()
            && end <= start
        {
            self.busy.pop();
            self.idle.insert(grf);
        }
        let count = self.spans.len();
        let mut found = None;
        let mut busy: Vec<(u32, usize)> = Vec::new();
        for &at in &self.idle {
            let last = self.spans[at].range(..=start).next_back();
            if let Some((_, &end)) = last.filter(|(_, end)| **end > start) {
                busy.push((end, at));
                continue;
            }
            let idle = (at..at + size).all(|grf| grf >= count || self.idle.contains(&grf));
            if idle && (at..at + size).all(|grf| self.is_free(grf, spans)) {
                found = Some(at);
                break;
            }
        }
        for (end, grf) in busy {
            self.idle.remove(&grf);
            self.busy.push(Reverse((end, grf)));
        }
        let at = found.unwrap_or(count);
        self.spans.resize(count.max(at + size), BTreeMap::new());
        self.idle.extend(count..at + size);
        for grf in &mut self.spans[at..at + size] {
            grf.extend(spans);
        }
        at
    }

    fn is_free(&self, grf: usize, spans: &BTreeMap<u32, u32>) -> bool {
        let Some(taken) = self.spans.get(grf) else {
            return true;
        };
        spans.iter().all(|(&from, &to)| {
            let before = taken.range(..to).next_back();
            before.is_none_or(|(_, &end)| end <= from)
        })
    }
}
