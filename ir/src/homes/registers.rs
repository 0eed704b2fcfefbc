//! A linear scan that shares out the register file.
//!
//! Variables get their bytes in the order of their first instructions, and free them behind their last. Where there is no
//! room, one goes to scratch memory with all its life, of those that there are or the new one: the one whose life goes on
//! longest for each time that it is named. Variables of a register or more, and all that messages name, have whole units of the register file; smaller ones
//! share units. Memory is shared in the same way afterwards.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use cranelift_entity::SecondaryMap;
use kiln_frontend::module::{Object, Var, predefined};
use kiln_target::platform::Platform;

use super::lives::Life;
use super::{Placed, Room};
use crate::access;
use crate::func::Home;

/// Bytes that are given out at least.
const PART: u32 = 4;

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
    fn new(unit: u32, units: std::ops::Range<u32>) -> File {
        let below = |n: u32| 1u128.checked_shl(n).map_or(u128::MAX, |bit| bit - 1);
        File {
            unit,
            used: vec![0; 128],
            free: below(units.end) & !below(units.start),
            some: 0,
            may: below(units.end) & !below(units.start),
            end: 0,
        }
    }

    /// All parts of a unit, a bit each.
    fn all(&self) -> u32 {
        u32::MAX >> (32 - self.unit / PART)
    }

    /// A place of so many bytes, a power of two within a unit or in whole units.
    fn take(&mut self, bytes: u32) -> Option<u32> {
        let at = match bytes < self.unit {
            true => self.find_part(bytes)?,
            false => self.find_units(bytes / self.unit)?,
        };
        self.set(at, bytes, true);
        Some(at)
    }

    fn find_part(&self, bytes: u32) -> Option<u32> {
        let parts = bytes / PART;
        let mask = (1u32 << parts) - 1;
        let mut open = self.some & self.may;
        while open != 0 {
            let unit = open.trailing_zeros();
            open &= open - 1;
            let used = self.used[unit as usize];
            let mut places = (0..self.unit / PART).step_by(parts as usize);
            if let Some(at) = places.find(|at| used >> at & mask == 0) {
                return Some(unit * self.unit + at * PART);
            }
        }
        self.find_units(1)
    }

    fn find_units(&self, count: u32) -> Option<u32> {
        let free = self.free & self.may;
        let mut starts = free;
        for n in 1..count {
            starts &= free >> n;
        }
        // Those of several units from the other end, so that what is left between small ones is not in their way.
        let start = match count {
            1 => starts.trailing_zeros(),
            _ => starts.checked_ilog2()?,
        };
        (starts != 0).then_some(start * self.unit)
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
            let (parts, bit) = (*parts, 1u128 << unit);
            let is_open = parts != 0 && parts != self.all();
            self.some = if is_open {
                self.some | bit
            } else {
                self.some & !bit
            };
            self.free = if parts == 0 {
                self.free | bit
            } else {
                self.free & !bit
            };
            self.end = self.end.max(unit + 1);
        }
    }

    fn is_free(&self, at: u32, bytes: u32) -> bool {
        let mut parts = (at..at + bytes).step_by(PART as usize);
        parts.all(|at| self.used[(at / self.unit) as usize] >> (at % self.unit / PART) & 1 == 0)
    }
}

/// A variable that wants a place.
#[derive(Clone, Copy)]
struct Wish {
    var: Var,
    first: u32,
    last: u32,
    bytes: u32,
    align: u32,
    uses: u32,
    /// Where it has its place.
    at: Option<u32>,
    /// It is where it arrives.
    fixed: bool,
}

/// Whether keeping one in memory from now on gives more room for what it costs than another.
fn worse(one: &Wish, other: &Wish, now: u32) -> bool {
    let room = |wish: &Wish| u64::from(wish.last - now) + 1;
    room(one) * u64::from(other.uses.max(1)) > room(other) * u64::from(one.uses.max(1))
}

pub(super) fn assign(
    object: &Object,
    target: &Platform,
    lives: &SecondaryMap<Var, Life>,
    room: &Room,
) -> Option<(SecondaryMap<Var, Home>, Placed)> {
    let unit = target.unit_bytes();
    let mut wishes = wishes(object, (unit, target.grf_bytes), lives);
    let units = room.grfs.start.div_ceil(target.unit_grfs())..room.grfs.end / target.unit_grfs();
    let mut file = File::new(unit, units.clone());
    let mut active: Vec<u32> = Vec::new();
    // Lives by their ends; what went to memory is passed over.
    let mut ends: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    for n in 0..wishes.len() {
        let wish = wishes[n];
        while let Some(&Reverse((last, gone))) = ends.peek()
            && last < wish.first
        {
            ends.pop();
            active.retain(|&a| a != gone);
            let gone = &wishes[gone as usize];
            if let Some(at) = gone.at {
                file.set(at, gone.bytes, false);
            }
        }
        match wish.at {
            // What arrives is there before anything else.
            Some(at) => {
                let is_whole =
                    at.is_multiple_of(wish.align) && (at + wish.bytes) <= units.end * unit;
                if !is_whole || !file.is_free(at, wish.bytes) {
                    return None;
                }
                file.set(at, wish.bytes, true);
            }
            None => match file.take(wish.bytes) {
                Some(at) => wishes[n].at = Some(at),
                None => {
                    let fits = |a: &&u32| {
                        let other = &wishes[**a as usize];
                        let aligned = other.at.is_some_and(|at| at.is_multiple_of(wish.align));
                        let bytes = match wish.bytes < unit {
                            true => other.bytes >= wish.bytes,
                            false => other.bytes >= wish.bytes && other.bytes >= unit,
                        };
                        !other.fixed && aligned && bytes && worse(other, &wish, wish.first)
                    };
                    let latest = active.iter().filter(fits).copied().reduce(|a, b| {
                        let [one, other] = [a, b].map(|n| &wishes[n as usize]);
                        if worse(other, one, wish.first) { b } else { a }
                    });
                    let Some(latest) = latest else {
                        continue;
                    };
                    let bytes = wishes[latest as usize].bytes;
                    let at = wishes[latest as usize].at.take();
                    active.retain(|&a| a != latest);
                    if let Some(at) = at {
                        file.set(at, bytes, false);
                        file.set(at, wish.bytes, true);
                    }
                    wishes[n].at = at;
                }
            },
        }
        active.push(n as u32);
        ends.push(Reverse((wish.last, n as u32)));
    }
    let mut homes = SecondaryMap::with_default(Home::Special);
    homes.resize(object.vars.len());
    for wish in &wishes {
        if let Some(offset) = wish.at {
            homes[wish.var] = Home::Register { offset };
        }
    }
    let memory = in_memory(&wishes, unit, &mut homes);
    let placed = Placed {
        // The thread's header arrives in r0.
        grfs: 1..(file.end * target.unit_grfs()).max(1),
        memory,
    };
    (memory <= room.memory).then_some((homes, placed))
}

/// What variables want, in the order in which they are served.
fn wishes(object: &Object, (unit, grf): (u32, u32), lives: &SecondaryMap<Var, Life>) -> Vec<Wish> {
    let mut wishes: Vec<Wish> = Vec::with_capacity(object.vars.len());
    for (var, offset) in access::input_vars(object) {
        let life = lives[var];
        // A message writes whole registers.
        let (least, bytes) = match life.answer {
            true => (grf, object.vars[var].bytes().max(life.bytes)),
            false => (PART, object.vars[var].bytes()),
        };
        wishes.push(Wish {
            var,
            first: 0,
            last: life.last,
            bytes: bytes.next_multiple_of(least),
            align: least,
            uses: life.uses,
            at: Some(offset),
            fixed: true,
        });
    }
    let arrived = wishes.len();
    for (var, decl) in object.vars.iter().skip(predefined::VAR_COUNT) {
        let life = lives[var];
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
        wishes.push(Wish {
            var,
            first: life.first,
            last: life.last,
            bytes,
            align,
            uses: life.uses,
            at: None,
            fixed: false,
        });
    }
    wishes[arrived..].sort_by_key(|wish| wish.first);
    wishes
}

/// Gives those that have no register a place in memory, and says how much there is.
fn in_memory(wishes: &[Wish], unit: u32, homes: &mut SecondaryMap<Var, Home>) -> u32 {
    let mut end = 0;
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
