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
//! `operands` does an instruction, `joins` the start of a block; `follow` finds where values live, `lives` how far it is to their uses,
//! `webs` the registers that values should be in so that few moves are needed, `edges` orders moves that
//! happen at once, `answer` leaves out what turned out to be of no use. The time is near the length of the code, whether or not it spills.

mod answer;
mod edges;
mod follow;
mod joins;
mod lives;
mod operands;
mod webs;

use regalloc2::{Function, Output, PRegSet, ProgPoint, RegAllocError};

use crate::adapter::{Adapter, unit};
use crate::frame::Frame;
use crate::rewrite::Slot;
use edges::{Move, Place};
use joins::Entry;
use lives::Lives;
use webs::{NOWHERE, Webs};

const NOBODY: u32 = u32::MAX;

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
    /// By block, the registers that hold something at its start.
    starts: Vec<u64>,
    /// By block, what lives at its end and where.
    exits: Vec<Placed>,
    /// Such lists that nobody asks for any more.
    spare: Vec<Placed>,
    /// What the starts of loops want.
    entries: Vec<Entry>,
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

/// Assigns registers; gives the places of slots as well.
///
/// # Errors
/// An instruction needs more registers at once than there are.
pub fn run(input: &Adapter, frame: &Frame) -> Result<(Output, Vec<Slot>), RegAllocError> {
    let lives = Lives::new(input);
    let webs = Webs::new(input, &lives.spans);
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
        starts: vec![0; input.num_blocks()],
        exits: vec![Vec::new(); input.num_blocks()],
        spare: Vec::new(),
        entries: vec![Entry::default(); input.num_blocks()],
        edits: Vec::new(),
        allocs: Vec::with_capacity(input.operand_count()),
        block: 0,
        end: 0,
    };
    for b in 0..input.num_blocks() {
        scan.enter(b);
        scan.starts[b] = all & !scan.free;
        let (first, end) = input.insts_of(b);
        for i in first..end {
            scan.inst(i)?;
        }
        scan.leave(b);
    }
    Ok(scan.answer())
}

fn set_of(pregs: PRegSet) -> u64 {
    pregs.into_iter().fold(0, |set, p| set | 1 << unit(p))
}

/// The registers of a set, a bit each.
struct SomeUnits(u64);

impl Iterator for SomeUnits {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let unit = (self.0 != 0).then(|| self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(unit)
    }
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
            home = (self.webs.choose_home(web, candidates, &self.lives.spans)).unwrap_or(NOWHERE);
        }
        if home != NOWHERE
            && free >> home & 1 == 1
            && self.webs.wanted(home, v, at, &self.lives.spans).is_none()
        {
            return Some(home);
        }
        let mut best: Option<(u32, u8)> = None;
        for &unit in self.order.iter().filter(|&&u| free >> u & 1 == 1) {
            match self.webs.wanted(unit, v, at, &self.lives.spans) {
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
        let distance = |unit: &u8| {
            let v = self.holds[usize::from(*unit)];
            (self.lives.next(v, at / 2, self.block, self.end), *unit)
        };
        let furthest = SomeUnits(held)
            .filter(|&u| self.holds[u as usize] != NOBODY)
            .max_by_key(distance);
        let unit = furthest.ok_or(RegAllocError::TooManyLiveRegs)?;
        self.spill(self.holds[unit as usize]);
        Ok(unit)
    }
}
