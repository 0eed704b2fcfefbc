//! The order in which units are tried for a value.
//!
//! An instruction that overwrites a unit might have to wait for one that read or wrote it a moment ago: in-order pipes wait
//! for each other by distance, and messages read their payloads late. So units are taken in turn, and units that were
//! released within [`REST_INSTS`] instructions come after all others. In a subroutine each further unit is one that its
//! callers cannot keep values in: those that it uses already come first.

use kiln_platform::bits::UnitSet;

use crate::problem::{File, Unit, units};

/// Number of instructions for which a unit rests after its value's last read: about the latency, in instructions that are
/// issued one a cycle, of a pipe.
const REST_INSTS: u32 = 8;

pub struct Turns {
    /// Units that are given out, in the order in which they are preferred.
    order: Vec<Unit>,
    /// By unit: its place in the order.
    places: Vec<u32>,
    /// By unit: the instruction at which it rests no longer.
    rested: Vec<u32>,
    /// The place after that of the unit that was taken in turn last.
    next: usize,
    /// The number of first places that are taken in turn: in a subroutine up to the last one that was.
    count: usize,
}

impl Turns {
    pub fn new(file: &File) -> Turns {
        let order: Vec<Unit> = file.allocatable().collect();
        let mut places = vec![0; file.unit_count];
        for (place, unit) in order.iter().enumerate() {
            places[unit.index()] = place as u32;
        }
        Turns {
            count: if file.is_called {
                0
            } else {
                file.preferred.len()
            },
            rested: vec![0; file.unit_count],
            order,
            places,
            next: 0,
        }
    }

    /// The units in the order in which they are preferred.
    pub fn preferred(&self) -> &[Unit] {
        &self.order
    }

    /// Units of a set in the order in which an instruction tries them.
    pub fn of(&self, set: UnitSet, i: u32) -> impl Iterator<Item = Unit> + '_ {
        let next = if self.next < self.count { self.next } else { 0 };
        let (before, from) = self.order[..self.count].split_at(next);
        let in_turn = from.iter().chain(before);
        let has_rested = move |unit: &&Unit| self.rested[unit.index()] <= i;
        let rested = in_turn.clone().filter(has_rested);
        let others = in_turn.filter(move |unit| !has_rested(unit));
        let further = &self.order[self.count..];
        let all = rested.chain(others).chain(further).copied();
        all.filter(move |&unit| set.contains(unit))
    }

    /// Notes that a unit was taken in turn.
    pub fn take(&mut self, unit: Unit) {
        self.next = self.places[unit.index()] as usize + 1;
        self.count = self.count.max(self.next);
    }

    /// Notes that the values of units end at an instruction.
    pub fn release(&mut self, set: UnitSet, i: u32) {
        for unit in units(set) {
            self.rested[unit.index()] = i + REST_INSTS;
        }
    }
}
