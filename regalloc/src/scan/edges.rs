//! Moves that happen at once, as a list of moves one after the other.

use smallvec::SmallVec;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    fn bit(self) -> u64 {
        match self {
            Place::Unit(unit) => 1 << unit,
            Place::Memory(_) => 0,
        }
    }

    fn is_memory(self) -> bool {
        matches!(self, Place::Memory(_))
    }
}

pub type Move = (Place, Place);

/// Puts moves in an order in which none overwrites what another still reads. `free` are registers that
/// nobody wants, neither before nor behind the moves. Loads come as late as they can, since a register
/// that is loaded is free until then.
pub fn in_order(moves: &[Move], free: u64) -> SmallVec<[Move; 8]> {
    let mut done: SmallVec<[Move; 8]> = SmallVec::new();
    let mut left: SmallVec<[Move; 8]> =
        moves.iter().copied().filter(|(from, to)| from != to).collect();
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
                    let (through, aside) = (Place::Unit(0), Place::Memory(ASIDE));
                    done.extend([(through, aside), (from, through), (through, to)]);
                    done.push((aside, through));
                }
            }
            // What has to be written next is still read, often in a circle: that goes aside.
            None => {
                let full = left[0].1;
                let aside = through.unwrap_or(Place::Memory(SPARE));
                if full.is_memory() && aside.is_memory() {
                    let (through, kept) = (Place::Unit(0), Place::Memory(ASIDE));
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
