//! Moves that happen at once, as a list of moves one after the other.

use smallvec::SmallVec;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Unit(u8),
    /// A place in memory, by the web whose it is.
    Memory(u32),
}

/// Places in memory that are nobody's: for what a circle of moves writes over first, and for a register
/// that something passes through.
pub const SPARE: u32 = u32::MAX;
pub const ASIDE: u32 = u32::MAX - 1;

impl Place {
    pub fn unit(self) -> Option<u8> {
        match self {
            Place::Unit(unit) => Some(unit),
            Place::Memory(_) => None,
        }
    }

    /// A register as a set of one.
    pub fn bit(self) -> u64 {
        self.unit().map_or(0, |unit| 1 << unit)
    }

    fn is_memory(self) -> bool {
        self.unit().is_none()
    }
}

pub type Move = (Place, Place);

/// Puts moves in an order in which none overwrites what another still reads. `free` are registers that
/// nobody wants, neither before nor behind the moves; `any` is one that may be put aside meanwhile, for which
/// the header of messages is none. Loads come as late as they can, since a register
/// that is loaded is free until then.
pub fn in_order(moves: &[Move], free: u64, any: u8) -> SmallVec<[Move; 8]> {
    let mut done: SmallVec<[Move; 8]> = SmallVec::new();
    let mut left: SmallVec<[Move; 8]> = moves
        .iter()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    left.sort_by_key(|(from, to)| (from.is_memory(), !to.is_memory()));
    while !left.is_empty() {
        let read = left.iter().fold(0, |set, (from, _)| set | from.bit());
        let unwritten = left.iter().fold(0, |set, (_, to)| set | to.bit());
        let usable = (free | unwritten) & !read;
        let through = (usable != 0).then(|| Place::Unit(usable.trailing_zeros() as u8));
        let is_read = |place: Place| left.iter().any(|&(from, _)| from == place);
        let is_load = |(from, to): Move| from.is_memory() && !to.is_memory();
        let next = left.iter().position(|&(_, to)| !is_read(to));
        match next.filter(|&next| !is_load(left[next]) || is_load(left[0])) {
            Some(next) => {
                let (from, to) = left.remove(next);
                if !from.is_memory() || !to.is_memory() {
                    done.push((from, to));
                } else if let Some(through) = through {
                    done.extend([(from, through), (through, to)]);
                } else {
                    let (through, aside) = (Place::Unit(any), Place::Memory(ASIDE));
                    done.extend([(through, aside), (from, through), (through, to)]);
                    done.push((aside, through));
                }
            }
            // What has to be written next is still read, often in a circle: that goes aside.
            None => {
                let full = left[0].1;
                let aside = through.unwrap_or(Place::Memory(SPARE));
                if full.is_memory() && aside.is_memory() {
                    let (through, kept) = (Place::Unit(any), Place::Memory(ASIDE));
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
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn places() -> impl Strategy<Value = Place> {
        prop_oneof![
            (0..8u8).prop_map(Place::Unit),
            (0..4u32).prop_map(Place::Memory)
        ]
    }

    proptest! {
        #[test]
        fn one_after_the_other_is_as_at_once(
            targets in proptest::collection::hash_set(places(), 0..12),
            sources in proptest::collection::vec(places(), 12),
            some_are_free in any::<bool>(),
        ) {
            let moves: Vec<Move> = sources.into_iter().zip(targets).collect();
            let used = moves.iter().fold(0, |set, (from, to)| set | from.bit() | to.bit());
            let free = if some_are_free { 0xff & !used } else { 0 };
            let mut holds: HashMap<Place, Place> = HashMap::new();
            for (from, to) in in_order(&moves, free, 0) {
                prop_assert!(!from.is_memory() || !to.is_memory(), "{from:?} to {to:?}");
                let value = *holds.get(&from).unwrap_or(&from);
                holds.insert(to, value);
            }
            let is_extra = |place: Place| match place {
                Place::Unit(_) => free & place.bit() != 0,
                Place::Memory(web) => web >= ASIDE,
            };
            for (from, to) in &moves {
                prop_assert_eq!(holds.get(to).unwrap_or(to), from);
            }
            for (place, value) in holds {
                let is_target = moves.iter().any(|(_, to)| *to == place);
                prop_assert!(is_target || is_extra(place) || value == place, "{place:?} is lost");
            }
        }
    }
}
