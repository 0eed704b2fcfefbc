//! Computes cheap values anew where they are read, instead of keeping them until then (rematerialization).
//!
//! Takes legal machine IR in SSA form, after [`pairs`](crate::pairs), in which nearly all registers live somewhere,
//! or more than there are, and leaves the same with fewer that live there. A value that lives over such a place, and that one
//! integer operation makes of immediates and of registers that live wherever it is read, is made anew before
//! its first read in each block that reads it, and no longer where it was. No other value lives longer for that,
//! and an operation costs less than a store and the loads.
//!
//! It is made anew whatever the execution mask: a register's contents do not change while it lives, so that all
//! channels get what they had, those that wait at joins among them. Of channels that the operation left out
//! nobody wants anything. What passes an edge or is written over stays, as it is wanted in a place of its own.
//!
//! A few registers are to stay free ([`aim`]), since payloads of messages need several side by side.
//!
//! How many registers live is estimated first ([`lives`](crate::schedule)), which never says less than do, and
//! counted only where that is not many times what there is: if far more live, much is in memory whatever is
//! done here.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::{Liveness, term_uses};
use kiln_machine::pressure::profile;
use kiln_target::isa::Op;
use smallvec::SmallVec;

use crate::schedule::lives::{Known, Lives};

/// What the pass is called.
pub const NAME: &str = "remat";

/// Blocks that a value may be made anew in.
const BLOCKS: usize = 4;
/// Of so many units one is left free.
const FREE: u32 = 15;
/// How many times what there is may be estimated to live.
const FAR: u32 = 3;
/// Instructions that a value lives for at least.
const LEAST_LIFE: u32 = 16;
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
}

/// What is known of a register.
#[derive(Clone, Default)]
struct Value {
    /// The operation that makes it may be done anywhere.
    is_cheap: bool,
    /// It is wanted in a place of its own, or in too many blocks.
    is_barred: bool,
    /// The number of the instruction that makes it, of all in order.
    born: u32,
    /// Its block, and its number there.
    home: (u32, u32),
    last: u32,
    /// Blocks that read it, with the first instruction that does.
    reads: SmallVec<[(Block, u32); BLOCKS]>,
}

/// How many units may live where there are so many.
pub fn aim(units: u32) -> u32 {
    units - units / FREE
}

/// Makes cheap values anew where more registers live than may where there are so many units.
pub fn run(func: &mut Function, units: u32) {
    let units = aim(units);
    let known = Known::new(func, units);
    let estimate = estimate(func, &known);
    if estimate <= units || estimate > FAR * units {
        return;
    }
    let places = places(func, units);
    if !places.is_empty() {
        let values = collect(func);
        let chosen = choose(func, &known, &values, places);
        rewrite(func, &values, &chosen);
    }
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

/// Where most live in each block in which more do than there are; the worst of them first.
fn places(func: &Function, units: u32) -> Vec<Place> {
    let live = Liveness::new(func, &Graph::new(func));
    let mut places = Vec::new();
    let mut first = 0;
    for (block, amounts) in func.blocks.keys().zip(profile(func, &live)) {
        // Before an instruction: what lives at the end of a block lives behind the last one.
        let before = (0..).zip(&amounts[..amounts.len() - 1]);
        let most = before.max_by_key(|&(inst, amount)| (amount.units, Reverse(inst)));
        if let Some((inst, amount)) = most.filter(|(_, amount)| amount.units > units) {
            places.push(Place {
                block,
                inst,
                at: first + inst,
                over: amount.units - units,
            });
        }
        first += amounts.len() as u32 - 1;
    }
    places.sort_by_key(|place| (Reverse(place.over), place.at));
    places.truncate(PLACES);
    places
}

/// Finds what makes each register and who reads it.
fn collect(func: &Function) -> Vec<Value> {
    let mut values = vec![
        Value {
            born: NONE,
            ..Value::default()
        };
        func.regs.len()
    ];
    let mut at = 0;
    for (block, data) in func.blocks.iter() {
        for (n, inst) in (0..).zip(&data.insts) {
            func.visit(inst, |v, role| {
                let value = &mut values[v.as_u32() as usize];
                if !role.is_def() {
                    value.last = at;
                    value.is_barred |= !matches!(role, Role::Source { .. });
                    match value.reads.last() {
                        Some(&(last, _)) if last == block => {}
                        _ if value.reads.len() == BLOCKS => value.is_barred = true,
                        _ => value.reads.push((block, n)),
                    }
                    return;
                }
                value.is_cheap = value.born == NONE && is_cheap(func, inst);
                value.born = at;
                value.home = (block.as_u32(), n);
                if let Some(old) = role.old() {
                    let old = &mut values[old.as_u32() as usize];
                    old.is_barred = true;
                    old.last = at;
                }
            });
            at += 1;
        }
        term_uses(func, block, |v| {
            let value = &mut values[v.as_u32() as usize];
            value.is_barred = true;
            value.last = at;
        });
    }
    values
}

/// An integer operation that makes a register as a whole of immediates and registers.
fn is_cheap(func: &Function, inst: &Inst) -> bool {
    use Op::*;
    let Some(dst) = &inst.dst else { return false };
    let general = |reg: &Reg| (reg.as_virt()).is_some_and(|v| func.regs[v].class == Class::Grf);
    let computes = match inst.gen_op() {
        Some(Mov) => true,
        Some(Not | Add | And | Or | Xor | Shl | Shr | Asr) => !dst.ty.is_float(),
        _ => false,
    };
    computes
        && inst.is_bare()
        && dst.old == Old::None
        && dst.indirect.is_none()
        && general(&dst.reg)
        && inst.srcs.iter().all(|src| match src {
            Src::Imm(imm) => imm.ty.is_float() == dst.ty.is_float(),
            Src::Reg(r) => {
                let integers = !r.ty.is_float() && !dst.ty.is_float();
                integers && r.indirect.is_none() && general(&r.reg)
            }
        })
}

/// The values that are to be made anew.
fn choose(func: &Function, known: &Known, values: &[Value], places: Vec<Place>) -> Vec<VReg> {
    let mut first = Vec::with_capacity(func.blocks.len());
    let mut count = 0;
    for data in func.blocks.values() {
        first.push(count);
        count += data.insts.len() as u32;
    }
    let value = |v: VReg| &values[v.as_u32() as usize];
    // Whether a register lives behind an instruction before which it lives.
    let lives_behind = |v: VReg, block: Block, at: u32| {
        let (last, here) = (known.last(v), 2 * block.as_u32());
        last > here || last == here && value(v).last > at
    };
    let sources = |v: VReg| {
        let (block, inst) = value(v).home;
        let inst = &func.blocks[Block::from_u32(block)].insts[inst as usize];
        inst.srcs
            .iter()
            .filter_map(|src| src.as_reg()?.reg.as_virt())
    };
    let is_kept = |v: VReg| {
        value(v).reads.iter().all(|&(block, inst)| {
            let at = first[block.as_u32() as usize] + inst;
            sources(v).all(|s| lives_behind(s, block, at))
        })
    };
    let is_possible = |v: &VReg| {
        let value = value(*v);
        value.is_cheap
            && !value.is_barred
            && !value.reads.is_empty()
            && value.last.saturating_sub(value.born) >= LEAST_LIFE
            && is_kept(*v)
    };
    let mut possible: Vec<VReg> = func.regs.keys().filter(is_possible).collect();
    possible.sort_by_key(|&v| {
        let value = value(v);
        (value.reads.len(), Reverse(value.last - value.born), v)
    });
    possible.truncate(VALUES);
    // Those that are made anew, and what they are made of, which stays.
    let mut anew = vec![false; values.len()];
    let mut stays = vec![false; values.len()];
    for place in places {
        let lives = |v: VReg| {
            let value = value(v);
            let near = (value.reads.iter())
                .any(|&(block, inst)| block == place.block && inst <= place.inst);
            value.born < place.at && !near && lives_behind(v, place.block, place.at)
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

/// Makes the chosen ones anew in each block that reads them, and nowhere else.
fn rewrite(func: &mut Function, values: &[Value], chosen: &[VReg]) {
    // By block: where something is done, to which value, and whether it goes.
    let mut work: Vec<(u32, u32, VReg, bool)> = Vec::new();
    for &v in chosen {
        let value = &values[v.as_u32() as usize];
        work.push((value.home.0, value.home.1, v, true));
        let reads = value.reads.iter();
        work.extend(reads.map(|&(block, inst)| (block.as_u32(), inst, v, false)));
    }
    work.sort_unstable();
    let mut originals: Vec<(VReg, Inst)> = Vec::with_capacity(chosen.len());
    for &v in chosen {
        let (block, inst) = values[v.as_u32() as usize].home;
        originals.push((v, func.blocks[Block::from_u32(block)].insts[inst as usize]));
    }
    originals.sort_unstable_by_key(|(v, _)| *v);
    // What stands for a value in a block, from its first read on.
    let mut renamed: HashMap<VReg, VReg, FixedState> = HashMap::default();
    for work in work.chunk_by(|a, b| a.0 == b.0) {
        let block = Block::from_u32(work[0].0);
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len() + work.len());
        renamed.clear();
        let mut work = work.iter().peekable();
        for (n, mut inst) in (0..).zip(insts) {
            let mut goes = false;
            while let Some(&(_, _, v, is_home)) = work.next_if(|(_, at, ..)| *at == n) {
                goes |= is_home;
                let place = originals.binary_search_by_key(&v, |(v, _)| *v);
                if let (Ok(place), false) = (place, is_home) {
                    let mut again = originals[place].1;
                    let data = func.regs[v];
                    let other = func.regs.push(data);
                    if let Some(dst) = &mut again.dst {
                        dst.reg = Reg::virt(other, dst.reg.byte());
                    }
                    again.opts.no_mask = true;
                    new.push(again);
                    renamed.insert(v, other);
                }
            }
            if !goes {
                func.map_uses(&mut inst, |v| renamed.get(&v).copied().unwrap_or(v));
                new.push(inst);
            }
        }
        func.blocks[block].insts = new;
    }
}
