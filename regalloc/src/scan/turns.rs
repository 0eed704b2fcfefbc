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
    queue: Queue,
    /// Units whose use costs nothing: in a subroutine those that it uses already, elsewhere those that callees need not save.
    own: UnitSet,
}

impl Turns {
    pub fn new(file: &File) -> Turns {
        let preferred: Vec<Unit> = file.allocatable().collect();
        let free = file.preferred.iter().map(|unit| u32::from(unit.0));
        Turns {
            queue: Queue::new(&preferred),
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
        let own = self.queue.iter().filter(within(set & self.own));
        let further = self.preferred.iter().copied();
        own.chain(further.filter(within(set - self.own)))
    }

    /// Notes that a unit was taken in turn.
    pub fn take(&mut self, unit: Unit) {
        self.own |= UnitSet::of(unit);
    }

    /// Notes that the values of units end.
    pub fn release(&mut self, set: UnitSet) {
        for unit in units(set) {
            self.queue.move_to_end(unit);
        }
    }
}

/// Units in an order: a ring of links, by unit, through one more place where it begins and ends.
struct Queue {
    next: Vec<Unit>,
    before: Vec<Unit>,
    end: Unit,
}

impl Queue {
    /// The units in their reverse order.
    fn new(units: &[Unit]) -> Queue {
        let end = units.iter().max().map_or(0, |last| last.0 + 1);
        let alone: Vec<Unit> = (0..=end).map(Unit).collect();
        let mut queue = Queue {
            next: alone.clone(),
            before: alone,
            end: Unit(end),
        };
        for &unit in units.iter().rev() {
            queue.link(unit);
        }
        queue
    }

    fn iter(&self) -> impl Iterator<Item = Unit> + '_ {
        let after = |unit: Unit| {
            let next = self.next[unit.index()];
            (next != self.end).then_some(next)
        };
        std::iter::successors(after(self.end), move |&unit| after(unit))
    }

    /// Adds a unit that has no place at the end.
    fn link(&mut self, unit: Unit) {
        let last = std::mem::replace(&mut self.before[self.end.index()], unit);
        self.next[last.index()] = unit;
        self.before[unit.index()] = last;
        self.next[unit.index()] = self.end;
    }

    fn move_to_end(&mut self, unit: Unit) {
        let of = unit.index();
        let (before, next) = (self.before[of], self.next[of]);
        self.next[before.index()] = next;
        self.before[next.index()] = before;
        self.link(unit);
    }
}
