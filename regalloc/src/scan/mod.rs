//! Assigns registers in one walk over the code, spilling by distance to the next use.
//!
//! Takes a function as the adapter presents it and gives an answer in regalloc2's form, so that all
//! that comes behind, and the checkers, need not know who gave it. Blocks are walked in reverse
//! postorder. The walk knows which value is in which register; where one is wanted and none is free, the
//! value goes to memory whose next use is furthest (Belady), and it is stored once, directly behind its
//! definition, so that every way to a later load has it there. At a block with several predecessors
//! values stay where they are for most of them; those that are elsewhere are moved on the edge. A loop
//! takes into registers what it uses, and of what only lives through it what it leaves room for.
//!
//! [`lives`] has liveness and distances, [`webs`] the registers that values should be in so that few
//! moves are needed, [`edges`] orders moves that happen at once. The time is near the length of the code,
//! whether or not it spills.

mod edges;
mod lives;
mod webs;

use regalloc2::{
    Allocation, Block, Edit, Function, Inst, Operand, OperandConstraint, OperandKind, OperandPos,
    Output, PRegSet, ProgPoint, RegAllocError, SpillSlot,
};
use smallvec::SmallVec;

use crate::adapter::{Adapter, Source, preg, unit};
use crate::frame::Frame;
use edges::{ASIDE, Move, Place, SPARE};
use lives::{BEHIND_LOOP, Lives};
use webs::{NOWHERE, Webs};

const NOBODY: u32 = u32::MAX;
/// A value that is in memory already costs no store: it goes first unless its next use is so many times
/// nearer.
const STORED: u32 = 2;

/// Where a value of a block's end or start is.
type Placed = Vec<(u32, Place)>;

struct Scan<'a> {
    input: &'a Adapter<'a>,
    lives: Lives,
    webs: Webs,
    /// Registers, in the order in which they are preferred.
    order: Vec<u8>,
    all: u64,
    /// By value, where it is now.
    place: Vec<Option<Place>>,
    /// By register, the value in it.
    holds: [u32; 64],
    free: u64,
    /// By value: it is in memory from its definition on.
    stored: Vec<bool>,
    /// By value: the register it was defined in, and where in the code.
    born: Vec<(u32, u8)>,
    /// By block, what lives at its end and where.
    exits: Vec<Placed>,
    /// Of blocks with backward edges: where values and parameters are at the start.
    entries: Vec<(Placed, Vec<Option<Place>>)>,
    /// With a key to order them by: a point of the program, and what comes first there.
    edits: Vec<(u64, Move)>,
    allocs: Vec<Place>,
    block: usize,
    /// The instruction behind the block's last.
    end: u32,
}

/// What comes first at one point of the program.
#[derive(Clone, Copy)]
enum Turn {
    Entering,
    Storing,
    InCode,
}

fn key(point: u32, turn: Turn) -> u64 {
    u64::from(point) << 2 | turn as u64
}

/// Assigns registers.
///
/// # Errors
/// An instruction needs more registers at once than there are.
pub fn run(input: &Adapter, frame: &Frame) -> Result<Output, RegAllocError> {
    let lives = Lives::new(input);
    let webs = Webs::new(input, &lives);
    let (saved, others): (Vec<u32>, Vec<u32>) =
        frame.units.iter().partition(|u| frame.saved.contains(u));
    let order: Vec<u8> = others.iter().chain(&saved).map(|&u| u as u8).collect();
    let all = order.iter().fold(0, |set, unit| set | 1 << unit);
    let values = input.num_vregs();
    let mut scan = Scan {
        input,
        lives,
        webs,
        order,
        all,
        place: vec![None; values],
        holds: [NOBODY; 64],
        free: all,
        stored: vec![false; values],
        born: vec![(0, NOWHERE); values],
        exits: vec![Vec::new(); input.num_blocks()],
        entries: vec![Default::default(); input.num_blocks()],
        edits: Vec::new(),
        allocs: Vec::with_capacity(input.operand_count()),
        block: 0,
        end: 0,
    };
    for b in 0..input.num_blocks() {
        scan.enter(b);
        let (first, end) = input.insts_of(b);
        for i in first..end {
            scan.inst(i)?;
        }
        scan.leave(b);
    }
    Ok(scan.finish())
}

fn set_of(pregs: PRegSet) -> u64 {
    pregs.into_iter().fold(0, |set, p| set | 1 << unit(p))
}

fn units(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let unit = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(unit)
    })
}

impl Scan<'_> {
    fn unit_of(&self, v: u32) -> Option<u8> {
        match self.place[v as usize] {
            Some(Place::Unit(unit)) => Some(unit),
            _ => None,
        }
    }

    fn memory(&self, v: u32) -> Place {
        Place::Memory(self.webs.of(v))
    }

    fn put(&mut self, v: u32, unit: u8) {
        self.place[v as usize] = Some(Place::Unit(unit));
        self.holds[unit as usize] = v;
        self.free &= !(1 << unit);
    }

    /// Takes a value out of its register.
    fn clear(&mut self, v: u32) {
        if let Some(unit) = self.unit_of(v)
            && self.holds[unit as usize] == v
        {
            self.holds[unit as usize] = NOBODY;
            self.free |= 1 << unit & self.all;
        }
        self.place[v as usize] = None;
    }

    /// From here on the value is in memory alone. It is stored where it was defined.
    fn spill(&mut self, v: u32) {
        self.clear(v);
        self.place[v as usize] = Some(self.memory(v));
        self.store(v);
    }

    fn store(&mut self, v: u32) {
        let (point, unit) = self.born[v as usize];
        if !std::mem::replace(&mut self.stored[v as usize], true) && unit != NOWHERE {
            let to = self.memory(v);
            self.edits
                .push((key(point, Turn::Storing), (Place::Unit(unit), to)));
        }
    }

    /// Remembers where a value comes from.
    fn bear(&mut self, v: u32, point: ProgPoint) {
        if let Some(unit) = self.unit_of(v) {
            let at = 2 * point.inst().index() as u32 + point.pos() as u32;
            self.born[v as usize] = (at, unit);
        }
    }

    fn before(&mut self, i: u32, from: Place, to: Place) {
        self.edits.push((key(2 * i, Turn::InCode), (from, to)));
    }

    /// A free register among some for a value from a position on: its web's home, or one that nobody is
    /// going to want while it lives.
    fn choose(&mut self, v: u32, at: u32, among: u64) -> Option<u8> {
        let free = self.free & among;
        if free == 0 {
            return None;
        }
        let web = self.webs.of(v);
        let mut home = self.webs.home(web);
        if home == NOWHERE {
            let candidates = self.order.iter().copied().filter(|&u| free >> u & 1 == 1);
            home = (self.webs.choose_home(web, candidates, &self.lives)).unwrap_or(NOWHERE);
        }
        if home != NOWHERE
            && free >> home & 1 == 1
            && self.webs.wanted(home, v, at, &self.lives).is_none()
        {
            return Some(home);
        }
        let mut best: Option<(u32, u8)> = None;
        for &unit in self.order.iter().filter(|&&u| free >> u & 1 == 1) {
            match self.webs.wanted(unit, v, at, &self.lives) {
                None => return Some(unit),
                Some(wanted) if best.is_none_or(|(latest, _)| wanted > latest) => {
                    best = Some((wanted, unit));
                }
                Some(_) => {}
            }
        }
        best.map(|(_, unit)| unit)
    }

    /// The same, where another value goes to memory if none is free.
    fn make_room(&mut self, v: u32, at: u32, among: u64, kept: u64) -> Result<u8, RegAllocError> {
        if let Some(unit) = self.choose(v, at, among) {
            return Ok(unit);
        }
        let held = self.all & !self.free & among & !kept;
        let distance = |unit: u8| {
            let v = self.holds[unit as usize];
            let next = self.lives.next(v, at / 2, self.block, self.end);
            match self.stored[v as usize] {
                true => next.saturating_mul(STORED),
                false => next,
            }
        };
        let furthest = units(held)
            .filter(|&u| self.holds[u as usize] != NOBODY)
            .max_by_key(|&u| (distance(u), u));
        let unit = furthest.ok_or(RegAllocError::TooManyLiveRegs)?;
        self.spill(self.holds[unit as usize]);
        Ok(unit)
    }

    fn inst(&mut self, i: u32) -> Result<(), RegAllocError> {
        let input = self.input;
        let inst = Inst::new(i as usize);
        let ops = input.inst_operands(inst);
        let start = input.operands_from(i);
        let lost = set_of(input.inst_clobbers(inst));
        let early = 2 * i;
        let value = |op: &Operand| op.vreg().vreg() as u32;
        let is_use = |op: &Operand| op.kind() == OperandKind::Use;
        let is_late = |op: &Operand| is_use(op) && op.pos() == OperandPos::Late;
        let fixed = |op: &Operand| match op.constraint() {
            OperandConstraint::FixedReg(preg) => Some(unit(preg) as u8),
            _ => None,
        };
        let (mut fixed_uses, mut fixed_defs) = (0u64, 0u64);
        for op in ops {
            if let Some(unit) = fixed(op) {
                match is_use(op) {
                    true => fixed_uses |= 1 << unit,
                    false => fixed_defs |= 1 << unit,
                }
            }
        }
        // Where nothing stays that lives on.
        let lost = lost | fixed_defs;
        let uses_it = |v: u32| ops.iter().any(|op| is_use(op) && value(op) == v);
        let stays = |this: &Self, v: u32| {
            let of_v = |k: &usize| is_use(&ops[*k]) && value(&ops[*k]) == v;
            let mut here = (0..ops.len()).filter(of_v).peekable();
            here.peek().is_none() || here.any(|k| !this.lives.dies(start + k as u32))
        };
        let late_use = |v: u32| ops.iter().any(|op| is_late(op) && value(op) == v);
        let mut places: SmallVec<[Option<Place>; 8]> = SmallVec::from_elem(None, ops.len());
        // Registers of operands, which no value is moved out of, and those of them that hold copies.
        let (mut kept, mut copies, mut late_copies) = (0u64, 0u64, 0u64);

        // What has to be somewhere. What is there goes elsewhere, or is itself one of these.
        let is_fixed = |v: u32| {
            ops.iter()
                .any(|op| is_use(op) && fixed(op).is_some() && value(op) == v)
        };
        for unit in units(fixed_uses & !self.free & self.all) {
            let v = self.holds[unit as usize];
            if v != NOBODY && !is_fixed(v) {
                let among = !fixed_uses & if stays(self, v) { !lost } else { u64::MAX };
                self.vacate(i, unit, among, &uses_it)?;
            }
        }
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut arrive: SmallVec<[(u32, u8); 8]> = SmallVec::new();
        for (k, op) in ops.iter().enumerate().filter(|(_, op)| is_use(op)) {
            let (Some(to), v) = (fixed(op), value(op)) else {
                continue;
            };
            let from = self.place[v as usize].ok_or(RegAllocError::TooManyLiveRegs)?;
            places[k] = Some(Place::Unit(to));
            kept |= 1 << to;
            if from != Place::Unit(to) {
                moves.push((from, Place::Unit(to)));
            }
            if lost >> to & 1 == 0 || !stays(self, v) {
                arrive.push((v, to));
                continue;
            }
            // It is read here, and lives on elsewhere.
            copies |= 1 << to;
            if is_late(op) {
                late_copies |= 1 << to;
            }
            if let Place::Unit(unit) = from
                && (lost | fixed_uses) >> unit & 1 == 1
            {
                match self.choose(v, early, !(lost | fixed_uses)) {
                    Some(other) => {
                        moves.push((from, Place::Unit(other)));
                        self.free &= !(1 << other);
                        arrive.push((v, other));
                    }
                    None => {
                        // Its register is cleared, and read before anything else is there.
                        self.spill(v);
                    }
                }
            }
        }
        let free = self.free & self.all & !fixed_uses;
        for step in edges::in_order(&moves, free) {
            self.before(i, step.0, step.1);
        }
        for &(v, _) in &arrive {
            self.clear(v);
        }
        for (v, to) in arrive {
            self.put(v, to);
        }
        self.free &= !copies;
        let anywhere = |op: &Operand| op.constraint() == OperandConstraint::Any;
        for op in ops.iter().filter(|op| is_use(op) && !anywhere(op)) {
            if let Some(unit) = self.unit_of(value(op)) {
                kept |= 1 << unit;
            }
        }
        for op in ops.iter().filter(|op| is_use(op) && fixed(op).is_none()) {
            let v = value(op);
            if self.unit_of(v).is_some() || anywhere(op) {
                continue;
            }
            let lasts = stays(self, v) || late_use(v);
            let among = !fixed_uses & if lasts { !lost } else { u64::MAX };
            let unit = match self.make_room(v, early, among, kept) {
                Ok(unit) => unit,
                Err(_) => self.make_room(v, early, !fixed_uses, kept)?,
            };
            self.before(i, self.memory(v), Place::Unit(unit));
            self.clear(v);
            self.put(v, unit);
            kept |= 1 << unit;
        }
        // What lives on and is where something else will be.
        let mut dropped: SmallVec<[u32; 4]> = SmallVec::new();
        for unit in units(lost & !self.free) {
            let v = self.holds[unit as usize];
            if v == NOBODY || copies >> unit & 1 == 1 || !(stays(self, v) || late_use(v)) {
                continue;
            }
            match self.choose(v, early, !(lost | fixed_uses)) {
                Some(to) => {
                    self.before(i, Place::Unit(unit), Place::Unit(to));
                    self.clear(v);
                    self.put(v, to);
                    if uses_it(v) {
                        kept |= 1 << to;
                    }
                }
                None if late_use(v) => return Err(RegAllocError::TooManyLiveRegs),
                None if uses_it(v) => dropped.push(v),
                None => self.spill(v),
            }
        }
        // What is written over.
        let mut over: SmallVec<[(usize, u8); 4]> = SmallVec::new();
        for (k, op) in ops.iter().enumerate() {
            let OperandConstraint::Reuse(old) = op.constraint() else {
                continue;
            };
            let v = value(&ops[old]);
            let unit = self.unit_of(v).ok_or(RegAllocError::TooManyLiveRegs)?;
            if stays(self, v) || late_use(v) || lost >> unit & 1 == 1 {
                let to = self.make_room(value(op), early, !(lost | fixed_uses), kept)?;
                self.before(i, Place::Unit(unit), Place::Unit(to));
                self.free &= !(1 << to);
                kept |= 1 << to;
                copies |= 1 << to;
                late_copies |= 1 << to;
                places[old] = Some(Place::Unit(to));
                over.push((k, to));
            } else {
                over.push((k, unit));
            }
        }
        for (k, op) in ops.iter().enumerate().filter(|(_, op)| is_use(op)) {
            places[k] = places[k].or(self.place[value(op) as usize]);
        }
        for v in dropped {
            self.spill(v);
        }

        // What dies makes room for what is defined.
        let mut behind: SmallVec<[u32; 8]> = SmallVec::new();
        for op in ops.iter().filter(|op| is_use(op)) {
            let v = value(op);
            match (stays(self, v), late_use(v)) {
                (true, _) => {}
                (false, true) => behind.push(v),
                (false, false) => self.clear(v),
            }
        }
        let passing = copies & !late_copies;
        self.free |= passing & self.all;
        let mut kept = late_copies;
        for op in ops.iter().filter(|op| is_late(op)) {
            if let Some(unit) = self.unit_of(value(op)) {
                kept |= 1 << unit;
            }
        }
        for (k, op) in ops.iter().enumerate().filter(|(_, op)| !is_use(op)) {
            if let Some(unit) = fixed(op) {
                // Inputs arrive in registers that are not given out, too.
                if self.all >> unit & 1 == 1 && self.free >> unit & 1 == 0 {
                    return Err(RegAllocError::TooManyLiveRegs);
                }
                self.put(value(op), unit);
                places[k] = Some(Place::Unit(unit));
                kept |= 1 << unit;
            }
        }
        for (k, unit) in over {
            self.put(value(&ops[k]), unit);
            places[k] = Some(Place::Unit(unit));
            kept |= 1 << unit;
        }
        for (k, op) in ops.iter().enumerate() {
            if is_use(op) || places[k].is_some() {
                continue;
            }
            let v = value(op);
            let same = match (input.source[i as usize], places.first()) {
                (Source::Copy, Some(&Some(Place::Unit(unit)))) => self.free >> unit & 1 == 1,
                _ => false,
            };
            let unit = match places[0] {
                Some(Place::Unit(unit)) if same => Ok(unit),
                _ => self.make_room(v, early + 1, !lost, kept),
            };
            match unit {
                Ok(unit) => {
                    self.put(v, unit);
                    places[k] = Some(Place::Unit(unit));
                    kept |= 1 << unit;
                }
                Err(_) if anywhere(op) => {
                    let memory = self.memory(v);
                    self.place[v as usize] = Some(memory);
                    self.stored[v as usize] = true;
                    places[k] = Some(memory);
                }
                Err(error) => return Err(error),
            }
        }
        self.free |= late_copies & self.all;
        for op in ops.iter().filter(|op| !is_use(op)) {
            if let Some(unit) = self.unit_of(value(op)) {
                self.free &= !(1 << unit);
            }
        }
        for v in behind {
            self.clear(v);
        }
        for (k, op) in ops.iter().enumerate().filter(|(_, op)| !is_use(op)) {
            self.bear(value(op), ProgPoint::after(inst));
            if self.lives.dies(start + k as u32) {
                self.clear(value(op));
            }
        }
        self.free &= self.all;
        self.allocs
            .extend(places.iter().map(|p| p.unwrap_or(Place::Memory(NOBODY))));
        Ok(())
    }

    /// Makes a register free before an instruction: its value goes elsewhere.
    fn vacate(
        &mut self,
        i: u32,
        unit: u8,
        among: u64,
        uses_it: &dyn Fn(u32) -> bool,
    ) -> Result<(), RegAllocError> {
        let v = self.holds[unit as usize];
        let to = match self.choose(v, 2 * i, among) {
            Some(to) => to,
            None if !uses_it(v) => {
                self.spill(v);
                return Ok(());
            }
            None => {
                let wanted = units(self.all & !self.free)
                    .filter(|&u| uses_it(self.holds[u as usize]))
                    .fold(0, |set, u| set | 1 << u);
                self.make_room(v, 2 * i, among, wanted)?
            }
        };
        self.before(i, Place::Unit(unit), Place::Unit(to));
        self.clear(v);
        self.put(v, to);
        Ok(())
    }

    /// Where the values are at the start of a block.
    fn enter(&mut self, b: usize) {
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
        for n in 0..self.lives.ins(b).len() {
            let v = self.lives.ins(b)[n].v;
            self.place[v as usize] = None;
        }
        match preds[..] {
            [] => {}
            [pred] if pred < b => self.follow(pred, b, first, &params),
            _ => self.meet(b, first, &preds, &params),
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
        for n in 0..self.lives.ins(b).len() {
            let v = self.lives.ins(b)[n].v;
            match self.exit_of(pred, v) {
                Some(Place::Unit(unit)) => self.put(v, unit),
                place => self.place[v as usize] = place,
            }
        }
        let args: SmallVec<[u32; 8]> = (self.args(pred, b).iter())
            .map(|a| a.vreg() as u32)
            .collect();
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut waiting: SmallVec<[(u32, Place); 8]> = SmallVec::new();
        for (&p, &arg) in params.iter().zip(&args) {
            let Some(from) = self.exit_of(pred, arg) else {
                continue;
            };
            if !self.lives.is_wanted(p) {
                continue;
            }
            match from {
                Place::Unit(unit) if self.free >> unit & 1 == 1 => self.put(p, unit),
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
        for step in edges::in_order(&moves, self.free) {
            self.edits.push((key(2 * first, Turn::Entering), step));
        }
    }

    /// Enters from several sides: chooses what is in a register, and where.
    fn meet(&mut self, b: usize, first: u32, preds: &[usize], params: &[u32]) {
        let known: SmallVec<[usize; 4]> = preds.iter().copied().filter(|&p| p < b).collect();
        let is_loop = known.len() < preds.len();
        let args: SmallVec<[SmallVec<[u32; 8]>; 4]> = (known.iter())
            .map(|&p| self.args(p, b).iter().map(|a| a.vreg() as u32).collect())
            .collect();
        struct Candidate {
            v: u32,
            param: Option<usize>,
            distance: u32,
            places: SmallVec<[Option<Place>; 4]>,
            wanted: bool,
        }
        let mut all: Vec<Candidate> = Vec::new();
        for far in self.lives.ins(b) {
            let places = known.iter().map(|&p| self.exit_of(p, far.v)).collect();
            all.push(Candidate {
                v: far.v,
                param: None,
                distance: far.distance,
                places,
                wanted: false,
            });
        }
        for (n, &p) in params.iter().enumerate() {
            let distance = self.lives.of_param(p);
            if self.lives.is_wanted(p) {
                let places = known
                    .iter()
                    .zip(&args)
                    .map(|(&p, args)| self.exit_of(p, args[n]));
                let places = places.collect();
                all.push(Candidate {
                    v: p,
                    param: Some(n),
                    distance,
                    places,
                    wanted: false,
                });
            }
        }
        let in_registers = |c: &Candidate| {
            c.places
                .iter()
                .filter(|p| matches!(p, Some(Place::Unit(_))))
                .count()
        };
        // What is nearest comes first; outside of loops, what all have in a register.
        all.sort_by_key(|c| {
            let everywhere = in_registers(c) == known.len();
            (!is_loop && !everywhere, c.distance, c.v)
        });
        let room = self.order.len();
        let mut taken = 0;
        let through = |c: &Candidate| is_loop && c.distance >= BEHIND_LOOP;
        for c in all.iter_mut().filter(|c| !through(c)) {
            let count = in_registers(c);
            let worth = match is_loop {
                true => count > 0 || c.distance < BEHIND_LOOP,
                false => 2 * count > known.len() || (c.param.is_some() && count > 0),
            };
            if worth && taken < room {
                c.wanted = true;
                taken += 1;
            }
        }
        if is_loop {
            let passing = all.iter().filter(|c| through(c)).count();
            let last = preds.iter().copied().filter(|&p| p >= b).max().unwrap_or(b);
            let most = self.lives.most[b..=last].iter().max().copied().unwrap_or(0) as usize;
            let inside = most.saturating_sub(passing).max(taken);
            let mut left = room.saturating_sub(inside);
            for c in all.iter_mut().filter(|c| through(c)) {
                if left > 0 && in_registers(c) > 0 {
                    c.wanted = true;
                    left -= 1;
                }
            }
        }
        // Each where it is for the first that has it in a register, if that is not taken.
        let mut later: SmallVec<[u32; 16]> = SmallVec::new();
        for c in &all {
            if !c.wanted {
                let memory = self.memory(c.v);
                self.place[c.v as usize] = Some(memory);
                match c.param {
                    None => self.store(c.v),
                    Some(n) => {
                        self.stored[c.v as usize] = true;
                        for args in &args {
                            if self.memory(args[n]) == memory {
                                self.store(args[n]);
                            }
                        }
                    }
                }
                continue;
            }
            let kept = c.places.iter().find_map(|p| match p {
                Some(Place::Unit(unit)) if self.free >> unit & 1 == 1 => Some(*unit),
                _ => None,
            });
            match kept {
                Some(unit) => self.put(c.v, unit),
                None => later.push(c.v),
            }
        }
        for v in later {
            if let Some(unit) = self.choose(v, 2 * first, u64::MAX) {
                self.put(v, unit);
            }
        }
        let entry: Placed = (self.lives.ins(b).iter())
            .filter_map(|far| Some((far.v, self.place[far.v as usize]?)))
            .collect();
        let of_params: Vec<Option<Place>> = (params.iter())
            .map(|&p| self.place[p as usize].filter(|_| self.lives.is_wanted(p)))
            .collect();
        self.entries[b] = (entry, of_params);
        for &pred in &known {
            self.edge(pred, b);
        }
        if !is_loop {
            self.entries[b] = Default::default();
        }
    }

    /// Moves what is not where a block wants it, at the end of a block that leads there alone.
    fn edge(&mut self, pred: usize, b: usize) {
        let (entry, params) = std::mem::take(&mut self.entries[b]);
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut used = 0u64;
        let note = |place: Place| match place {
            Place::Unit(unit) => 1u64 << unit,
            Place::Memory(_) => 0,
        };
        for &(_, place) in &self.exits[pred] {
            used |= note(place);
        }
        for &(v, to) in &entry {
            used |= note(to);
            if let Some(from) = self.exit_of(pred, v)
                && from != to
                && matches!(to, Place::Unit(_))
            {
                moves.push((from, to));
            }
        }
        let args: SmallVec<[u32; 8]> = (self.args(pred, b).iter())
            .map(|a| a.vreg() as u32)
            .collect();
        for (to, &arg) in params.iter().zip(&args) {
            let (Some(to), Some(from)) = (*to, self.exit_of(pred, arg)) else {
                continue;
            };
            used |= note(to);
            if matches!(to, Place::Memory(_)) && self.memory(arg) == to {
                // They are one place in memory.
                self.store(arg);
            } else if from != to {
                moves.push((from, to));
            }
        }
        let (_, end) = self.input.insts_of(pred);
        for step in edges::in_order(&moves, self.all & !used) {
            self.before(end - 1, step.0, step.1);
        }
        self.entries[b] = (entry, params);
    }

    /// Remembers where values are at the end of a block, and leads them back to loops.
    fn leave(&mut self, b: usize) {
        let exit: Placed = (self.lives.outs(b).iter())
            .filter_map(|far| Some((far.v, self.place[far.v as usize]?)))
            .collect();
        self.exits[b] = exit;
        for n in 0..self.input.block_succs(Block::new(b)).len() {
            let succ = self.input.block_succs(Block::new(b))[n].index();
            if succ <= b {
                self.edge(b, succ);
            }
        }
    }

    /// The answer in regalloc2's form.
    fn finish(mut self) -> Output {
        self.edits.sort_by_key(|&(key, _)| key);
        let (slots, count) = self.slots();
        let place = |place: Place| match place {
            Place::Unit(unit) => Allocation::reg(preg(unit.into())),
            Place::Memory(SPARE) => Allocation::stack(SpillSlot::new(count as usize)),
            Place::Memory(ASIDE) => Allocation::stack(SpillSlot::new(count as usize + 1)),
            Place::Memory(web) => Allocation::stack(SpillSlot::new(slots[web as usize] as usize)),
        };
        let spares = (self.edits.iter())
            .filter_map(|(_, (_, to))| match to {
                Place::Memory(SPARE) => Some(1),
                Place::Memory(ASIDE) => Some(2),
                _ => None,
            })
            .max();
        let edit = |&(key, (from, to)): &(u64, Move)| {
            let inst = Inst::new((key >> 3) as usize);
            let point = match key >> 2 & 1 {
                0 => ProgPoint::before(inst),
                _ => ProgPoint::after(inst),
            };
            let (from, to) = (place(from), place(to));
            (point, Edit::Move { from, to })
        };
        Output {
            num_spillslots: count as usize + spares.unwrap_or(0),
            edits: self.edits.iter().map(edit).collect(),
            allocs: self.allocs.iter().map(|&p| place(p)).collect(),
            inst_alloc_offsets: (0..self.input.num_insts() as u32)
                .map(|i| self.input.operands_from(i))
                .collect(),
            ..Output::default()
        }
    }

    /// A slot for each web that is in memory; webs that do not live at once share them.
    fn slots(&self) -> (Vec<u32>, u32) {
        let mut slots = vec![NOBODY; self.place.len()];
        let mut webs: Vec<u32> = (0..self.place.len() as u32)
            .filter(|&v| self.stored[v as usize])
            .map(|v| self.webs.of(v))
            .collect();
        webs.sort_unstable();
        webs.dedup();
        let mut spans: Vec<(Vec<(u32, u32)>, u32)> = webs
            .iter()
            .map(|&web| (self.webs.lives(web, &self.lives), web))
            .collect();
        spans.sort_unstable();
        let mut taken: Vec<std::collections::BTreeMap<u32, u32>> = Vec::new();
        for (lives, web) in spans {
            let fits = |slot: &std::collections::BTreeMap<u32, u32>| {
                lives.iter().all(|&(from, to)| {
                    slot.range(..to)
                        .next_back()
                        .is_none_or(|(_, &end)| end <= from)
                })
            };
            let slot = taken.iter().position(fits).unwrap_or_else(|| {
                taken.push(Default::default());
                taken.len() - 1
            });
            taken[slot].extend(lives);
            slots[web as usize] = slot as u32;
        }
        (slots, taken.len() as u32)
    }
}
