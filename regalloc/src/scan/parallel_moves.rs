//! Parallel moves as a sequence of moves.
//!
//! Takes moves that happen at once, and gives them one after the other. A move whose target no other move reads comes
//! first; a cycle is broken by a move to another place.

use kiln_platform::bits::UnitSet;
use smallvec::SmallVec;

use super::Step;
use crate::problem::{Place, Unit};

/// A slot that breaks a cycle of moves.
pub const CYCLE_SLOT: u32 = u32::MAX;
/// A slot for the contents of a unit through which a move between slots goes.
pub const SAVE_SLOT: u32 = u32::MAX - 1;

/// Puts moves in an order in which none overwrites a place that another still reads. `free` are units without a value
/// before and after the moves; `any` is one that may be saved meanwhile. Loads come as late as possible, since a unit
/// that is loaded is free until then.
pub fn in_order(moves: &[Step], free: UnitSet, any: Unit) -> SmallVec<[Step; 8]> {
    let mut done: SmallVec<[Step; 8]> = SmallVec::new();
    let mut left: SmallVec<[Step; 8]> = moves
        .iter()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    left.sort_by_key(|(from, to)| (from.is_memory(), !to.is_memory()));
    while !left.is_empty() {
        let none = UnitSet::EMPTY;
        let read = left.iter().fold(none, |set, (from, _)| set | from.set());
        let unwritten = left.iter().fold(none, |set, (_, to)| set | to.set());
        let usable = ((free | unwritten) - read).first();
        let through = usable.map(|unit| Place::Unit(Unit(unit as u16)));
        let is_read = |place: Place| left.iter().any(|&(from, _)| from == place);
        let is_load = |(from, to): Step| from.is_memory() && !to.is_memory();
        let next = left.iter().position(|&(_, to)| !is_read(to));
        match next.filter(|&next| !is_load(left[next]) || is_load(left[0])) {
            Some(next) => {
                let (from, to) = left.remove(next);
                if !from.is_memory() || !to.is_memory() {
                    done.push((from, to));
                } else if let Some(through) = through {
                    done.extend([(from, through), (through, to)]);
                } else {
                    let (through, aside) = (Place::Unit(any), Place::Memory(SAVE_SLOT));
                    done.extend([(through, aside), (from, through), (through, to)]);
                    done.push((aside, through));
                }
            }
            // Every target is still read, often in a cycle: one goes elsewhere.
            None => {
                let full = left[0].1;
                let aside = through.unwrap_or(Place::Memory(CYCLE_SLOT));
                if full.is_memory() && aside.is_memory() {
                    let (through, kept) = (Place::Unit(any), Place::Memory(SAVE_SLOT));
                    done.extend([(through, kept), (full, through), (through, aside)]);
                    done.push((kept, through));
                } else {
                    done.push((full, aside));
                }
                for (from, _) in left.iter_mut().filter(|(from, _)| *from == full) {
                    *from = aside;
                }
                left.retain(|(from, to)| from != to);
            }
        }
    }
    done
}

#[cfg(test)]
#[path = "tests/parallel_moves.rs"]
mod tests;
