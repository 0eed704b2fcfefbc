//! Places of values at the starts of blocks.
//!
//! A block with one predecessor has its values where that had them. At a join, units are chosen for values, and edges
//! whose predecessor has a value elsewhere get a move at the predecessor's end. At a loop header the ends of the back
//! edges are not known yet: they get moves to the places that the header chose.

use kiln_target::bits::UnitSet;
use smallvec::SmallVec;

use super::live_ranges::{LOOP_EXIT_DISTANCE, NextUse};
use super::parallel_moves::in_order;
use super::{NO_VALUE, Order, PlaceList, Scan, Step, key};
use crate::problem::{Place, Unit};

/// The places that a loop header wants for live-in values and for its parameters that are used.
#[derive(Clone, Default)]
pub(super) struct Entry {
    values: PlaceList,
    params: Vec<Option<Place>>,
}

/// A value or parameter that lives at the start of a block.
struct Candidate {
    v: u32,
    param: Option<usize>,
    /// The distance from the start of the block to its next use.
    distance: u32,
    /// Its place at the end of each known predecessor.
    places: SmallVec<[Option<Place>; 4]>,
    /// Number of these that are units.
    held: usize,
    /// True if it is in a unit at the start of the block.
    wanted: bool,
}

/// Places of values that are asked for in ascending order.
struct Ascending<'a>(&'a [(u32, Place)]);

impl Ascending<'_> {
    fn find(&mut self, v: u32) -> Option<Place> {
        let next = self.0.iter().position(|&(at, _)| at >= v)?;
        self.0 = &self.0[next..];
        let (at, place) = self.0[0];
        (at == v).then_some(place)
    }
}

impl Candidate {
    fn new(
        v: u32,
        param: Option<usize>,
        distance: u32,
        places: impl IntoIterator<Item = Option<Place>>,
    ) -> Candidate {
        let places: SmallVec<[Option<Place>; 4]> = places.into_iter().collect();
        let units = places.iter().filter(|p| p.and_then(Place::unit).is_some());
        Candidate {
            v,
            param,
            distance,
            held: units.count(),
            places,
            wanted: false,
        }
    }

    /// The order of candidates: by the distance, then by number. One number is compared fast.
    fn key(&self) -> u64 {
        u64::from(self.distance) << 32 | u64::from(self.v)
    }
}

impl Scan<'_> {
    /// Sets the places of values at the start of a block.
    pub(super) fn enter(&mut self, b: usize) {
        let problem = self.problem;
        let (first, end) = problem.insts_of(b);
        (self.block, self.end) = (b, end);
        self.holds.fill(NO_VALUE);
        self.free = self.allocatable;
        let preds: SmallVec<[usize; 4]> = problem.preds(b).iter().map(|&p| p as usize).collect();
        let params = problem.params(b);
        match preds[..] {
            [] => {}
            [pred] if pred < b => self.follow(pred, b, first, params),
            _ => self.meet(b, first, &preds, params),
        }
        // A block's exit state is dropped after its last successor was visited.
        for &pred in preds.iter().filter(|&&pred| pred < b) {
            if (problem.edges(pred).iter()).all(|edge| edge.to as usize <= b) {
                let done = std::mem::take(&mut self.exits[pred]);
                self.spare.extend((done.capacity() > 0).then_some(done));
            }
        }
        for &p in params {
            self.define_at(p, 2 * first);
        }
    }

    fn exit_of(&self, pred: usize, v: u32) -> Option<Place> {
        let exit = &self.exits[pred];
        let at = exit.binary_search_by_key(&v, |&(v, _)| v).ok()?;
        Some(exit[at].1)
    }

    /// The arguments of a predecessor for the parameters of a block.
    fn args(&self, pred: usize, b: usize) -> &[u32] {
        let mut edges = self.problem.edges(pred).iter();
        let edge = edges.find(|edge| edge.to as usize == b);
        edge.map_or(&[], |edge| self.problem.args(edge))
    }

    /// Enters a block from its only predecessor: values stay where they are.
    fn follow(&mut self, pred: usize, b: usize, first: u32, params: &[u32]) {
        let is_next = self.is_next(pred, b);
        let exit = std::mem::take(&mut self.exits[pred]);
        let mut places = Ascending(&exit);
        for n in 0..self.ranges.live_in(b).len() {
            let v = self.ranges.live_in(b)[n].v;
            let place = match is_next {
                true => self.place[v as usize],
                false => places.find(v),
            };
            match place {
                Some(Place::Unit(unit)) => self.put(v, unit),
                place => self.place[v as usize] = place,
            }
        }
        self.exits[pred] = exit;
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        let mut waiting: SmallVec<[(u32, Place); 8]> = SmallVec::new();
        for (n, &p) in params.iter().enumerate() {
            let arg = self.args(pred, b)[n];
            let from = match is_next {
                true => self.place[arg as usize],
                false => self.exit_of(pred, arg),
            };
            let Some(from) = from.filter(|_| self.ranges.is_used(p)) else {
                continue;
            };
            match from.unit() {
                Some(unit) if self.free.contains(unit) => self.put(p, unit),
                _ => waiting.push((p, from)),
            }
        }
        for (p, from) in waiting {
            let to = match self.choose(p, 2 * first, UnitSet::ALL) {
                Some(unit) => {
                    self.put(p, unit);
                    Place::Unit(unit)
                }
                None => {
                    let memory = self.memory(p);
                    self.place[p as usize] = Some(memory);
                    self.stored[p as usize] = true;
                    memory
                }
            };
            moves.push((from, to));
        }
        for step in in_order(&moves, self.free, self.order[0]) {
            self.moves.push((key(2 * first, Order::BlockEntry), step));
        }
    }

    /// Enters a join or a loop header: chooses the values in units, and the units.
    fn meet(&mut self, b: usize, first: u32, preds: &[usize], params: &[u32]) {
        for next in self.ranges.live_in(b) {
            self.place[next.v as usize] = None;
        }
        let known: SmallVec<[usize; 4]> = preds.iter().copied().filter(|&p| p < b).collect();
        match preds.iter().copied().filter(|&p| p >= b).max() {
            Some(last) => self.enter_loop(b, first, &known, last, params),
            None => self.join(b, first, &known, params),
        }
    }

    fn enter_loop(&mut self, b: usize, first: u32, known: &[usize], last: usize, params: &[u32]) {
        let mut all = self.candidates(b, known, params, None);
        self.at_loop(&mut all, b, last);
        self.assign(&all, b, first, known);
        let list = self.spare.pop().unwrap_or_default();
        let values = self.place_list(self.ranges.live_in(b), list);
        let params = (params.iter())
            .map(|&p| self.place[p as usize].filter(|_| self.ranges.is_used(p)))
            .collect();
        let entry = Entry { values, params };
        for &pred in known {
            self.edge(pred, b, &entry);
        }
        self.entries[b] = entry;
    }

    /// Enters a join whose predecessors are all known. Most values are in the same unit on each edge: they stay there
    /// without being compared with others, unless another value may want that unit too.
    fn join(&mut self, b: usize, first: u32, known: &[usize], params: &[u32]) {
        let mut agreed: SmallVec<[(NextUse, Unit); 64]> = SmallVec::new();
        let mut all = self.candidates(b, known, params, Some(&mut agreed));
        let places = all.iter().flat_map(|c| &c.places).flatten();
        let asked: UnitSet = places.filter_map(|place| place.unit()).collect();
        let whole = all.iter().filter(|c| c.held == known.len()).count();
        let all_fit = agreed.len() + whole <= self.order.len();
        let mut kept = 0;
        for &(next, unit) in &agreed {
            if all_fit && !asked.contains(unit) {
                self.put(next.v, unit);
                kept += 1;
            } else {
                let places = known.iter().map(|_| Some(Place::Unit(unit)));
                all.push(Candidate::new(next.v, None, next.distance, places));
            }
        }
        self.at_join(&mut all, known.len(), self.order.len() - kept);
        self.assign(&all, b, first, known);
        all.sort_unstable_by_key(|c| (c.param, c.v));
        for (n, &pred) in known.iter().enumerate() {
            self.lead(pred, b, &all, n);
        }
    }

    /// Moves values to where a join wants them, at the end of its n-th predecessor.
    fn lead(&mut self, pred: usize, b: usize, all: &[Candidate], n: usize) {
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        for c in all {
            let (Some(from), Some(to)) = (c.places[n], self.place[c.v as usize]) else {
                continue;
            };
            match (to.unit(), c.param) {
                (None, None) => {}
                (Some(_), None) if from == to => {}
                (None, Some(param)) => {
                    let arg = self.args(pred, b)[param];
                    match self.memory(arg) == to {
                        // They have one slot.
                        true => self.store(arg),
                        false => moves.push((from, to)),
                    }
                }
                (Some(_), _) => moves.push((from, to)),
            }
        }
        if !moves.is_empty() {
            let exits = self.exits[pred].iter();
            let used = exits.fold(self.allocatable - self.free, |used, (_, place)| {
                used | place.set()
            });
            self.at_end(pred, &moves, used);
        }
    }

    /// Adds moves at the end of a block, where some units are in use.
    fn at_end(&mut self, pred: usize, moves: &[Step], used: UnitSet) {
        let (_, end) = self.problem.insts_of(pred);
        for step in in_order(moves, self.allocatable - used, self.order[0]) {
            self.before(end - 1, step.0, step.1);
        }
    }

    /// Puts each value into the unit in which the first predecessor has it, if that is not taken. Values in their
    /// preferred unit come first: an argument for two parameters is in the preferred unit of one of them.
    fn assign(&mut self, all: &[Candidate], b: usize, first: u32, known: &[usize]) {
        let mut later: SmallVec<[u32; 16]> = SmallVec::new();
        let is_away = |c: &Candidate| {
            let preferred = Some(Place::Unit(self.webs.preferred(self.webs.of(c.v))));
            !c.places.contains(&preferred)
        };
        let away: SmallVec<[bool; 64]> = all.iter().map(is_away).collect();
        let preferred_first = [false, true].into_iter().flat_map(|wanted| {
            let these = all.iter().zip(&away);
            these.filter(move |(_, away)| **away == wanted)
        });
        for (c, _) in preferred_first {
            let units = c
                .places
                .iter()
                .filter_map(|place| place.and_then(Place::unit));
            let kept = units.into_iter().find(|&unit| self.free.contains(unit));
            match kept {
                _ if !c.wanted => self.leave_in_memory(c, b, known),
                Some(unit) => self.put(c.v, unit),
                None => later.push(c.v),
            }
        }
        for v in later {
            if let Some(unit) = self.choose(v, 2 * first, UnitSet::ALL) {
                self.put(v, unit);
            }
        }
    }

    /// The live-in values and used parameters of a block, with their places at the ends of predecessors. Values that are
    /// in the same unit on all edges go to `agreed` instead, if that is given.
    fn candidates(
        &self,
        b: usize,
        known: &[usize],
        params: &[u32],
        mut agreed: Option<&mut SmallVec<[(NextUse, Unit); 64]>>,
    ) -> Vec<Candidate> {
        let exits = known.iter().map(|&p| Ascending(&self.exits[p]));
        let mut exits: SmallVec<[Ascending; 4]> = exits.collect();
        let mut all = Vec::new();
        for next in self.ranges.live_in(b) {
            let mut places = exits.iter_mut().map(|exit| exit.find(next.v));
            if let Some(agreed) = &mut agreed
                && let Some(Some(Place::Unit(unit))) = places.next()
                && places.all(|place| place == Some(Place::Unit(unit)))
            {
                agreed.push((*next, unit));
                continue;
            }
            // A place that was found is found again at once.
            let places = exits.iter_mut().map(|exit| exit.find(next.v));
            all.push(Candidate::new(next.v, None, next.distance, places));
        }
        let from = |p: usize, n: usize| self.exit_of(p, self.args(p, b)[n]);
        let wanted = (params.iter().enumerate()).filter(|(_, v)| self.ranges.is_used(**v));
        all.extend(wanted.map(|(n, &v)| {
            let places = known.iter().map(|&p| from(p, n));
            Candidate::new(v, Some(n), self.ranges.of_param(v), places)
        }));
        all
    }

    /// At a join a value stays in a unit if most predecessors have it in one: first the values that all have there, then
    /// those with the nearest use. A parameter that one predecessor has in a unit costs a message in either case.
    fn at_join(&self, all: &mut [Candidate], known: usize, room: usize) {
        // No distance has the highest bit.
        all.sort_by_cached_key(|c| u64::from(c.held < known) << 63 | c.key());
        let worth = |c: &&mut Candidate| 2 * c.held > known || (c.param.is_some() && c.held > 0);
        for c in all.iter_mut().filter(worth).take(room) {
            c.wanted = true;
        }
    }

    /// A loop header has in units the values that the loop uses, the nearest first, and live-through values as long as
    /// the loop's pressure leaves units. A value in memory before the loop is loaded there only if all fit: in the loop
    /// it would be spilled again.
    fn at_loop(&self, all: &mut [Candidate], b: usize, last: usize) {
        all.sort_by_key(Candidate::key);
        let used = all.partition_point(|c| c.distance < LOOP_EXIT_DISTANCE);
        let room = self.order.len();
        let most = self.ranges.max_live[b..=last].iter().max();
        let most = most.copied().unwrap_or(0) as usize;
        let (inside, through) = all.split_at_mut(used);
        let mut taken = 0;
        for c in inside {
            c.wanted = taken < room && (c.held > 0 || most <= room);
            taken += usize::from(c.wanted);
        }
        let taken = most.saturating_sub(through.len()).max(taken);
        let here = through.iter_mut().filter(|c| c.held > 0);
        for c in here.take(room.saturating_sub(taken)) {
            c.wanted = true;
        }
    }

    /// A value in memory at the start of a block is there on all edges: it is stored after its definition. For a
    /// parameter that is true of arguments of its web; others are stored on the edge.
    fn leave_in_memory(&mut self, c: &Candidate, b: usize, known: &[usize]) {
        let memory = self.memory(c.v);
        self.place[c.v as usize] = Some(memory);
        let Some(n) = c.param else {
            return self.store(c.v);
        };
        self.stored[c.v as usize] = true;
        for &pred in known {
            let arg = self.args(pred, b)[n];
            if self.memory(arg) == memory {
                self.store(arg);
            }
        }
    }

    /// Moves values to where a loop header wants them, at the end of a predecessor without other successors.
    fn edge(&mut self, pred: usize, b: usize, entry: &Entry) {
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        let mut used = UnitSet::EMPTY;
        for &(_, place) in self.exits[pred].iter().chain(&entry.values) {
            used |= place.set();
        }
        let mut places = Ascending(&self.exits[pred]);
        for &(v, to) in entry.values.iter().filter(|(_, to)| to.unit().is_some()) {
            if let Some(from) = places.find(v).filter(|from| *from != to) {
                moves.push((from, to));
            }
        }
        for (n, &to) in entry.params.iter().enumerate() {
            let arg = self.args(pred, b)[n];
            let (Some(to), Some(from)) = (to, self.exit_of(pred, arg)) else {
                continue;
            };
            used |= to.set();
            match to.unit() {
                // They have one slot.
                None if self.memory(arg) == to => self.store(arg),
                _ => moves.push((from, to)),
            }
        }
        self.at_end(pred, &moves, used);
    }

    /// The current places of values, in the memory of a list that is not needed any more. There are many such lists:
    /// their length is known.
    fn place_list(&self, values: &[NextUse], mut list: PlaceList) -> PlaceList {
        list.clear();
        list.reserve_exact(values.len());
        let places = values
            .iter()
            .map(|next| (next.v, self.place[next.v as usize]));
        list.extend(places.filter_map(|(v, place)| Some((v, place?))));
        list
    }

    /// True if a block is entered next and has no other predecessor: everything is still where it was at its end.
    fn is_next(&self, pred: usize, b: usize) -> bool {
        b == pred + 1 && self.problem.preds(b).len() == 1
    }

    /// Remembers places at the end of a block, if they are asked for later, and adds the moves of back edges.
    pub(super) fn leave(&mut self, b: usize) {
        let problem = self.problem;
        let succs = || problem.edges(b).iter().map(|edge| edge.to as usize);
        if !succs().all(|succ| self.is_next(b, succ)) {
            let list = self.spare.pop().unwrap_or_default();
            self.exits[b] = self.place_list(self.ranges.live_out(b), list);
        }
        for succ in succs().filter(|&succ| succ <= b) {
            let entry = std::mem::take(&mut self.entries[succ]);
            self.edge(b, succ, &entry);
            self.entries[succ] = entry;
        }
    }
}
