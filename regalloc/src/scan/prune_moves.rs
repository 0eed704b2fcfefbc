//! The answer, without moves that have no effect.
//!
//! Takes a draft, whose slots are those of webs, and gives the answer. A value may be loaded or moved and then spilled before it is read,
//! and stored for loads that are not there any more: such moves are left out by liveness of units over the code, and
//! by that of [`slots`](super::slots).

use kiln_platform::bits::UnitSet;
use kiln_platform::platform::UNIT_GRFS;

use super::Step;
use super::parallel_moves::{CYCLE_SLOT, SAVE_SLOT};
use crate::problem::{Answer, Move, Place, Problem, Slot};

/// Places and moves in which a slot has the number of a web.
pub struct Draft<'a> {
    pub problem: &'a Problem,
    /// By operand.
    pub places: Vec<Place>,
    /// In the order in which they happen, each with four times its point or up to three more.
    pub moves: Vec<(u64, Step)>,
    /// By web: GRFs that its slot needs at least.
    pub slot_grfs: Vec<u32>,
    /// By block: all units that may hold something at its start.
    pub starts: Vec<UnitSet>,
}

impl Draft<'_> {
    /// The answer.
    pub fn answer(mut self) -> Answer {
        self.drop_unread();
        let (numbers, mut slots) = self.slots();
        let mut others = [(CYCLE_SLOT, None), (SAVE_SLOT, None)];
        let mut place = |place: Place| match place {
            Place::Unit(_) => place,
            Place::Memory(web) => match others.iter_mut().find(|(slot, _)| *slot == web) {
                Some((_, number)) => Place::Memory(*number.get_or_insert_with(|| {
                    let at = slots.iter().map(|slot: &Slot| slot.at + slot.grfs).max();
                    slots.push(Slot {
                        at: at.unwrap_or(0),
                        grfs: UNIT_GRFS,
                    });
                    slots.len() as u32 - 1
                })),
                None => Place::Memory(numbers[web as usize]),
            },
        };
        let moves = self.moves.iter().map(|&(key, (from, to))| Move {
            at: (key >> 2) as u32,
            from: place(from),
            to: place(to),
        });
        let moves = moves.collect();
        let mut places = std::mem::take(&mut self.places);
        places.iter_mut().for_each(|at| *at = place(*at));
        Answer {
            places,
            moves,
            slots,
        }
    }

    /// Drops moves to units that are written again before anything reads them, from the end of each block to its
    /// start.
    fn drop_unread(&mut self) {
        let problem = self.problem;
        let mut unread = vec![false; self.moves.len()];
        let mut next = self.moves.len();
        // By block, the units that are read from its start on; units that hold something, as long as that is unknown.
        let mut reads = std::mem::take(&mut self.starts);
        for b in (0..problem.block_count()).rev() {
            let succs = problem.edges(b).iter();
            let mut read = succs.fold(UnitSet::EMPTY, |set, edge| set | reads[edge.to as usize]);
            let (first, end) = problem.insts_of(b);
            for i in (first..end).rev() {
                let mut moves = |from: u64, read: &mut UnitSet, moves: &[(u64, Step)]| {
                    while let Some(at) = next.checked_sub(1)
                        && moves[at].0 >> 2 >= from
                    {
                        next = at;
                        let (from, to) = moves[at].1;
                        unread[at] = to.unit().is_some_and(|unit| !read.contains(unit));
                        if !unread[at] {
                            *read = (*read - to.set()) | from.set();
                        }
                    }
                };
                moves(2 * u64::from(i) + 1, &mut read, &self.moves);
                let places = &self.places[problem.operands_from(i)..];
                let ops = problem.operands(i).iter().zip(places);
                for (_, place) in ops.clone().filter(|(op, _)| op.is_def()) {
                    read -= place.set();
                }
                for (_, place) in ops.filter(|(op, _)| op.is_use()) {
                    read |= place.set();
                }
                moves(2 * u64::from(i), &mut read, &self.moves);
            }
            reads[b] = read;
        }
        let mut unread = unread.into_iter();
        self.moves.retain(|_| unread.next() != Some(true));
    }
}
