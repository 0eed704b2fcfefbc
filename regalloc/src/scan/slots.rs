//! Spill slots of webs.
//!
//! Takes moves and the places of operands. A slot is live from a store to the last load that may follow
//! it. Stores behind which the slot is not live are left out. Slots are assigned to webs by first fit, so that webs whose
//! slots are not live at once share GRFs.
//!
//! Liveness is that of the web's slot and not of its values, which live in units before they are stored and after the
//! last load. It is solved for 64 webs at a time, from the last block to the first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::lists::Lists;
use super::prune_moves::Draft;
use super::spans::lanes;
use super::{NO_VALUE, Step};
use crate::problem::{Place, Slot};
use kiln_platform::platform::UNIT_GRFS;

/// Number of slots whose liveness is solved at once: the bits of a word.
const LANES: u32 = u64::BITS;

/// An access to a slot.
#[derive(Clone, Copy, Default)]
struct Access {
    block: u32,
    point: u32,
    web: u32,
    is_load: bool,
    /// The number of the move; [`NO_VALUE`] for an operand in memory.
    step: u32,
}

/// By web: the spans of points in which its slot is live.
type Spans = BTreeMap<u32, BTreeMap<u32, u32>>;

impl Draft<'_> {
    /// The accesses to slots, in the order of the code: moves before an instruction, its operands, moves after it.
    fn accesses(&self) -> Vec<Access> {
        let problem = self.problem;
        let webs = self.slot_grfs.len() as u32;
        let mut list: Vec<Access> = Vec::new();
        let mut moves = (0..).zip(&self.moves).peekable();
        for b in 0..problem.block_count() {
            let add = |list: &mut Vec<Access>, point, place, is_load, step| {
                if let Place::Memory(web) = place
                    && web < webs
                {
                    list.push(Access {
                        block: b as u32,
                        point,
                        web,
                        is_load,
                        step,
                    });
                }
            };
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
        list
    }

    /// The spans in which slots are live. Drops the stores that nothing loads.
    fn live_slots(&mut self) -> Spans {
        let mut spans = Spans::new();
        let places = self.moves.iter().flat_map(|(_, (from, to))| [from, to]);
        if places.chain(&self.places).all(|place| !place.is_memory()) {
            return spans;
        }
        let accesses = self.accesses();
        let mut webs: Vec<u32> = accesses.iter().map(|access| access.web).collect();
        webs.sort_unstable();
        webs.dedup();
        let mut numbers = vec![NO_VALUE; self.slot_grfs.len()];
        for (n, &web) in (0..).zip(&webs) {
            numbers[web as usize] = n;
        }
        let numbered = accesses.iter().map(|access| {
            let n = numbers[access.web as usize];
            (n / LANES, (n % LANES, *access))
        });
        let groups = Lists::sorted(webs.len().div_ceil(LANES as usize), numbered);
        let mut unloaded = vec![false; self.moves.len()];
        for (n, group) in webs.chunks(LANES as usize).enumerate() {
            let found = self.spans_of(group.len(), groups.of(n), &mut unloaded);
            spans.extend(group.iter().copied().zip(found));
        }
        let mut unloaded = unloaded.into_iter();
        self.moves.retain(|_| unloaded.next() != Some(true));
        spans
    }

    /// The spans in which the slots of a group are live, from their accesses in the order of the code. Marks the stores
    /// that nothing loads.
    fn spans_of(
        &self,
        slots: usize,
        accesses: &[(u32, Access)],
        unloaded: &mut [bool],
    ) -> Vec<BTreeMap<u32, u32>> {
        let problem = self.problem;
        let live_out = self.live_out(accesses);
        // True if the slot is live after the access.
        let mut goes_on = vec![false; accesses.len()];
        let mut live_in = live_out.clone();
        for (n, (lane, access)) in accesses.iter().enumerate().rev() {
            let (live, bit) = (&mut live_in[access.block as usize], 1 << lane);
            goes_on[n] = *live & bit != 0;
            *live = if access.is_load {
                *live | bit
            } else {
                *live & !bit
            };
        }
        let mut spans = OpenSpans {
            starts: [0; LANES as usize],
            spans: vec![BTreeMap::new(); slots],
        };
        let mut live = 0u64;
        let mut next = accesses.iter().zip(goes_on).peekable();
        for (b, &live_in) in live_in.iter().enumerate() {
            let start = 2 * problem.insts_of(b).0;
            spans.close(live & !live_in, start);
            spans.open(live_in & !live, start);
            live = live_in;
            while let Some(((lane, access), goes_on)) =
                next.next_if(|((_, access), _)| access.block as usize == b)
            {
                let bit = 1 << lane;
                if !access.is_load {
                    match unloaded.get_mut(access.step as usize) {
                        Some(unloaded) if !goes_on => {
                            *unloaded = true;
                            continue;
                        }
                        _ => spans.open(bit, access.point),
                    }
                }
                if goes_on {
                    live |= bit;
                } else {
                    spans.close(bit, access.point + 1);
                    live &= !bit;
                }
            }
        }
        let end = 2 * problem.inst_count() as u32;
        spans.close(live, end);
        spans.spans
    }

    /// By block: the slots of a group that are live at its end, each a bit.
    fn live_out(&self, accesses: &[(u32, Access)]) -> Vec<u64> {
        let problem = self.problem;
        let blocks = problem.block_count();
        let (mut loaded, mut stored) = (vec![0u64; blocks], vec![0u64; blocks]);
        for (lane, access) in accesses.iter().rev() {
            let (b, bit) = (access.block as usize, 1 << lane);
            if access.is_load {
                loaded[b] |= bit;
            } else {
                loaded[b] &= !bit;
                stored[b] |= bit;
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
        let grfs = self.whole_slots();
        let mut in_memory = self.live_slots();
        let mut order: Vec<(u32, u32)> = (in_memory.iter())
            .filter_map(|(&web, spans)| Some((*spans.first_key_value()?.0, web)))
            .collect();
        order.sort_unstable();
        let mut numbers = vec![NO_VALUE; self.slot_grfs.len()];
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

    /// By web, the GRFs of its slot: all of a unit for an operand in memory, unless that is a copy.
    fn whole_slots(&self) -> Vec<u32> {
        let problem = self.problem;
        let mut grfs = self.slot_grfs.clone();
        for i in (0..problem.inst_count() as u32).filter(|&i| !problem.is_copy(i)) {
            for place in &self.places[problem.operands_from(i)..problem.operands_from(i + 1)] {
                if let Place::Memory(web) = place
                    && let Some(own) = grfs.get_mut(*web as usize)
                {
                    *own = UNIT_GRFS;
                }
            }
        }
        grfs
    }
}

/// Spans of the slots of a group, found from the first point of the code to the last.
struct OpenSpans {
    /// By slot: where its last span starts, while that is open.
    starts: [u32; LANES as usize],
    spans: Vec<BTreeMap<u32, u32>>,
}

impl OpenSpans {
    fn open(&mut self, slots: u64, at: u32) {
        for n in lanes(slots) {
            // A span that ends here goes on.
            let last = self.spans[n].last_entry().filter(|last| *last.get() >= at);
            self.starts[n] = last.map_or(at, |last| last.remove_entry().0);
        }
    }

    fn close(&mut self, slots: u64, at: u32) {
        for n in lanes(slots) {
            self.spans[n].insert(self.starts[n], at);
        }
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
