//! The order in which units are tried for a value.
//!
//! An instruction that overwrites a unit might have to wait for one that read or wrote it a moment ago: in-order pipes wait
//! for each other by distance, and messages read their payloads late. So the unit that was released longest ago comes first.
//! In a subroutine each further unit is one that its callers cannot keep values in: those that it uses already come
//! first.

use kiln_platform::bits::UnitSet;

use crate::problem::{File, Unit, units};

pub struct Turns {
    /// Units that are given out, in the order in which they are preferred.
    preferred: Vec<Unit>,
    /// Units, the one released longest ago first. Units that no value had come before all others, and the least preferred of them
    /// first, since values that live long are in the most preferred ones.
    queue: Vec<Unit>,
    /// Units whose use costs nothing: in a subroutine those that it uses already, elsewhere those that callees need not save.
    own: UnitSet,
}

impl Turns {
    pub fn new(file: &File) -> Turns {
        let preferred: Vec<Unit> = file.allocatable().collect();
        let free = file.preferred.iter().map(|unit| u32::from(unit.0));
        Turns {
            queue: preferred.iter().rev().copied().collect(),
            preferred,
            own: match file.is_called {
                true => UnitSet::EMPTY,
                false => free.collect(),
            },
        }
    }

    /// The units in the order in which they are preferred.
    pub fn preferred(&self) -> &[Unit] {
        &self.preferred
    }

    /// Units of a set in the order in which an instruction tries them.
    pub fn of(&self, set: UnitSet) -> impl Iterator<Item = Unit> + '_ {
        let within = |set: UnitSet| move |unit: &Unit| set.contains(*unit);
        let own = self.queue.iter().copied().filter(within(set & self.own));
        let further = self.preferred.iter().copied();
        own.chain(further.filter(within(set - self.own)))
    }

    /// Notes that a unit was taken in turn.
    pub fn take(&mut self, unit: Unit) {
        self.own |= UnitSet::of(unit);
    }

    /// Notes that the values of units end.
    pub fn release(&mut self, set: UnitSet) {
        self.queue.retain(|unit| !set.contains(*unit));
        self.queue.extend(units(set));
    }
}
