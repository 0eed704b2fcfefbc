//! Places of values at the starts of blocks.
//!
//! A block with one predecessor has its values where that had them. At a join, units are chosen for values, and edges
//! whose predecessor has a value elsewhere get a move at the predecessor's end. At a loop header the ends of the back
//! edges are not known yet: they get moves to the places that the header chose.

use kiln_target::bits::UnitSet;
use smallvec::SmallVec;

use super::live_ranges::NextUse;
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
                Some(Place::Unit(unit)) if is_next || !self.is_away(v, first) => {
                    self.put(v, unit);
                }
                Some(Place::Unit(_)) => self.leave_in_slot(v),
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
                _ if self.is_away(p, first) => {
                    let memory = self.memory(p);
                    self.place[p as usize] = Some(memory);
                    self.stored[p as usize] = true;
                    match self.memory(arg) == memory {
                        // They have one slot.
                        true => self.store(arg),
                        false => moves.push((from, memory)),
                    }
                }
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
        match preds.iter().any(|&p| p >= b) {
            true => self.enter_loop(b, first, &known, params),
            false => self.join(b, first, &known, params),
        }
    }

    fn enter_loop(&mut self, b: usize, first: u32, known: &[usize], params: &[u32]) {
        let mut all = self.candidates(b, known, params, None);
        self.at_loop(&mut all, first);
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
        self.at_join(&mut all, first, known.len(), self.order.len() - kept);
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
        let (first, _) = self.problem.insts_of(b);
        for next in self.ranges.live_in(b) {
            let mut places = exits.iter_mut().map(|exit| exit.find(next.v));
            if let Some(agreed) = &mut agreed
                && let Some(Some(Place::Unit(unit))) = places.next()
                && places.all(|place| place == Some(Place::Unit(unit)))
                && !self.is_away(next.v, first)
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

    /// At a join the values that the plan does not have in memory are in units, first those that all predecessors have in
    /// one, then those with the nearest use. A value is there if most predecessors have it in a unit; of a planned web,
    /// if any has. A parameter that one predecessor has in a unit costs a message in either case.
    fn at_join(&self, all: &mut [Candidate], first: u32, known: usize, room: usize) {
        // No distance has the highest bit.
        all.sort_by_cached_key(|c| u64::from(c.held < known) << 63 | c.key());
        let stays = |c: &&mut Candidate| {
            let most = 2 * c.held > known || c.param.is_some() || self.is_planned(c.v);
            c.held > 0 && most && !self.is_away(c.v, first)
        };
        for c in all.iter_mut().filter(stays).take(room) {
            c.wanted = true;
        }
    }

    /// A loop header has in units the values that the plan does not have in memory, those with the nearest use first.
    /// What is in memory is loaded before the loop if its web is planned; what the walk spilled is not.
    fn at_loop(&self, all: &mut [Candidate], first: u32) {
        all.sort_by_key(Candidate::key);
        let stays =
            |c: &&mut Candidate| (c.held > 0 || self.is_planned(c.v)) && !self.is_away(c.v, first);
        for c in all.iter_mut().filter(stays).take(self.order.len()) {
            c.wanted = true;
        }
    }

    /// Leaves a value in its slot alone at the start of a block.
    fn leave_in_slot(&mut self, v: u32) {
        self.place[v as usize] = Some(self.memory(v));
        self.store(v);
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
