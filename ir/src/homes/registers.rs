//! A linear scan that shares out the register file.
//!
//! Variables get their bytes in the order of their first instructions, and free them behind their last. Where there is no
//! room, one goes to scratch memory with all its life, of those that there are or the new one: the one whose life goes on
//! longest for each time that it is named. Variables of a register or more, and all that messages name, have whole units of the register file; smaller ones
//! share units. Memory is shared in the same way afterwards.
//!
//! Callers are served before what they call. A subroutine has what is free at all its calls; so that this is enough for
//! it, what lives at a call has to be in a part of the file, at its start.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::ops::Range;

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_frontend::module::{Object, Var, predefined};
use kiln_target::platform::Platform;

use super::lives::Lives;
use super::{Placed, Room};
use crate::access;
use crate::func::Home;

const NONE: u32 = u32::MAX;

/// Bytes that are given out at least.
const PART: u32 = 4;

/// Instructions for each of which one may name a variable in memory, if there are subroutines: what lives where they are
/// called takes more room than with a place for each part of a life.
const FEW: usize = 8;

/// The part of what is free that is always for what lives at calls.
const KEPT: u32 = 3;

/// Units of the largest register file.
const FILE: usize = 128;

/// The register file in units.
struct File {
    unit: u32,
    /// A bit for each part of a unit that is somebody's.
    used: Vec<u32>,
    /// Units that are free, and those of which a part is, of those that variables may have.
    free: u128,
    some: u128,
    may: u128,
    /// The first unit that nobody has ever had.
    end: u32,
}

impl File {
    /// A file of which some parts are somebody's.
    fn new(unit: u32, units: Range<u32>, used: Vec<u32>) -> File {
        let below = |n: u32| 1u128.checked_shl(n).map_or(u128::MAX, |bit| bit - 1);
        let mut file = File {
            unit,
            used,
            free: 0,
            some: 0,
            may: below(units.end) & !below(units.start),
            end: 0,
        };
        (0..FILE as u32).for_each(|unit| file.count(unit));
        file
    }

    /// Notes how much of a unit is free.
    fn count(&mut self, unit: u32) {
        let (parts, bit) = (self.used[unit as usize], 1u128 << unit);
        let mark = |set: u128, is_in: bool| if is_in { set | bit } else { set & !bit };
        self.some = mark(self.some, parts != 0 && parts != self.all());
        self.free = mark(self.free, parts == 0);
    }

    /// Units up to so many free ones.
    fn up_to(&self, count: u32) -> u128 {
        let mut free = self.free & self.may;
        for _ in 0..count {
            free &= free.wrapping_sub(1);
        }
        match free {
            0 => u128::MAX,
            rest => (1 << rest.trailing_zeros()) - 1,
        }
    }

    /// All parts of a unit, a bit each.
    fn all(&self) -> u32 {
        u32::MAX >> (32 - self.unit / PART)
    }

    /// A place of so many bytes in some units, a power of two within one or whole ones.
    fn take(&mut self, bytes: u32, (units, end): (u128, End)) -> Option<u32> {
        let at = match bytes < self.unit {
            true => self.find_part(bytes, (units, end))?,
            false => self.find_units(bytes / self.unit, (units, end))?,
        };
        self.set(at, bytes, true);
        Some(at)
    }

    fn find_part(&self, bytes: u32, (units, end): (u128, End)) -> Option<u32> {
        let parts = bytes / PART;
        let mask = (1u32 << parts) - 1;
        let mut open = self.some & self.may & units;
        while let Some(unit) = end.of(open) {
            open &= !(1 << unit);
            let used = self.used[unit as usize];
            let mut places = (0..self.unit / PART).step_by(parts as usize);
            if let Some(at) = places.find(|at| used >> at & mask == 0) {
                return Some(unit * self.unit + at * PART);
            }
        }
        self.find_units(1, (units, end))
    }

    fn find_units(&self, count: u32, (units, end): (u128, End)) -> Option<u32> {
        let free = self.free & self.may & units;
        let mut starts = free;
        for n in 1..count {
            starts &= free >> n;
        }
        end.of(starts).map(|start| start * self.unit)
    }

    /// Says of whole parts that they are somebody's, or nobody's.
    fn set(&mut self, at: u32, bytes: u32, used: bool) {
        let end = at + bytes;
        for unit in at / self.unit..end.div_ceil(self.unit) {
            let start = unit * self.unit;
            let from = at.max(start) - start;
            let to = end.min(start + self.unit) - start;
            let mask = self.all() >> (self.unit / PART - to / PART) & (u32::MAX << (from / PART));
            let parts = &mut self.used[unit as usize];
            *parts = if used { *parts | mask } else { *parts & !mask };
            self.count(unit);
            self.end = self.end.max(unit + 1);
        }
    }

    fn is_free(&self, at: u32, bytes: u32) -> bool {
        let mut parts = (at..at + bytes).step_by(PART as usize);
        parts.all(|at| self.used[(at / self.unit) as usize] >> (at % self.unit / PART) & 1 == 0)
    }
}

/// From which end of the file a place is looked for.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

impl End {
    /// The unit that is taken of some.
    fn of(self, units: u128) -> Option<u32> {
        match self {
            End::First => (units != 0).then(|| units.trailing_zeros()),
            End::Last => units.checked_ilog2(),
        }
    }
}

/// A variable that wants a place.
#[derive(Clone, Copy)]
struct Wish {
    var: Var,
    routine: u32,
    first: u32,
    last: u32,
    bytes: u32,
    align: u32,
    uses: u32,
    /// Where it has its place, and its number among those that have one.
    at: Option<u32>,
    slot: u32,
    /// The next of those that end with the same instruction.
    next: u32,
    /// It does not go to memory: it is where it arrives, or a predicate.
    fixed: bool,
}

/// Whether keeping one in memory from now on gives more room for what it costs than another.
fn worse(one: &Wish, other: &Wish, now: u32) -> bool {
    let room = |wish: &Wish| u64::from(wish.last - now) + 1;
    room(one) * u64::from(other.uses.max(1)) > room(other) * u64::from(one.uses.max(1))
}

/// Gives each variable of an object its home; nothing if there is no room for them.
pub fn assign(
    object: &Object,
    target: &Platform,
    lives: &Lives,
    room: &Room,
) -> Option<(SecondaryMap<Var, Home>, Placed)> {
    let (unit, grfs) = (target.unit_bytes(), target.unit_grfs());
    let units = room.grfs.start.div_ceil(grfs)..room.grfs.end / grfs;
    let mut wishes = wishes(object, (unit, target.grf_bytes), lives);
    let routines = lives.order.len();
    let mut of_routine: Vec<&mut [Wish]> = Vec::with_capacity(routines);
    let mut rest = &mut wishes[..];
    for routine in 0..routines {
        let own = rest.partition_point(|wish| wish.routine as usize <= routine);
        let (own, behind) = rest.split_at_mut(own);
        of_routine.push(own);
        rest = behind;
    }
    let needs = needs(&of_routine, unit, lives);
    // What is somebody's where each routine is called.
    let mut above = vec![vec![0; FILE]; routines];
    let mut homes = SecondaryMap::with_default(Home::Special);
    homes.resize(object.vars.len() + object.predicates.len());
    let (mut end, mut memory, mut named) = (0, 0, 0);
    for &routine in &lives.order {
        let own = lives.calls.iter().filter(|call| call.caller == routine);
        let calls: Vec<(u32, usize)> = own.map(|call| (call.inst, call.callee)).collect();
        let file = File::new(unit, units.clone(), std::mem::take(&mut above[routine]));
        let free = (file.free & file.may).count_ones();
        let need = calls.iter().map(|&(_, callee)| needs[callee]).max();
        let kept = free.saturating_sub(need.unwrap_or(0)).max(free / KEPT);
        let wishes = &mut *of_routine[routine];
        let mut scan = Scan {
            kept: file.up_to(kept),
            file,
            end: units.end * unit,
            placed: Vec::new(),
            ends: Ends::of(wishes),
        };
        scan.run(wishes, &calls, &mut above)?;
        end = scan.file.end.max(end);
        for wish in &*wishes {
            match wish.at {
                Some(offset) => homes[wish.var] = Home::Register { offset },
                None if wish.var.index() >= object.vars.len() => return None,
                None => named += lives.of[wish.var].named as usize,
            }
        }
        memory = in_memory(wishes, (unit, memory), &mut homes);
    }
    let placed = Placed {
        // The thread's header arrives in r0.
        grfs: 1..(end * grfs).max(1),
        memory,
    };
    let few = routines == 1 || named <= object.insts.len() / FEW;
    (memory <= room.memory && few).then_some((homes, placed))
}

/// How many units each routine wants at a time for what is alive in it and in what it calls, and an eighth more, as not
/// all gaps are of use.
fn needs(of_routine: &[&mut [Wish]], unit: u32, lives: &Lives) -> Vec<u32> {
    let mut needs = vec![0; of_routine.len()];
    if needs.len() == 1 {
        return needs;
    }
    for &routine in lives.order.iter().rev() {
        let (mut now, mut most) = (0u32, 0);
        let mut ends: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        for wish in &*of_routine[routine] {
            while let Some(&Reverse((last, bytes))) = ends.peek()
                && last < wish.first
            {
                ends.pop();
                now -= bytes;
            }
            now += wish.bytes;
            most = most.max(now);
            ends.push(Reverse((wish.last, wish.bytes)));
        }
        let calls = lives.calls.iter().filter(|call| call.caller == routine);
        let callees = calls.map(|call| needs[call.callee]).max();
        let most = most.div_ceil(unit);
        needs[routine] = most + most / 8 + callees.unwrap_or(0);
    }
    needs
}

/// The walk over the variables of a routine.
struct Scan {
    file: File,
    /// Units of what lives at calls, and where the file ends, in bytes.
    kept: u128,
    end: u32,
    /// What is alive and has a place.
    placed: Vec<u32>,
    ends: Ends,
}

/// What is alive by where that ends.
struct Ends {
    /// The instruction up to which nothing is alive any more.
    at: u32,
    /// For each from there on the first that ends with it.
    first: VecDeque<u32>,
}

impl Ends {
    /// With room for some variables in the order of their first instructions.
    fn of(wishes: &[Wish]) -> Ends {
        let at = wishes.first().map_or(0, |wish| wish.first);
        let last = wishes.iter().map(|wish| wish.last).max();
        let count = last.map_or(0, |last| last.max(at) - at + 1);
        Ends {
            at,
            first: vec![NONE; count as usize].into(),
        }
    }

    fn push(&mut self, n: u32, wishes: &mut [Wish]) {
        // It is alive where it is first named, whatever comes of its last instruction.
        let last = wishes[n as usize].last.max(self.at);
        let first = &mut self.first[(last - self.at) as usize];
        wishes[n as usize].next = std::mem::replace(first, n);
    }
}

impl Scan {
    /// Gives the variables their places in the register file, those that get one, and adds what is somebody's at each call
    /// to what is above its callee. Nothing if inputs are not where they can be.
    fn run(
        &mut self,
        wishes: &mut [Wish],
        calls: &[(u32, usize)],
        above: &mut [Vec<u32>],
    ) -> Option<()> {
        let mut next = 0;
        for n in 0..wishes.len() {
            let wish = wishes[n];
            let first = wish.first;
            while let Some(&call) = calls.get(next).filter(|&&(inst, _)| inst < first) {
                self.call(call, wishes, above);
                next += 1;
            }
            self.end_before(first, wishes);
            match wish.at {
                // What arrives is there before anything else.
                Some(at) => {
                    let is_inside = at.is_multiple_of(wish.align) && at + wish.bytes <= self.end;
                    if !is_inside || !self.file.is_free(at, wish.bytes) {
                        return None;
                    }
                    self.file.set(at, wish.bytes, true);
                    self.place(n, at, wishes);
                }
                None => {
                    let from = self.whence(&wish, calls, next);
                    let free = self.file.take(wish.bytes, from);
                    if let Some(at) = free.or_else(|| self.instead(&wish, from.0, wishes)) {
                        self.place(n, at, wishes);
                    }
                }
            }
            self.ends.push(n as u32, wishes);
        }
        calls[next..]
            .iter()
            .for_each(|&call| self.call(call, wishes, above));
        Some(())
    }

    fn call(&mut self, (inst, callee): (u32, usize), wishes: &mut [Wish], above: &mut [Vec<u32>]) {
        self.end_before(inst, wishes);
        for (all, parts) in above[callee].iter_mut().zip(&self.file.used) {
            *all |= parts;
        }
    }

    /// Frees what does not live up to an instruction.
    fn end_before(&mut self, inst: u32, wishes: &mut [Wish]) {
        while self.ends.at < inst
            && let Some(mut gone) = self.ends.first.pop_front()
        {
            self.ends.at += 1;
            while gone != NONE {
                let Wish {
                    at, bytes, next, ..
                } = wishes[gone as usize];
                if let Some(at) = at {
                    self.remove(gone, wishes);
                    self.file.set(at, bytes, false);
                }
                gone = next;
            }
        }
    }

    fn place(&mut self, n: usize, at: u32, wishes: &mut [Wish]) {
        let slot = self.placed.len() as u32;
        (wishes[n].at, wishes[n].slot) = (Some(at), slot);
        self.placed.push(n as u32);
    }

    fn remove(&mut self, n: u32, wishes: &mut [Wish]) {
        let slot = wishes[n as usize].slot;
        self.placed.swap_remove(slot as usize);
        if let Some(&moved) = self.placed.get(slot as usize) {
            wishes[moved as usize].slot = slot;
        }
    }

    /// Where a place is looked for, before the next of some calls. What lives at none leaves the start to what does; where
    /// there are none, what takes several units is at the end, so that what is left between others is not in its way.
    fn whence(&self, wish: &Wish, calls: &[(u32, usize)], next: usize) -> (u128, End) {
        match calls.get(next) {
            Some(&(inst, _)) if inst <= wish.last => (self.kept, End::First),
            None if calls.is_empty() && wish.bytes <= self.file.unit => (u128::MAX, End::First),
            _ => (u128::MAX, End::Last),
        }
    }

    /// The place of another one that goes to memory instead, in some units.
    fn instead(&mut self, wish: &Wish, units: u128, wishes: &mut [Wish]) -> Option<u32> {
        let unit = self.file.unit;
        let fits = |other: &u32| {
            let other = &wishes[*other as usize];
            let there = |at: u32| at.is_multiple_of(wish.align) && units >> (at / unit) & 1 == 1;
            let bytes = match wish.bytes < unit {
                true => other.bytes >= wish.bytes,
                false => other.bytes >= wish.bytes && other.bytes >= unit,
            };
            let is_there = other.at.is_some_and(there);
            !other.fixed && is_there && bytes && worse(other, wish, wish.first)
        };
        let latest = self.placed.iter().copied().filter(fits).reduce(|a, b| {
            let [one, other] = [a, b].map(|n| &wishes[n as usize]);
            if worse(other, one, wish.first) { b } else { a }
        })?;
        self.remove(latest, wishes);
        let other = &mut wishes[latest as usize];
        let (at, bytes) = (other.at.take()?, other.bytes);
        self.file.set(at, bytes, false);
        self.file.set(at, wish.bytes, true);
        Some(at)
    }
}

/// What variables want, in the order in which they are served.
fn wishes(object: &Object, (unit, grf): (u32, u32), lives: &Lives) -> Vec<Wish> {
    let mut wishes: Vec<Wish> = Vec::with_capacity(object.vars.len());
    for (var, offset) in access::input_vars(object) {
        let life = lives.of[var];
        // A message writes whole registers.
        let (least, bytes) = match life.answer {
            true => (grf, object.vars[var].bytes().max(life.bytes)),
            false => (PART, object.vars[var].bytes()),
        };
        wishes.push(Wish {
            var,
            routine: 0,
            first: 0,
            last: life.last,
            bytes: bytes.next_multiple_of(least),
            align: least,
            uses: life.uses,
            at: Some(offset),
            slot: 0,
            next: NONE,
            fixed: true,
        });
    }
    let arrived = wishes.len();
    let wish = |var: Var, bytes: u32, align: u32| {
        let life = lives.of[var];
        Wish {
            var,
            routine: life.routine,
            first: life.first,
            last: life.last,
            bytes,
            align,
            uses: life.uses,
            at: None,
            slot: 0,
            next: NONE,
            fixed: false,
        }
    };
    for (var, decl) in object.vars.iter().skip(predefined::VAR_COUNT) {
        let life = lives.of[var];
        let is_input = || wishes[..arrived].iter().any(|wish| wish.var == var);
        if !life.is_used() || decl.alias.is_some() || life.first == 0 && is_input() {
            continue;
        }
        let bytes = decl.bytes().max(life.bytes);
        let (bytes, align) = match bytes < unit && !life.raw {
            true => {
                let bytes = bytes.next_power_of_two().max(PART);
                (bytes, bytes)
            }
            // Nothing needs more than whole units, whatever is declared.
            false => (bytes.next_multiple_of(unit), unit),
        };
        wishes.push(wish(var, bytes, align));
    }
    for var in super::predicates(object) {
        let life = lives.of[var];
        if !life.crosses_blocks() {
            continue;
        }
        let bytes = super::bytes(object, var).max(life.bytes);
        let bytes = bytes.next_power_of_two().max(PART);
        wishes.push(Wish {
            // It cannot be in memory.
            uses: u32::MAX,
            fixed: true,
            ..wish(var, bytes, bytes)
        });
    }
    wishes[arrived..].sort_by_key(|wish| (wish.routine, wish.first));
    wishes
}

/// Gives those that have no register a place in memory behind so many bytes, and says where that ends.
fn in_memory(
    wishes: &[Wish],
    (unit, mut end): (u32, u32),
    homes: &mut SecondaryMap<Var, Home>,
) -> u32 {
    // Free places by their sizes, and those that are somebody's by where that ends.
    let mut free: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut ends: BinaryHeap<Reverse<(u32, u32, u32)>> = BinaryHeap::new();
    for wish in wishes.iter().filter(|wish| wish.at.is_none()) {
        while let Some(&Reverse((last, offset, bytes))) = ends.peek()
            && last < wish.first
        {
            ends.pop();
            free.entry(bytes).or_default().push(offset);
        }
        let bytes = wish.bytes.next_multiple_of(unit);
        let offset = free.entry(bytes).or_default().pop().unwrap_or_else(|| {
            end += bytes;
            end - bytes
        });
        homes[wish.var] = Home::Memory { offset };
        ends.push(Reverse((wish.last, offset, bytes)));
    }
    end
}
