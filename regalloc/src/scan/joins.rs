//! Where values are where blocks begin.
//!
//! Behind a block that alone leads to it, a block has everything where it was. Where several ways meet, it is
//! chosen what is in a register and in which; what is elsewhere on one of the ways is moved at the end of the
//! block that comes from there. At the start of a loop the ways back are not known yet: they move what they have
//! to where the loop wants it.

use regalloc2::{Block, Function, Inst, ProgPoint};
use smallvec::SmallVec;

use super::edges::{self, Move, Place};
use super::lives::{BEHIND_LOOP, Far};
use super::{NOBODY, Placed, Scan, Turn, key};

/// Where a block wants values, and its parameters that anybody reads.
#[derive(Clone, Default)]
pub(super) struct Entry {
    values: Placed,
    params: Vec<Option<Place>>,
}

/// A value or parameter that lives at the start of a block.
struct Candidate {
    v: u32,
    param: Option<usize>,
    /// From there to its next use.
    distance: u32,
    /// Where it is at the end of each block that is known to lead here.
    places: SmallVec<[Option<Place>; 4]>,
    /// How many of these are registers.
    held: usize,
    /// In a register.
    wanted: bool,
}

/// What is where, for values that are asked for in ascending order.
struct Ascending<'a>(&'a [(u32, Place)]);

impl Ascending<'_> {
    fn find(&mut self, v: u32) -> Option<Place> {
        let behind = self.0.iter().position(|&(at, _)| at >= v)?;
        self.0 = &self.0[behind..];
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

    /// By what comes first: what is nearest, and of that the first value. One number is soon compared.
    fn key(&self) -> u64 {
        u64::from(self.distance) << 32 | u64::from(self.v)
    }
}

impl Scan<'_> {
    /// Where the values are at the start of a block.
    pub(super) fn enter(&mut self, b: usize) {
        let input = self.input;
        let block = Block::new(b);
        let (first, end) = input.insts_of(b);
        (self.block, self.end) = (b, end);
        self.holds = [NOBODY; 64];
        self.free = self.all;
        let preds: SmallVec<[usize; 4]> =
            input.block_preds(block).iter().map(|p| p.index()).collect();
        let params: SmallVec<[u32; 8]> = (input.block_params(block).iter())
            .map(|p| p.vreg() as u32)
            .collect();
        match preds[..] {
            [] => {}
            [pred] if pred < b => self.follow(pred, b, first, &params),
            _ => self.meet(b, first, &preds, &params),
        }
        // Where everything was at the end of a block is not asked again behind the last that it leads to.
        for &pred in preds.iter().filter(|&&pred| pred < b) {
            let succs = input.block_succs(Block::new(pred));
            if succs.iter().all(|succ| succ.index() <= b) {
                let done = std::mem::take(&mut self.exits[pred]);
                self.spare.extend((done.capacity() > 0).then_some(done));
            }
        }
        for &p in &params {
            self.bear(p, ProgPoint::before(Inst::new(first as usize)));
        }
    }

    fn exit_of(&self, pred: usize, v: u32) -> Option<Place> {
        let exit = &self.exits[pred];
        let at = exit.binary_search_by_key(&v, |&(v, _)| v).ok()?;
        Some(exit[at].1)
    }

    /// What is passed for the parameters of a block.
    fn args(&self, pred: usize, b: usize) -> &[regalloc2::VReg] {
        let block = Block::new(pred);
        let succs = self.input.block_succs(block);
        let s = succs.iter().position(|s| s.index() == b).unwrap_or(0);
        self.input.branch_blockparams(block, Inst::invalid(), s)
    }

    /// Enters the only way there is: values are where they were.
    fn follow(&mut self, pred: usize, b: usize, first: u32, params: &[u32]) {
        let is_near = self.is_near(pred, b);
        let exit = std::mem::take(&mut self.exits[pred]);
        let mut places = Ascending(&exit);
        for n in 0..self.lives.ins(b).len() {
            let v = self.lives.ins(b)[n].v;
            let place = match is_near {
                true => self.place[v as usize],
                false => places.find(v),
            };
            match place {
                Some(Place::Unit(unit)) => self.put(v, unit),
                place => self.place[v as usize] = place,
            }
        }
        self.exits[pred] = exit;
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut waiting: SmallVec<[(u32, Place); 8]> = SmallVec::new();
        for (n, &p) in params.iter().enumerate() {
            let arg = self.args(pred, b)[n].vreg() as u32;
            let from = match is_near {
                true => self.place[arg as usize],
                false => self.exit_of(pred, arg),
            };
            let Some(from) = from.filter(|_| self.lives.is_wanted(p)) else {
                continue;
            };
            match from.unit() {
                Some(unit) if self.free >> unit & 1 == 1 => self.put(p, unit),
                _ => waiting.push((p, from)),
            }
        }
        for (p, from) in waiting {
            let to = match self.choose(p, 2 * first, u64::MAX) {
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
        for step in edges::in_order(&moves, self.free, self.order[0]) {
            self.edits.push((key(2 * first, Turn::Entering), step));
        }
    }

    /// Enters from several sides: chooses what is in a register, and where.
    fn meet(&mut self, b: usize, first: u32, preds: &[usize], params: &[u32]) {
        for far in self.lives.ins(b) {
            self.place[far.v as usize] = None;
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
        self.settle(&all, b, first, known);
        let list = self.spare.pop().unwrap_or_default();
        let values = self.placed(self.lives.ins(b), list);
        let params = (params.iter())
            .map(|&p| self.place[p as usize].filter(|_| self.lives.is_wanted(p)))
            .collect();
        let entry = Entry { values, params };
        for &pred in known {
            self.edge(pred, b, &entry);
        }
        self.entries[b] = entry;
    }

    /// Enters a block to which all ways are known. Most values are in the same register on each of them: they stay
    /// there without being compared with others, unless another may want that register too.
    fn join(&mut self, b: usize, first: u32, known: &[usize], params: &[u32]) {
        let mut agreed: SmallVec<[(Far, u8); 64]> = SmallVec::new();
        let mut all = self.candidates(b, known, params, Some(&mut agreed));
        let places = all.iter().flat_map(|c| &c.places).flatten();
        let asked = places.fold(0, |asked, place| asked | place.bit());
        let whole = all.iter().filter(|c| c.held == known.len()).count();
        let all_fit = agreed.len() + whole <= self.order.len();
        let mut kept = 0;
        for &(far, unit) in &agreed {
            if all_fit && asked >> unit & 1 == 0 {
                self.put(far.v, unit);
                kept += 1;
            } else {
                let places = known.iter().map(|_| Some(Place::Unit(unit)));
                all.push(Candidate::new(far.v, None, far.distance, places));
            }
        }
        self.at_join(&mut all, known.len(), self.order.len() - kept);
        self.settle(&all, b, first, known);
        all.sort_unstable_by_key(|c| (c.param, c.v));
        for (n, &pred) in known.iter().enumerate() {
            self.lead(pred, b, &all, n);
        }
    }

    /// Moves what is not where a block wants it, at the end of the n-th block that leads there.
    fn lead(&mut self, pred: usize, b: usize, all: &[Candidate], n: usize) {
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        for c in all {
            let (Some(from), Some(to)) = (c.places[n], self.place[c.v as usize]) else {
                continue;
            };
            match (to.unit(), c.param) {
                (None, None) => {}
                (Some(_), None) if from == to => {}
                (None, Some(param)) => {
                    let arg = self.args(pred, b)[param].vreg() as u32;
                    match self.memory(arg) == to {
                        // They are one place in memory.
                        true => self.store(arg),
                        false => moves.push((from, to)),
                    }
                }
                (Some(_), _) => moves.push((from, to)),
            }
        }
        if !moves.is_empty() {
            let exits = self.exits[pred].iter();
            let used = exits.fold(self.all & !self.free, |used, (_, place)| used | place.bit());
            self.at_end(pred, &moves, used);
        }
    }

    /// Does moves at the end of a block, where some registers are in use.
    fn at_end(&mut self, pred: usize, moves: &[Move], used: u64) {
        let (_, end) = self.input.insts_of(pred);
        for step in edges::in_order(moves, self.all & !used, self.order[0]) {
            self.before(end - 1, step.0, step.1);
        }
    }

    /// Puts each where it is for the first that has it in a register, if that is not taken. Those at home
    /// come first: an argument for two parameters is at the home of one of them.
    fn settle(&mut self, all: &[Candidate], b: usize, first: u32, known: &[usize]) {
        let mut later: SmallVec<[u32; 16]> = SmallVec::new();
        let is_away = |c: &Candidate| {
            let home = Some(Place::Unit(self.webs.home(self.webs.of(c.v))));
            !c.places.contains(&home)
        };
        let away: SmallVec<[bool; 64]> = all.iter().map(is_away).collect();
        let home_first = [false, true].into_iter().flat_map(|wanted| {
            let these = all.iter().zip(&away);
            these.filter(move |(_, away)| **away == wanted)
        });
        for (c, _) in home_first {
            let units = c
                .places
                .iter()
                .filter_map(|place| place.and_then(Place::unit));
            let kept = units.into_iter().find(|&unit| self.free >> unit & 1 == 1);
            match kept {
                _ if !c.wanted => self.leave_in_memory(c, b, known),
                Some(unit) => self.put(c.v, unit),
                None => later.push(c.v),
            }
        }
        for v in later {
            if let Some(unit) = self.choose(v, 2 * first, u64::MAX) {
                self.put(v, unit);
            }
        }
    }

    /// All that lives at the start of a block, with the places that it comes from; but for values that are in the same
    /// register on all ways, if these are to be apart.
    fn candidates(
        &self,
        b: usize,
        known: &[usize],
        params: &[u32],
        mut agreed: Option<&mut SmallVec<[(Far, u8); 64]>>,
    ) -> Vec<Candidate> {
        let exits = known.iter().map(|&p| Ascending(&self.exits[p]));
        let mut exits: SmallVec<[Ascending; 4]> = exits.collect();
        let mut all = Vec::new();
        for far in self.lives.ins(b) {
            let mut places = exits.iter_mut().map(|exit| exit.find(far.v));
            if let Some(agreed) = &mut agreed
                && let Some(Some(Place::Unit(unit))) = places.next()
                && places.all(|place| place == Some(Place::Unit(unit)))
            {
                agreed.push((*far, unit));
                continue;
            }
            // What was found is found again at once.
            let places = exits.iter_mut().map(|exit| exit.find(far.v));
            all.push(Candidate::new(far.v, None, far.distance, places));
        }
        let from = |p: usize, n: usize| self.exit_of(p, self.args(p, b)[n].vreg() as u32);
        let wanted = (params.iter().enumerate()).filter(|(_, v)| self.lives.is_wanted(**v));
        all.extend(wanted.map(|(n, &v)| {
            let places = known.iter().map(|&p| from(p, n));
            Candidate::new(v, Some(n), self.lives.of_param(v), places)
        }));
        all
    }

    /// Where ways meet, what most have in a register stays in one: first what all have there, then what is
    /// nearest. A parameter that one way has in a register costs a message in either case.
    fn at_join(&self, all: &mut [Candidate], known: usize, room: usize) {
        // No distance has the highest bit.
        all.sort_by_cached_key(|c| u64::from(c.held < known) << 63 | c.key());
        let worth = |c: &&mut Candidate| 2 * c.held > known || (c.param.is_some() && c.held > 0);
        for c in all.iter_mut().filter(worth).take(room) {
            c.wanted = true;
        }
    }

    /// A loop has in registers what it uses, the nearest first, and of what passes through it what there is
    /// room for where most lives in it. What is in memory before it is loaded there only if all has room: in
    /// the loop it would have to go again.
    fn at_loop(&self, all: &mut [Candidate], b: usize, last: usize) {
        all.sort_by_key(Candidate::key);
        let used = all.partition_point(|c| c.distance < BEHIND_LOOP);
        let room = self.order.len();
        let most = self.lives.most[b..=last].iter().max();
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

    /// What is in memory at the start of a block is there on all ways: it is stored at its definition. Of
    /// a parameter that is true of arguments of its web; others are stored on the edge.
    fn leave_in_memory(&mut self, c: &Candidate, b: usize, known: &[usize]) {
        let memory = self.memory(c.v);
        self.place[c.v as usize] = Some(memory);
        let Some(n) = c.param else {
            return self.store(c.v);
        };
        self.stored[c.v as usize] = true;
        for &pred in known {
            let arg = self.args(pred, b)[n].vreg() as u32;
            if self.memory(arg) == memory {
                self.store(arg);
            }
        }
    }

    /// Moves what is not where a block wants it, at the end of a block that leads there alone.
    fn edge(&mut self, pred: usize, b: usize, entry: &Entry) {
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut used = 0u64;
        for &(_, place) in self.exits[pred].iter().chain(&entry.values) {
            used |= place.bit();
        }
        let mut places = Ascending(&self.exits[pred]);
        for &(v, to) in entry.values.iter().filter(|(_, to)| to.unit().is_some()) {
            if let Some(from) = places.find(v).filter(|from| *from != to) {
                moves.push((from, to));
            }
        }
        for (n, &to) in entry.params.iter().enumerate() {
            let arg = self.args(pred, b)[n].vreg() as u32;
            let (Some(to), Some(from)) = (to, self.exit_of(pred, arg)) else {
                continue;
            };
            used |= to.bit();
            match to.unit() {
                // They are one place in memory.
                None if self.memory(arg) == to => self.store(arg),
                _ => moves.push((from, to)),
            }
        }
        self.at_end(pred, &moves, used);
    }

    /// Where values are now, in the memory of a list that is not asked for any more. There are many such lists:
    /// their length is known.
    fn placed(&self, values: &[Far], mut placed: Placed) -> Placed {
        placed.clear();
        placed.reserve_exact(values.len());
        placed.extend((values.iter()).filter_map(|far| Some((far.v, self.place[far.v as usize]?))));
        placed
    }

    /// Whether a block is entered next, from another alone: all is still where it was at the end of that.
    fn is_near(&self, pred: usize, b: usize) -> bool {
        b == pred + 1 && self.input.block_preds(Block::new(b)).len() == 1
    }

    /// Remembers where values are at the end of a block, if that is asked for later, and leads them back to loops.
    pub(super) fn leave(&mut self, b: usize) {
        let succs = self.input.block_succs(Block::new(b));
        if !succs.iter().all(|succ| self.is_near(b, succ.index())) {
            let list = self.spare.pop().unwrap_or_default();
            self.exits[b] = self.placed(self.lives.outs(b), list);
        }
        for n in 0..self.input.block_succs(Block::new(b)).len() {
            let succ = self.input.block_succs(Block::new(b))[n].index();
            if succ <= b {
                let entry = std::mem::take(&mut self.entries[succ]);
                self.edge(b, succ, &entry);
                self.entries[succ] = entry;
            }
        }
    }
}
