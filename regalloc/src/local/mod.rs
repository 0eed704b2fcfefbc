//! Registers for what lives within a block: the quick tier's allocation.
//!
//! Takes a legal function whose variables have places ([`Function::placed`]), and gives the code of its blocks with a register
//! for everything. What is left to be assigned are temporaries, flags and addresses of which nothing lives from one
//! block to another, so that each block is gone through by itself: once to find the last uses, once to write its code.
//! Two halves of the blocks are done at the same time.
//!
//! Values get registers in the order of the code, where they can those that make the operands of messages lie one
//! behind the other; what does not lie so is copied together before the message. A result never has a register of what
//! its instruction reads, but for what it is written over. For a flag that finds no room the one with the latest last
//! use goes to a general register, from which it is loaded again; for want of general registers the whole fails.
//!
//! `look` finds what a block's values are like, `walk` goes through the code, `words` assigns flags and addresses and `units`
//! general registers.
//!
//! The address to which a subroutine goes back has a unit of its own that nothing which it calls overwrites.

mod look;
mod units;
mod walk;
mod words;

use cranelift_entity::EntityRef;
use kiln_machine::func::{Block, Entered, Function, Term};
use kiln_machine::halves;
use kiln_machine::inst::{Inst, Opcode, VReg};

use crate::frame::Frame;
use crate::rewrite::Body;
use crate::routines::{Convention, Parts};
use crate::{AllocError, Stats};
use walk::Walk;

const NONE: u32 = u32::MAX;

/// No place.
const NOWHERE: u8 = u8::MAX;

/// Units at the end of those that there are which only hold addresses to go back to, if there are subroutines.
const BACKS: usize = 4;

/// What comes of a function.
pub struct Code {
    pub bodies: Vec<Body>,
    pub stats: Stats,
    /// Of a subroutine.
    pub convention: Option<Convention>,
}

/// Makes the code of all blocks that can be reached, and says in the function which flags they end with. With `numbers`
/// it is told where each instruction comes from.
///
/// # Errors
/// Something lives from one block to another, or there are too few registers.
pub fn code(
    func: &mut Function,
    frame: &Frame,
    parts: &Parts,
    numbers: bool,
) -> Result<Code, AllocError> {
    let mut code: Vec<Vec<Inst>> = func
        .blocks
        .values_mut()
        .map(|block| std::mem::take(&mut block.insts))
        .collect();
    let shared = &*func;
    let own = Units::new(shared, frame, parts, &code)?;
    let reached = reached(shared);
    let half = |first: usize, code: &mut [Vec<Inst>]| {
        let mut walk = Walk::new(shared, frame, parts, &own, numbers);
        let mut done = Half::default();
        for (b, insts) in (first..).map(Block::new).zip(code) {
            let insts = std::mem::take(insts);
            if !reached[b.index()] {
                continue;
            }
            let (body, term) = walk.block(b, &insts)?;
            done.bodies.push(body);
            done.terms.extend(term.map(|term| (b, term)));
        }
        done.stats = walk.stats;
        (done.units, done.written) = (walk.units, walk.written);
        Ok(done)
    };
    let counts = code.iter().map(Vec::len);
    let halves = match halves::middle(counts) {
        None => vec![half(0, &mut code)],
        Some(middle) => {
            let (first, second) = code.split_at_mut(middle);
            let (first, second) = rayon::join(|| half(0, first), || half(middle, second));
            vec![first, second]
        }
    };
    let mut all = Half::default();
    for half in halves {
        let half = half?;
        match all.bodies.is_empty() {
            true => all.bodies = half.bodies,
            false => all.bodies.extend(half.bodies),
        }
        all.terms.extend(half.terms);
        all.stats = all.stats.with(&half.stats);
        all.units |= half.units;
        all.written |= half.written;
    }
    for (b, term) in all.terms {
        func.blocks[b].term = term;
    }
    let kept = frame
        .kept
        .iter()
        .fold(all.units, |set, unit| set | 1 << unit);
    all.stats.grf_used = kept.count_ones() * frame.unit_grfs;
    let convention = Convention {
        back: own.back.unwrap_or(0),
        lost: all.written,
        ..Convention::default()
    };
    Ok(Code {
        bodies: all.bodies,
        stats: all.stats,
        convention: (func.entered == Entered::Subroutine).then_some(convention),
    })
}

/// What comes of some of the blocks.
#[derive(Default)]
struct Half {
    bodies: Vec<Body>,
    terms: Vec<(Block, Term)>,
    stats: Stats,
    units: u128,
    written: u128,
}

/// The blocks that can be reached.
fn reached(func: &Function) -> Vec<bool> {
    let mut reached = vec![false; func.blocks.len()];
    let mut work = vec![func.entry()];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut reached[b.index()], true) {
            work.extend(func.blocks[b].succs.iter().map(|edge| edge.to));
        }
    }
    reached
}

fn fail(func: &Function, frame: &Frame, what: &str) -> AllocError {
    AllocError::TooFew {
        func: func.name.clone(),
        limit: frame.units.len() as u32 * frame.unit_grfs,
        what: what.to_string(),
    }
}

/// The units that a function has.
struct Units {
    /// Those for temporaries, a bit each.
    may: u128,
    /// That of the address to go back to, and the value that is it.
    back: Option<u32>,
    address: Option<VReg>,
}

impl Units {
    fn new(
        func: &Function,
        frame: &Frame,
        parts: &Parts,
        code: &[Vec<Inst>],
    ) -> Result<Units, AllocError> {
        let apart = if parts.conventions.is_empty() {
            0
        } else {
            BACKS
        };
        let count = frame.units.len().saturating_sub(apart);
        let may = frame.units[..count]
            .iter()
            .fold(0, |set: u128, unit| set | 1 << unit);
        let address = match (func.entered, &func.inputs[..]) {
            (Entered::Dispatched, []) => None,
            (Entered::Subroutine, &[(v, None)]) => Some(v),
            _ => {
                return Err(fail(
                    func,
                    frame,
                    "inputs come in registers that are assigned",
                ));
            }
        };
        if address.is_none() {
            return Ok(Units {
                may,
                back: None,
                address,
            });
        }
        // A call is the last of its block.
        let callees = code.iter().filter_map(|insts| match insts.last()?.op {
            Opcode::CallRoutine(callee) => parts.convention(callee.into()),
            _ => None,
        });
        let lost = callees.fold(0, |set: u128, callee| set | callee.lost | 1 << callee.back);
        let mut free = frame
            .units
            .iter()
            .rev()
            .filter(|&&unit| lost >> unit & 1 == 0);
        let Some(&back) = free.next() else {
            return Err(fail(
                func,
                frame,
                "none is left for the address to go back to",
            ));
        };
        Ok(Units {
            may: may & !(1 << back),
            back: Some(back),
            address,
        })
    }
}
