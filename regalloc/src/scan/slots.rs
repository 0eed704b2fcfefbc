//! Spill slots of webs.
//!
//! Takes the moves of the walk and the places of operands. A slot is live from a store to the last load that may follow
//! it. Stores behind which the slot is not live are left out. Slots are assigned to webs by first fit, so that webs whose
//! slots are not live at once share GRFs.
//!
//! Liveness is that of the web's slot and not of its values, which live in units before they are stored and after the
//! last load. It is solved for 64 webs at a time, from the last block to the first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::{NO_VALUE, Scan, Step};
use crate::problem::{Place, Slot};

/// An access to a slot.
#[derive(Clone, Copy)]
struct Access {
    point: u32,
    web: u32,
    is_load: bool,
    /// The number of the move; [`NO_VALUE`] for an operand in memory.
    step: u32,
}

/// Accesses to slots, in the order of the code.
struct Accesses {
    list: Vec<Access>,
    /// By block: its first access. The last entry is the number of accesses.
    starts: Vec<usize>,
}

impl Accesses {
    fn of(&self, b: usize) -> &[Access] {
        &self.list[self.starts[b]..self.starts[b + 1]]
    }
}

/// By web: the spans of points in which its slot is live.
type Spans = BTreeMap<u32, BTreeMap<u32, u32>>;

impl Scan<'_> {
    /// The accesses to slots: moves before an instruction, its operands, moves after it.
    fn accesses(&self) -> Accesses {
        let problem = self.problem;
        let webs = self.last_unit.len() as u32;
        let mut list: Vec<Access> = Vec::new();
        let mut starts = Vec::with_capacity(problem.block_count() + 1);
        let mut moves = (0..).zip(&self.moves).peekable();
        let add = |list: &mut Vec<Access>, point: u32, place: Place, is_load: bool, step: u32| {
            if let Place::Memory(web) = place
                && web < webs
            {
                list.push(Access {
                    point,
                    web,
                    is_load,
                    step,
                });
            }
        };
        for b in 0..problem.block_count() {
            starts.push(list.len());
            let (first, end) = problem.insts_of(b);
            for i in first..end {
                let places = &self.places[problem.operands_from(i)..];
                let operands = problem.operands(i).iter().zip(places);
                let mut steps = |list: &mut Vec<Access>, point: u32| {
                    let here = |(_, (key, _)): &(u32, &(u64, Step))| key >> 2 <= u64::from(point);
                    while let Some((step, (_, (from, to)))) = moves.next_if(here) {
                        add(list, point, *from, true, step);
                        add(list, point, *to, false, step);
                    }
                };
                steps(&mut list, 2 * i);
                for (_, &place) in operands.clone().filter(|(op, _)| op.is_use()) {
                    add(&mut list, 2 * i, place, true, NO_VALUE);
                }
                for (_, &place) in operands.filter(|(op, _)| op.is_def()) {
                    add(&mut list, 2 * i + 1, place, false, NO_VALUE);
                }
                steps(&mut list, 2 * i + 1);
            }
        }
        starts.push(list.len());
        Accesses { list, starts }
    }

    /// The spans in which slots are live. Drops the stores that nothing loads.
    fn live_slots(&mut self) -> Spans {
        let mut spans = Spans::new();
        let places = self.moves.iter().flat_map(|(_, (from, to))| [from, to]);
        if places.chain(&self.places).all(|place| !place.is_memory()) {
            return spans;
        }
        let accesses = self.accesses();
        let mut webs: Vec<u32> = accesses.list.iter().map(|access| access.web).collect();
        webs.sort_unstable();
        webs.dedup();
        let mut lanes = vec![NO_VALUE; self.last_unit.len()];
        let mut unloaded = vec![false; self.moves.len()];
        for group in webs.chunks(64) {
            for (lane, &web) in (0..).zip(group) {
                lanes[web as usize] = lane;
            }
            let lane =
                |access: &Access| Some(lanes[access.web as usize]).filter(|&n| n != NO_VALUE);
            let live_out = self.live_out(&accesses, lane);
            let found = self.spans_of(group, &accesses, &live_out, lane, &mut unloaded);
            for (&web, found) in group.iter().zip(found) {
                spans.insert(web, found.into_iter().collect());
                lanes[web as usize] = NO_VALUE;
            }
        }
        let mut unloaded = unloaded.into_iter();
        self.moves.retain(|_| unloaded.next() != Some(true));
        spans
    }

    /// The spans in which the slots of a group are live. Marks the stores that nothing loads.
    fn spans_of(
        &self,
        group: &[u32],
        accesses: &Accesses,
        live_out: &[u64],
        lane: impl Fn(&Access) -> Option<u32>,
        unloaded: &mut [bool],
    ) -> Vec<Vec<(u32, u32)>> {
        let mut spans: Vec<Vec<(u32, u32)>> = vec![Vec::new(); group.len()];
        let mut in_block: Vec<(usize, u32, u32)> = Vec::new();
        for (b, &live_out) in live_out.iter().enumerate() {
            let (first, end) = self.problem.insts_of(b);
            let mut live = live_out;
            // Where the live part of each slot ends, from the end of the block back.
            let mut ends = [2 * end; 64];
            for access in accesses.of(b).iter().rev() {
                let Some(n) = lane(access) else { continue };
                let (n, bit) = (n as usize, 1 << n);
                if access.is_load {
                    if live & bit == 0 {
                        ends[n] = access.point + 1;
                    }
                    live |= bit;
                } else if live & bit != 0 {
                    in_block.push((n, access.point, ends[n]));
                    live &= !bit;
                } else if let Some(unloaded) = unloaded.get_mut(access.step as usize) {
                    *unloaded = true;
                } else {
                    in_block.push((n, access.point, access.point + 1));
                }
            }
            while live != 0 {
                let n = live.trailing_zeros() as usize;
                in_block.push((n, 2 * first, ends[n]));
                live &= live - 1;
            }
            for (n, from, to) in in_block.drain(..).rev() {
                match spans[n].last_mut() {
                    Some((_, end)) if *end >= from => *end = to.max(*end),
                    _ => spans[n].push((from, to)),
                }
            }
        }
        spans
    }

    /// By block: the slots of a group that are live at its end, each a bit.
    fn live_out(&self, accesses: &Accesses, lane: impl Fn(&Access) -> Option<u32>) -> Vec<u64> {
        let problem = self.problem;
        let blocks = problem.block_count();
        let (mut loaded, mut stored) = (vec![0u64; blocks], vec![0u64; blocks]);
        for b in 0..blocks {
            for access in accesses.of(b).iter().rev() {
                let Some(n) = lane(access) else { continue };
                if access.is_load {
                    loaded[b] |= 1 << n;
                } else {
                    loaded[b] &= !(1 << n);
                    stored[b] |= 1 << n;
                }
            }
        }
        let mut live_out = vec![0; blocks];
        let mut fresh = loaded;
        let mut next = blocks;
        while next > 0 {
            next -= 1;
            let bits = std::mem::take(&mut fresh[next]);
            if bits == 0 {
                continue;
            }
            for &pred in problem.preds(next) {
                let pred = pred as usize;
                let new = bits & !live_out[pred];
                live_out[pred] |= new;
                fresh[pred] |= new & !stored[pred];
                if new & !stored[pred] != 0 {
                    next = next.max(pred + 1);
                }
            }
        }
        live_out
    }

    /// The slots, and by web the number of its slot.
    pub(super) fn slots(&mut self) -> (Vec<u32>, Vec<Slot>) {
        let grfs = self.slot_grfs();
        let mut in_memory = self.live_slots();
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
