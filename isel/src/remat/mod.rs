//! Rematerialization: cheap values are computed again before their uses instead of being kept in registers.
//!
//! Takes legal machine IR in SSA form, after [`pairs`](crate::pairs), and leaves equivalent IR with fewer live
//! registers at places where nearly all registers, or more than exist, are live. A candidate is live through such a
//! place and is defined by one integer operation on immediates, and on registers that are live at each of its uses or
//! are constants. One register may live longer for several candidates (`choose`). A candidate is rematerialized before
//! its first use in each block and before a use that is far from the one before, or before the loops around the use in
//! which registers are free (`spots`), and its original definition is removed. An operation costs less than a store and
//! the loads.
//!
//! Two values that share a unit, one tied to the other, are both rematerialized or neither, because the unit is free
//! only without both.
//!
//! A rematerialized operation ignores the execution mask. A register's contents are constant while it is live, so
//! that all channels get their old values, those that wait at joins included; channels that the original left out
//! are undefined. Edge arguments and tied operands stay, since they need a location of their own.
//!
//! A few registers are to stay free (`aim`), since payloads of messages need consecutive registers. Values that are
//! live across a call of a subroutine must fit in the registers that it preserves.
//!
//! Nothing is done where the pressure is a multiple of the register file: with far more, much is spilled whatever this
//! pass does.

mod choose;
mod inputs;
mod lasts;
mod rewrite;
mod spots;
mod values;

use std::cmp::Reverse;

use kiln_machine::func::{Block, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::Opcode;
use kiln_machine::pressure::profile;

use choose::choose;
use inputs::gather;
use rewrite::rewrite;
use values::collect;

/// Maximum number of places at which a value is rematerialized, or each of two that share a unit.
const MAX_READS: usize = 4;
/// Minimum distance, in instructions, of reads in one block between which a value is not kept.
const NEAR_INSTS: u32 = 64;
/// One unit of `UNITS_PER_FREE` is left free.
const UNITS_PER_FREE: u32 = 15;
/// Maximum excess, as a multiple of the register file, at which values are rematerialized.
const MAX_OVER: u32 = 2;
/// Minimum length, in instructions, of a live range that is shortened.
const MIN_RANGE_INSTS: u32 = 16;
/// Weight of a use in a loop, relative to one outside, and maximum depth of loops that count.
const LOOP_WEIGHT: u32 = 8;
const MAX_LOOP_DEPTH: u32 = 6;
const NONE: u32 = u32::MAX;

/// A place with too many live units, and the excess.
struct Place {
    block: Block,
    inst: u32,
    at: u32,
    over: u32,
    /// True if it is a call instruction itself, and not the place before it.
    is_call: bool,
}

/// A call of a subroutine, the units of its results, and the units that it clobbers.
struct Call {
    block: Block,
    inst: u32,
    results: u32,
    lost: u32,
}

/// Maximum number of units that should be live, of `units`.
fn aim(units: u32) -> u32 {
    units - units / UNITS_PER_FREE
}

/// Rematerializes cheap values where pressure exceeds the limit for `units` units. `most` is an upper bound of the
/// pressure, and `lost` the number of units that a subroutine clobbers. True if places with too much pressure were
/// searched.
pub fn run(func: &mut Function, units: u32, most: u32, lost: impl Fn(u16) -> u32) -> bool {
    let spare = units - aim(units);
    let units = aim(units);
    let calls = calls(func, &lost);
    let most_lost = calls.iter().map(|call| call.lost).max().unwrap_or(0);
    if most.saturating_add(most_lost) <= units {
        return false;
    }
    let graph = Graph::new(func);
    let places = places(func, &graph, units, &calls);
    let over = places.iter().map(|place| place.over).max().unwrap_or(0);
    if over > 0 && over <= MAX_OVER * units {
        let mut values = collect(func);
        let chosen = choose(func, &graph, &mut values, &places);
        let mut left = places;
        if !chosen.is_empty() {
            rewrite(func, &values, &chosen);
            left = self::places(func, &graph, units, &self::calls(func, &lost));
        }
        left.retain(|place| place.is_call || place.over > spare);
        gather(func, &left);
    }
    true
}

/// The calls, in the order of the code.
fn calls(func: &Function, lost: impl Fn(u16) -> u32) -> Vec<Call> {
    let mut calls = Vec::new();
    for (block, data) in func.blocks.iter() {
        for (inst, call) in (0..).zip(&data.insts) {
            if let Opcode::CallRoutine(callee) = call.op {
                let results = call.dst.map_or(0, |dst| func.registers_of(&dst.reg).len());
                calls.push(Call {
                    block,
                    inst,
                    results: results as u32,
                    lost: lost(callee),
                });
            }
        }
    }
    calls
}

/// The place of the highest excess in each block, and the calls with an excess.
fn places(func: &Function, graph: &Graph, units: u32, calls: &[Call]) -> Vec<Place> {
    let mut calls = calls.iter().peekable();
    let mut places = Vec::new();
    let mut first = 0;
    let profile = profile(func, graph, (MAX_OVER + 2) * units);
    for block in func.blocks.keys() {
        let amounts = profile.of(block);
        // Before an instruction: registers that are live-out are live after the last one.
        let before = (0..).zip(&amounts[..amounts.len() - 1]);
        let most = before.max_by_key(|&(inst, amount)| (amount.units, Reverse(inst)));
        if let Some((inst, amount)) = most.filter(|(_, amount)| amount.units > units) {
            places.push(Place {
                block,
                inst,
                at: first + inst,
                over: amount.units - units,
                is_call: false,
            });
        }
        while let Some(call) = calls.next_if(|call| call.block == block) {
            let behind = amounts[call.inst as usize + 1].units;
            let there = behind.saturating_sub(call.results) + call.lost;
            if there > units {
                places.push(Place {
                    block,
                    inst: call.inst,
                    at: first + call.inst,
                    over: there - units,
                    is_call: true,
                });
            }
        }
        first += amounts.len() as u32 - 1;
    }
    places
}
