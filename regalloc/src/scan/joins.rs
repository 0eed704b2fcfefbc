//! Places of values at the starts of blocks.
//!
//! A block with one predecessor has its values where that had them. At a join, units are chosen for values, and edges
//! whose predecessor has a value elsewhere get a move at the predecessor's end. At a loop header the ends of the back
//! edges are not known yet: they get moves to the places that the header chose.

use kiln_platform::bits::UnitSet;
use smallvec::SmallVec;

use super::parallel_moves::in_order;
use super::{Held, NO_VALUE, Order, Scan, Step, key};
use crate::problem::{Place, Unit, units};

/// Number of joins ahead at which a value's unit is looked for.
const MAX_JOINS_AHEAD: u32 = 16;

/// The places that a loop header wants.
#[derive(Clone, Default)]
pub(super) struct Entry {
    /// Live-in values that are in units.
    values: Vec<(u32, Unit)>,
    /// By parameter; none if it is not used.
    params: Vec<Option<Place>>,
}

/// A value or parameter that lives at the start of a block.
struct Candidate {
    v: u32,
    param: Option<usize>,
    /// The distance from the start of the block to its next use.
    distance: u32,
    /// Place of the web at the end of each known predecessor.
    places: SmallVec<[Place; 4]>,
    /// Number of these that are units.
    held: usize,
    /// True if it is in one unit at the ends of all idle predecessors, or there are none.
    may_stay: bool,
    /// True if it is in a unit at the start of the block.
    wanted: bool,
}

impl Candidate {
    fn new(
        v: u32,
        param: Option<usize>,
        distance: u32,
        places: impl IntoIterator<Item = Place>,
        idle: usize,
    ) -> Candidate {
        let places: SmallVec<[Place; 4]> = places.into_iter().collect();
        let at_idle = &places[..idle];
        Candidate {
            v,
            param,
            distance,
            held: places.iter().filter(|place| !place.is_memory()).count(),
            may_stay: at_idle
                .iter()
                .all(|&place| !place.is_memory() && place == places[0]),
            places,
            wanted: false,
        }
    }

    /// The order of candidates: by the distance, then by number. One number is compared fast.
    fn key(&self) -> u64 {
        u64::from(self.distance) << 32 | u64::from(self.v)
    }
}

impl<'a> Scan<'a> {
    /// Sets the places of values at the start of a block.
    pub(super) fn enter(&mut self, b: usize) {
        let problem = self.problem;
        let (first, _) = problem.insts_of(b);
        self.block = b;
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
                self.spare.extend((!done.is_empty()).then_some(done));
            }
        }
        for &p in params {
            self.define_at(p, 2 * first);
        }
    }

    /// The place of a value at the end of a block that it lives at.
    fn exit_of(&self, pred: usize, v: u32) -> Place {
        let unit = self.exits[pred].iter().position(|&held| held == v);
        unit.map_or_else(|| self.memory(v), |unit| Place::Unit(Unit(unit as u16)))
    }

    /// The arguments of a predecessor for the parameters of a block.
    fn args(&self, pred: usize, b: usize) -> &'a [u32] {
        let mut edges = self.problem.edges(pred).iter();
        let edge = edges.find(|edge| edge.to as usize == b);
        edge.map_or(&[], |edge| self.problem.args(edge))
    }

    /// Enters a block from its only predecessor: values stay where they are.
    fn follow(&mut self, pred: usize, b: usize, first: u32, params: &[u32]) {
        let is_next = self.is_next(pred, b);
        if !is_next {
            self.restore(pred);
        }
        let froms = self.args(pred, b).iter().map(|&arg| self.place_of(arg));
        let froms: SmallVec<[Place; 8]> = froms.collect();
        if is_next {
            for n in 0..self.ranges.dead_at(b).len() {
                self.clear(self.ranges.dead_at(b)[n]);
            }
        } else {
            self.keep_live(first);
        }
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        let mut waiting: SmallVec<[(u32, Place); 8]> = SmallVec::new();
        for (n, (&p, from)) in params.iter().zip(froms).enumerate() {
            if !self.ranges.is_used(p) {
                continue;
            }
            match from.unit() {
                _ if self.is_away(p, first) => {
                    let (arg, memory) = (self.args(pred, b)[n], self.memory(p));
                    match self.memory(arg) == memory {
                        // Both webs have one slot.
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
                None => self.memory(p),
            };
            moves.push((from, to));
        }
        for step in in_order(&moves, self.free, self.turns.preferred()[0]) {
            self.moves.push((key(2 * first, Order::BlockEntry), step));
        }
    }

    /// Clears the units of values that do not live before an instruction, and spills those that the plan has in memory.
    fn keep_live(&mut self, first: u32) {
        for unit in 0..self.holds.len() {
            let v = self.holds[unit];
            if v == NO_VALUE {
                continue;
            }
            if !self.ranges.is_live(v, 2 * first) {
                self.clear(v);
            } else if self.is_away(v, first) {
                let unit = Unit(unit as u16);
                self.clear(v);
                let from = (key(2 * first, Order::Leave), unit);
                let is_idle = self.problem.is_idle(self.block);
                self.store_from(v, (!is_idle).then_some(from));
            }
        }
    }

    /// Enters a join or a loop header: chooses the values in units, and the units.
    fn meet(&mut self, b: usize, first: u32, preds: &[usize], params: &[u32]) {
        self.holds.fill(NO_VALUE);
        self.free = self.allocatable;
        let mut known: SmallVec<[usize; 4]> = preds.iter().copied().filter(|&p| p < b).collect();
        // Values are where the first has them, and nothing is moved at the end of an idle one.
        known.sort_by_key(|&p| !self.problem.is_idle(p));
        self.place_undefined(b, &known[..self.idle_among(&known)]);
        match preds.iter().any(|&p| p >= b) {
            true => self.enter_loop(b, first, &known, params),
            false => self.join(b, first, &known, params),
        }
    }

    fn enter_loop(&mut self, b: usize, first: u32, known: &[usize], params: &[u32]) {
        let live_in = self.ranges.live_in(b).iter();
        let mut all: Vec<Candidate> = live_in
            .map(|&v| self.candidate(v, b, known))
            .chain(self.param_candidates(b, known, params))
            .collect();
        self.at_loop(&mut all, first);
        self.assign(&all, first);
        let values = all.iter().filter(|c| c.param.is_none());
        let entry = Entry {
            values: values
                .filter_map(|c| Some((c.v, self.unit_of(c.v)?)))
                .collect(),
            params: (params.iter())
                .map(|&p| self.ranges.is_used(p).then(|| self.place_of(p)))
                .collect(),
        };
        for &pred in known {
            self.edge(pred, b, &entry);
        }
        self.entries[b] = entry;
    }

    /// Enters a join whose predecessors are all known. Values in memory on all edges stay there. Most others are in the
    /// same unit on each edge: they stay there without being compared with others, unless another value may want that
    /// unit too.
    fn join(&mut self, b: usize, first: u32, known: &[usize], params: &[u32]) {
        let mut agreed: SmallVec<[(u32, Unit); 64]> = SmallVec::new();
        let mut others: SmallVec<[u32; 64]> = SmallVec::new();
        for n in 0..self.holds.len() {
            let held = known.iter().map(|&p| self.exits[p][n]);
            let v = held.clone().next().unwrap_or(NO_VALUE);
            if !held.clone().all(|other| other == v) {
                others.extend(held.filter(|&v| v != NO_VALUE));
            } else if v != NO_VALUE && self.ranges.is_live(v, 2 * first) {
                match self.is_away(v, first) {
                    true => others.push(v),
                    false => agreed.push((v, Unit(n as u16))),
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        others.retain(|v| self.ranges.is_live(*v, 2 * first));
        let mut all: Vec<Candidate> = (others.iter())
            .map(|&v| self.candidate(v, b, known))
            .chain(self.param_candidates(b, known, params))
            .collect();
        let places = all.iter().flat_map(|c| &c.places);
        let asked: UnitSet = places.filter_map(|place| place.unit()).collect();
        let whole = all.iter().filter(|c| c.held == known.len()).count();
        let all_fit = agreed.len() + whole <= self.turns.preferred().len();
        let mut kept = 0;
        for &(v, unit) in &agreed {
            if all_fit && !asked.contains(unit) {
                self.put(v, unit);
                kept += 1;
            } else {
                all.push(self.candidate(v, b, known));
            }
        }
        self.at_join(
            &mut all,
            first,
            known.len(),
            self.turns.preferred().len() - kept,
        );
        self.assign(&all, first);
        all.sort_unstable_by_key(|c| (c.param, c.v));
        for (n, &pred) in known.iter().enumerate() {
            self.lead(pred, b, &all, n);
        }
    }

    /// Puts arguments without contents into the units in which other idle predecessors of a join have theirs, since nothing is
    /// moved at the end of an idle one. In a block without other definitions, and so without uses, a unit in which one of them is, or
    /// which is free at its end and none of them was in, is free before: what it held is in memory or nowhere.
    fn place_undefined(&mut self, b: usize, idle: &[usize]) {
        let problem = self.problem;
        let known = |n: usize| {
            let args = idle.iter().map(|&p| (p, self.args(p, b)[n]));
            let mut known = args.filter(|&(_, arg)| problem.undefined_by(arg).is_none());
            known
                .next()
                .and_then(|(p, arg)| self.exit_of(p, arg).unit())
        };
        let wanted: SmallVec<[Option<Unit>; 8]> = (0..problem.params(b).len()).map(known).collect();
        for &pred in idle {
            let (first, end) = problem.insts_of(pred);
            let own = |v: u32| {
                let inst = problem.undefined_by(v);
                inst.filter(|inst| (first..end).contains(inst))
            };
            let mut defined = (first..end).flat_map(|inst| problem.operands(inst));
            if !defined.all(|op| own(op.value()).is_some()) {
                continue;
            }
            let (from, to) = (problem.operands_from(first), problem.operands_from(end));
            for (&v, wanted) in self.args(pred, b).iter().zip(&wanted) {
                let had = own(v).and_then(|_| self.exit_of(pred, v).unit());
                let Some((had, wanted)) = had.zip(*wanted) else {
                    continue;
                };
                let other = self.exits[pred][wanted.index()];
                let count = |unit: Unit| {
                    let places = self.places[from..to].iter();
                    places.filter(|place| **place == Place::Unit(unit)).count()
                };
                let is_free = match own(other) {
                    None => other == NO_VALUE && count(wanted) == 0,
                    Some(_) => count(wanted) == 1,
                };
                if other == v || !is_free || count(had) != 1 {
                    continue;
                }
                for (v, unit) in [(other, had), (v, wanted)] {
                    self.exits[pred][unit.index()] = v;
                    if let Some(inst) = own(v) {
                        self.places[problem.operands_from(inst)] = Place::Unit(unit);
                        self.defined[v as usize] = (2 * inst + 1, unit);
                    }
                }
            }
        }
    }

    /// Moves values to where a join wants them, at the end of its n-th predecessor.
    fn lead(&mut self, pred: usize, b: usize, all: &[Candidate], n: usize) {
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        for c in all {
            let (from, to) = (c.places[n], self.place_of(c.v));
            match (to.unit(), c.param) {
                (None, None) => {}
                (Some(_), None) if from == to => {}
                (None, Some(param)) => {
                    let arg = self.args(pred, b)[param];
                    match self.memory(arg) == to {
                        // Both webs have one slot.
                        true => self.store(arg),
                        false => moves.push((from, to)),
                    }
                }
                (Some(_), _) => moves.push((from, to)),
            }
        }
        if !moves.is_empty() {
            let used = (self.allocatable - self.free) | self.used_at_end(pred);
            self.at_end(pred, &moves, used);
        }
    }

    /// The units that hold something at the end of a block.
    fn used_at_end(&self, pred: usize) -> UnitSet {
        let exit = self.exits[pred].iter().enumerate();
        exit.filter(|(_, v)| **v != NO_VALUE)
            .map(|(n, _)| Unit(n as u16))
            .collect()
    }

    /// Adds moves at the end of a block, where some units are in use.
    fn at_end(&mut self, pred: usize, moves: &[Step], used: UnitSet) {
        let (_, end) = self.problem.insts_of(pred);
        for step in in_order(moves, self.allocatable - used, self.turns.preferred()[0]) {
            self.before(end - 1, step.0, step.1);
        }
    }

    /// Puts each value into the unit in which the first predecessor has it, if that is not taken. Values in their
    /// preferred unit come first: an argument for two parameters is in the preferred unit of one of them.
    fn assign(&mut self, all: &[Candidate], first: u32) {
        let mut later: SmallVec<[u32; 16]> = SmallVec::new();
        let is_away = |c: &Candidate| {
            let preferred = Place::Unit(self.webs.preferred(self.webs.of(c.v)));
            !c.places.contains(&preferred)
        };
        let away: SmallVec<[bool; 64]> = all.iter().map(is_away).collect();
        let preferred_first = [false, true].into_iter().flat_map(|wanted| {
            let these = all.iter().zip(&away);
            these.filter(move |(_, away)| **away == wanted)
        });
        for (c, _) in preferred_first {
            let mut units = c.places.iter().filter_map(|place| place.unit());
            let kept = units.find(|&unit| self.free.contains(unit));
            match kept {
                // A parameter's arguments are stored on the edges.
                _ if !c.wanted && (c.param.is_some() || c.held == 0) => {}
                _ if !c.wanted => self.store(c.v),
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

    /// A live-in value of a block, with its places at the ends of predecessors.
    fn candidate(&self, v: u32, b: usize, known: &[usize]) -> Candidate {
        let distance = self.ranges.next_use(v, self.problem.insts_of(b).0, b);
        let places = known.iter().map(|&p| self.exit_of(p, v));
        Candidate::new(v, None, distance, places, self.idle_among(known))
    }

    /// Number of idle predecessors, which come first.
    fn idle_among(&self, known: &[usize]) -> usize {
        known.iter().filter(|&&p| self.problem.is_idle(p)).count()
    }

    /// The used parameters of a block, with the places of their arguments.
    fn param_candidates<'b>(
        &'b self,
        b: usize,
        known: &'b [usize],
        params: &'b [u32],
    ) -> impl Iterator<Item = Candidate> + 'b {
        let from = move |p: usize, n: usize| self.exit_of(p, self.args(p, b)[n]);
        let used = params.iter().enumerate();
        let used = used.filter(|(_, v)| self.ranges.is_used(**v));
        let idle = self.idle_among(known);
        used.map(move |(n, &v)| {
            let distance = self.ranges.next_use(v, self.problem.insts_of(b).0, b);
            let places = known.iter().map(|&p| from(p, n));
            Candidate::new(v, Some(n), distance, places, idle)
        })
    }

    /// At a join the values that the plan does not have in memory are in units, first those that all predecessors have in
    /// one, then those with the nearest use. A value is there if most predecessors have it in a unit; of a planned web,
    /// if any has. A parameter that one predecessor has in a unit costs a message in either case.
    fn at_join(&self, all: &mut [Candidate], first: u32, known: usize, room: usize) {
        // No distance has the highest bit.
        all.sort_by_cached_key(|c| u64::from(c.held < known) << 63 | c.key());
        let stays = |c: &&mut Candidate| {
            let most = 2 * c.held > known || c.param.is_some() || self.is_planned(c.v);
            c.held > 0 && c.may_stay && most && !self.is_away(c.v, first)
        };
        for c in all.iter_mut().filter(stays).take(room) {
            c.wanted = true;
        }
    }

    /// A loop header has in units the values that the plan does not have in memory, those with the nearest use first.
    /// A value in memory is loaded before the loop if its web is planned, and not if the walk spilled it.
    fn at_loop(&self, all: &mut [Candidate], first: u32) {
        all.sort_by_key(Candidate::key);
        let stays = |c: &&mut Candidate| {
            c.may_stay && (c.held > 0 || self.is_planned(c.v)) && !self.is_away(c.v, first)
        };
        for c in all
            .iter_mut()
            .filter(stays)
            .take(self.turns.preferred().len())
        {
            c.wanted = true;
        }
    }

    /// Moves values to where a loop header wants them, at the end of a predecessor without other successors.
    fn edge(&mut self, pred: usize, b: usize, entry: &Entry) {
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        let mut used = self.used_at_end(pred);
        for &(v, unit) in &entry.values {
            used.insert(unit);
            if self.exits[pred][unit.index()] != v {
                moves.push((self.exit_of(pred, v), Place::Unit(unit)));
            }
        }
        for (n, to) in entry.params.iter().enumerate() {
            let Some(to) = *to else { continue };
            let arg = self.args(pred, b)[n];
            used |= to.set();
            match to.unit() {
                // Both webs have one slot.
                None if self.memory(arg) == to => self.store(arg),
                _ => moves.push((self.exit_of(pred, arg), to)),
            }
        }
        self.at_end(pred, &moves, used);
    }

    /// Moves values at the end of a block that idle ones follow to where the first other idle predecessor of their join
    /// has them, or a loop header that was entered: idle blocks move nothing.
    fn move_before_idle(&mut self, b: usize, first_idle: usize) {
        let problem = self.problem;
        let mut ways: SmallVec<[usize; 4]> = SmallVec::from_slice(&[first_idle]);
        while let Some(idle) = ways.pop() {
            for edge in problem.edges(idle) {
                let to = edge.to as usize;
                let is_only = problem.preds(to).len() == 1;
                if is_only && problem.is_idle(to) && problem.args(edge).is_empty() {
                    ways.push(to);
                } else if !is_only {
                    self.agree(b, idle, to);
                }
            }
        }
    }

    /// Moves values at the end of a block to where the join after an idle block wants them.
    fn agree(&mut self, b: usize, idle: usize, join: usize) {
        let wanted = self.wanted_after(b, idle, join, MAX_JOINS_AHEAD);
        let before = self.holds.clone();
        let targets: UnitSet = wanted.iter().map(|&(_, unit)| unit).collect();
        let targets = targets & self.allocatable;
        let mut used = self.allocatable - self.free;
        for (v, to) in wanted {
            let Some(from) = self.unit_of(v) else {
                continue;
            };
            if from == to || !targets.contains(to) {
                continue;
            }
            let other = self.held_by(to);
            self.clear(v);
            if other != NO_VALUE {
                let elsewhere = units(self.free - targets).next().unwrap_or(from);
                self.clear(other);
                self.put(other, elsewhere);
            }
            self.put(v, to);
        }
        used |= self.allocatable - self.free;
        let after = self.holds.iter().enumerate();
        let moved = after.filter(|&(n, &v)| v != NO_VALUE && before[n] != v);
        let moves: SmallVec<[Step; 8]> = moved
            .filter_map(|(n, &v)| {
                let from = before.iter().position(|&held| held == v)?;
                let place = |n| Place::Unit(Unit(n as u16));
                Some((place(from), place(n)))
            })
            .collect();
        if !moves.is_empty() {
            self.at_end(b, &moves, used);
        }
    }

    /// The units in which the join after an idle block wants the values that it passes: those of the loop header, those in
    /// which the first other idle predecessor has them, or those that a join ahead wants, to which they get without moves.
    fn wanted_after(&self, b: usize, idle: usize, join: usize, ahead: u32) -> Vec<(u32, Unit)> {
        if join <= b {
            return self.wanted_by_loop(idle, join);
        }
        let problem = self.problem;
        let wanted = self.wanted_by_join(idle, join);
        if !wanted.is_empty() || ahead == 0 || !problem.is_idle(join) {
            return wanted;
        }
        let next = problem.edges(join).iter().map(|edge| edge.to as usize);
        let mut next = next.filter(|&b| problem.is_idle(b) && problem.preds(b).len() == 1);
        let next = next.find_map(|b| Some((b, problem.edges(b).first()?.to as usize)));
        let wanted = next.map(|(next, to)| self.wanted_after(b, next, to, ahead - 1));
        let (params, args) = (problem.params(join), self.args(idle, join));
        let passed = |v| (params.iter().position(|&p| p == v)).map_or(v, |n| args[n]);
        let wanted = wanted.into_iter().flatten();
        wanted.map(|(v, unit)| (passed(v), unit)).collect()
    }

    /// The units in which the first idle predecessor of a join has its values, with the values that another passes.
    fn wanted_by_join(&self, idle: usize, join: usize) -> Vec<(u32, Unit)> {
        let (first, _) = self.problem.insts_of(join);
        let preds = self.problem.preds(join).iter().map(|&p| p as usize);
        // An idle block has values where the block before it has them at its end.
        let ended = |p: usize| match self.problem.preds(p) {
            &[before] if self.exits[p].is_empty() => before as usize,
            _ => p,
        };
        let known: SmallVec<[(usize, usize); 4]> = preds
            .filter(|&p| self.problem.is_idle(p))
            .map(|p| (p, ended(p)))
            .filter(|&(_, at)| !self.exits[at].is_empty())
            .collect();
        let Some(&(_, at)) = known.first() else {
            return Vec::new();
        };
        // An argument without contents may be anywhere (`place_undefined`).
        let args = self.args(idle, join).iter().enumerate();
        let args = args.filter_map(|(n, &ours)| {
            let mut theirs = known.iter().map(|&(p, at)| (at, self.args(p, join)[n]));
            let (at, theirs) = theirs.find(|&(_, v)| self.problem.undefined_by(v).is_none())?;
            Some((ours, self.exit_of(at, theirs).unit()?))
        });
        let held = (0..).zip(&self.exits[at]);
        let lives = held.filter(|&(_, &v)| {
            v != NO_VALUE && self.ranges.is_live(v, 2 * first) && !self.is_away(v, first)
        });
        args.chain(lives.map(|(n, &v)| (v, Unit(n)))).collect()
    }

    /// The units in which a loop header has its values, with the values that an idle block passes.
    fn wanted_by_loop(&self, idle: usize, header: usize) -> Vec<(u32, Unit)> {
        let Entry { values, params } = &self.entries[header];
        let args = params.iter().zip(self.args(idle, header));
        let args = args.filter_map(|(to, &arg)| Some((arg, (*to)?.unit()?)));
        args.chain(values.iter().copied()).collect()
    }

    /// True if a block is entered next and has no other predecessor: everything is still where it was at its end.
    fn is_next(&self, pred: usize, b: usize) -> bool {
        b == pred + 1 && self.problem.preds(b).len() == 1
    }

    /// Takes up the places that values had at the end of a block.
    fn restore(&mut self, pred: usize) {
        self.free = self.allocatable;
        for n in 0..self.holds.len() {
            let v = self.exits[pred][n];
            self.holds[n] = NO_VALUE;
            if v != NO_VALUE {
                self.put(v, Unit(n as u16));
            }
        }
    }

    /// Remembers places at the end of a block, if they are asked for later, and adds the moves of back edges.
    pub(super) fn leave(&mut self, b: usize) {
        let problem = self.problem;
        for edge in problem.edges(b) {
            let idle = edge.to as usize;
            if problem.is_idle(idle) && !problem.is_idle(b) && problem.preds(idle).len() == 1 {
                self.move_before_idle(b, idle);
            }
        }
        let succs = || problem.edges(b).iter().map(|edge| edge.to as usize);
        if !succs().all(|succ| self.is_next(b, succ)) {
            let mut exit: Held = self.spare.pop().unwrap_or_default();
            exit.clone_from(&self.holds);
            self.exits[b] = exit;
        }
        for succ in succs().filter(|&succ| succ <= b) {
            let entry = std::mem::take(&mut self.entries[succ]);
            self.edge(b, succ, &entry);
            self.entries[succ] = entry;
        }
    }
}
