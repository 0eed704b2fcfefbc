//! Rematerialization: cheap values are computed again before their uses instead of being kept in registers.
//!
//! Takes legal machine IR in SSA form, after [`pairs`](crate::pairs), and leaves equivalent IR with fewer live
//! registers at places where nearly all registers, or more than exist, are live. A candidate is live through such a
//! place and is defined by one integer operation on immediates, and on registers that are live at each of its uses or are constants.
//! A candidate is rematerialized before its first use in each block, or before the loops around the use in which registers
//! are free (`spots`), and its original definition is removed. No other live range grows, and an operation costs
//! less than a store and the loads.
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

mod inputs;
mod lasts;
mod rewrite;
mod spots;
mod values;

use std::cmp::Reverse;

use kiln_machine::func::{Block, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Opcode, VReg};
use kiln_machine::pressure::profile;

use inputs::gather;
use lasts::lasts;
use rewrite::rewrite;
use spots::Spots;
use values::{Values, collect};

/// Maximum number of blocks in which a value is rematerialized, or each of two that share a unit.
const MAX_BLOCKS: usize = 4;
/// One unit of `UNITS_PER_FREE` is left free.
const UNITS_PER_FREE: u32 = 15;
/// Maximum excess, as a multiple of the register file, at which values are rematerialized.
const MAX_OVER: u32 = 2;
/// Minimum length, in instructions, of a live range that is shortened.
const MIN_RANGE_INSTS: u32 = 16;
/// Weight of a use in a loop, relative to one outside, and maximum depth of loops that count.
const LOOP_WEIGHT: u32 = 8;
const MAX_LOOP_DEPTH: u32 = 6;
/// Maximum number of places that are considered (those with the highest pressure), and of values (those with the
/// longest live ranges).
const MAX_PLACES: usize = 512;
const MAX_VALUES: usize = 4096;
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

/// A value to rematerialize.
#[derive(Clone, Copy)]
struct Chosen {
    v: VReg,
    /// True if the constants that its operation reads are rematerialized with it.
    with_constants: bool,
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

/// Chooses the values to rematerialize.
fn choose(func: &Function, graph: &Graph, values: &mut Values, places: &[Place]) -> Vec<Chosen> {
    let mut crowded = vec![false; func.blocks.len()];
    for place in places {
        crowded[place.block.as_u32() as usize] = true;
    }
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort_by_key(|place| (Reverse(place.over), place.at));
    places.truncate(MAX_PLACES);
    let mut first = Vec::with_capacity(func.blocks.len());
    let mut count = 0;
    for data in func.blocks.values() {
        first.push(count);
        count += data.insts.len() as u32;
    }
    let is_possible = |v: &VReg| {
        let value = values.get(*v);
        value.is_cheap
            && !value.is_barred
            && values.reads(*v).next().is_some()
            && value.last.saturating_sub(value.def) >= MIN_RANGE_INSTS
            && values.parts(func, *v).is_some()
    };
    let possible: Vec<VReg> = func.regs.keys().filter(is_possible).collect();
    let spots = Spots::new(func, graph, &crowded);
    for &v in &possible {
        let home = Block::from_u32(values.get(v).site.0);
        values.place(v, |read| spots.of(home, read));
    }
    let values = &*values;
    let lasts = lasts(func);
    // True if a register that is live before an instruction is live after it.
    let lives_behind = |v: VReg, block: Block, at: u32| {
        let (last, here) = (lasts[v.as_u32() as usize], 2 * block.as_u32());
        last > here || last == here && values.get(v).last > at
    };
    // True if a register is live before the first use of another in each block, or at the end of the block before.
    let is_kept = |s: VReg, v: VReg| {
        values.reads(v).all(|read| match read.spot == read.block {
            true => {
                let at = first[read.block.as_u32() as usize] + read.first;
                lives_behind(s, read.block, at.saturating_sub(1))
            }
            false => lives_behind(s, read.spot, u32::MAX),
        })
    };
    let chosen = |v: VReg| {
        let mut chosen = Chosen {
            v,
            with_constants: false,
        };
        for (s, constant) in values.sources(func, v) {
            let is_kept = is_kept(s, v);
            if !is_kept && constant.is_none() {
                return None;
            }
            chosen.with_constants |= !is_kept;
        }
        Some(chosen)
    };
    let mut possible: Vec<Chosen> = possible.into_iter().filter_map(chosen).collect();
    possible.sort_by_cached_key(|&Chosen { v, with_constants }| {
        let value = values.get(v);
        let cost = spots.cost(values.reads(v));
        (cost, with_constants, Reverse(value.last - value.def), v)
    });
    possible.truncate(MAX_VALUES);
    // The values chosen so far, and their sources, which must stay.
    let mut anew = vec![false; values.list.len()];
    let mut stays = vec![false; values.list.len()];
    for place in places {
        let lives = |v: VReg| {
            let near = |read: values::Read| {
                let last = read.last + u32::from(!place.is_call);
                read.block == place.block && (read.first..last).contains(&place.inst)
            };
            values.get(v).def < place.at
                && !values.reads(v).any(near)
                && lives_behind(v, place.block, place.at)
        };
        let there = possible.iter().filter(|chosen| lives(chosen.v));
        let is_anew = |chosen: &&Chosen| anew[chosen.v.as_u32() as usize];
        let mut over = place
            .over
            .saturating_sub(there.clone().filter(is_anew).count() as u32);
        for &Chosen { v, with_constants } in there {
            if over == 0 {
                break;
            }
            let n = v.as_u32() as usize;
            let sources = || {
                let all = values.sources(func, v);
                all.filter(|(_, constant)| !with_constants || constant.is_none())
            };
            let of_kept = sources().all(|(s, _)| !anew[s.as_u32() as usize]);
            if anew[n] || stays[n] || !of_kept {
                continue;
            }
            anew[n] = true;
            sources().for_each(|(s, _)| stays[s.as_u32() as usize] = true);
            over -= 1;
        }
    }
    possible.retain(|chosen| anew[chosen.v.as_u32() as usize]);
    possible
}
