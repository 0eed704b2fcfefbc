//! Computes cheap values anew where they are read, instead of keeping them until then (rematerialization).
//!
//! Takes legal machine IR in SSA form, after [`pairs`](crate::pairs), in which nearly all registers live somewhere,
//! or more than there are, and leaves the same with fewer that live there. A value that lives over such a place, and that one
//! integer operation makes of immediates and of registers that live wherever it is read, is made anew before
//! its first read in each block that reads it, or before the loops around that in which registers are left
//! (`spots`), and no longer where it was. No other value lives longer for that,
//! and an operation costs less than a store and the loads.
//!
//! Of two values that share a unit, one written over the other, each is made anew where it is read, and both or
//! neither: the unit is free only without both.
//!
//! It is made anew whatever the execution mask: a register's contents do not change while it lives, so that all
//! channels get what they had, those that wait at joins among them. Of channels that the operation left out
//! nobody wants anything. What passes an edge or is written over stays, as it is wanted in a place of its own.
//!
//! A few registers are to stay free (`aim`), since payloads of messages need several side by side. What lives
//! over a call of a subroutine has those that the subroutine leaves.
//!
//! How many registers live is estimated first ([`lives`](crate::schedule)), which never says less than do, and
//! counted only where that is not many times what there is: if far more live, much is in memory whatever is
//! done here.

mod rewrite;
mod spots;
mod values;

use std::cmp::Reverse;

use kiln_machine::func::{Block, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Opcode, VReg};
use kiln_machine::liveness::Liveness;
use kiln_machine::pressure::profile;

use crate::schedule::lives::{Known, Lives};
use rewrite::rewrite;
use spots::Spots;
use values::{Values, collect};

/// Blocks that a value may be made anew in, or each of two that share a unit.
const BLOCKS: usize = 4;
/// Of so many units one is left free.
const FREE: u32 = 15;
/// How many times what there is may be estimated to live.
const FAR: u32 = 3;
/// Instructions that a value lives for at least.
const LEAST_LIFE: u32 = 16;
/// Reads in a loop count so many times those outside, and loops in each other that count.
const LOOP: u32 = 8;
const LOOPS: u32 = 6;
/// Places that are looked at, those with the most registers, and values, those that live longest.
const PLACES: usize = 512;
const VALUES: usize = 4096;
const NONE: u32 = u32::MAX;

/// A place at which more registers live than there are, and how many more.
struct Place {
    block: Block,
    inst: u32,
    at: u32,
    over: u32,
    /// It is the instruction, a call, and not the place before it.
    is_call: bool,
}

/// A call of a subroutine, how many units have its results, and how many are lost.
struct Call {
    block: Block,
    inst: u32,
    results: u32,
    lost: u32,
}

/// How many units may live where there are so many.
fn aim(units: u32) -> u32 {
    units - units / FREE
}

/// Makes cheap values anew where more registers live than may where there are so many units. No more than `most`
/// live at once, and of calls of subroutines it is known how many units are lost. Says whether it looked for such places.
pub fn run(func: &mut Function, units: u32, most: u32, lost: impl Fn(u16) -> u32) -> bool {
    let units = aim(units);
    let calls = calls(func, lost);
    let most_lost = calls.iter().map(|call| call.lost).max().unwrap_or(0);
    if most.saturating_add(most_lost) <= units {
        return false;
    }
    let known = Known::new(func, units);
    let estimate = estimate(func, &known);
    if estimate + most_lost <= units || estimate > FAR * units {
        return false;
    }
    let graph = Graph::new(func);
    let places = places(func, &graph, units, &calls);
    if !places.is_empty() {
        let mut values = collect(func);
        let chosen = choose(func, &graph, &known, &mut values, places);
        rewrite(func, &values, &chosen);
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

/// About how many units live at once, at most.
fn estimate(func: &Function, known: &Known) -> u32 {
    let mut lives = Lives::new(known);
    let most = func.blocks.keys().filter_map(|block| {
        lives.enter(func, block);
        lives.most()
    });
    most.map(|(_, most)| most as u32).max().unwrap_or(0)
}

/// Where most live in each block in which more do than there are, and the calls beside which more do.
fn places(func: &Function, graph: &Graph, units: u32, calls: &[Call]) -> Vec<Place> {
    let mut calls = calls.iter().peekable();
    let live = Liveness::new(func, graph);
    let mut places = Vec::new();
    let mut first = 0;
    let profile = profile(func, &live);
    for block in func.blocks.keys() {
        let amounts = profile.of(block);
        // Before an instruction: what lives at the end of a block lives behind the last one.
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

/// The values that are to be made anew.
fn choose(
    func: &Function,
    graph: &Graph,
    known: &Known,
    values: &mut Values,
    mut places: Vec<Place>,
) -> Vec<VReg> {
    let mut crowded = vec![false; func.blocks.len()];
    for place in &places {
        crowded[place.block.as_u32() as usize] = true;
    }
    places.sort_by_key(|place| (Reverse(place.over), place.at));
    places.truncate(PLACES);
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
            && value.last.saturating_sub(value.born) >= LEAST_LIFE
            && values.parts(func, *v).is_some()
    };
    let mut possible: Vec<VReg> = func.regs.keys().filter(is_possible).collect();
    let spots = Spots::new(func, graph, &crowded);
    for &v in &possible {
        let home = Block::from_u32(values.get(v).home.0);
        values.place(v, |read| spots.of(home, read));
    }
    let values = &*values;
    // Whether a register lives behind an instruction before which it lives.
    let lives_behind = |v: VReg, block: Block, at: u32| {
        let (last, here) = (known.last(v), 2 * block.as_u32());
        last > here || last == here && values.get(v).last > at
    };
    let sources = |v: VReg| {
        let parts = values.parts(func, v).into_iter().flatten().flatten();
        let makers = parts.filter_map(|part| values.maker(func, values.get(part)));
        makers.flat_map(|inst| {
            let sources = inst.srcs.iter();
            sources.filter_map(|src| src.as_reg()?.reg.as_virt())
        })
    };
    // What it is made of lives before its first read in a block, or at the end of one.
    let is_kept = |v: &VReg| {
        values.reads(*v).all(|read| match read.spot == read.block {
            true => {
                let at = first[read.block.as_u32() as usize] + read.first;
                sources(*v).all(|s| lives_behind(s, read.block, at.saturating_sub(1)))
            }
            false => sources(*v).all(|s| lives_behind(s, read.spot, u32::MAX)),
        })
    };
    possible.retain(is_kept);
    possible.sort_by_cached_key(|&v| {
        let value = values.get(v);
        let cost = spots.cost(values.reads(v));
        (cost, Reverse(value.last - value.born), v)
    });
    possible.truncate(VALUES);
    // Those that are made anew, and what they are made of, which stays.
    let mut anew = vec![false; values.list.len()];
    let mut stays = vec![false; values.list.len()];
    for place in places {
        let lives = |v: VReg| {
            let near = |read: values::Read| {
                let last = read.last + u32::from(!place.is_call);
                read.block == place.block && (read.first..last).contains(&place.inst)
            };
            values.get(v).born < place.at
                && !values.reads(v).any(near)
                && lives_behind(v, place.block, place.at)
        };
        let there = possible.iter().filter(|&&v| lives(v));
        let gone = there.clone().filter(|v| anew[v.as_u32() as usize]).count();
        let mut over = place.over.saturating_sub(gone as u32);
        for &v in there {
            if over == 0 {
                break;
            }
            let n = v.as_u32() as usize;
            let of_kept = sources(v).all(|s| !anew[s.as_u32() as usize]);
            if anew[n] || stays[n] || !of_kept {
                continue;
            }
            anew[n] = true;
            sources(v).for_each(|s| stays[s.as_u32() as usize] = true);
            over -= 1;
        }
    }
    possible.retain(|v| anew[v.as_u32() as usize]);
    possible
}
