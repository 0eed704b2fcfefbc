//! Computes cheap values anew where they are read, instead of keeping them until then (rematerialization).
//!
//! Takes legal machine IR in SSA form, after [`pairs`](crate::pairs), in which nearly all registers live somewhere,
//! or more than there are, and leaves the same with fewer that live there. A value that lives over such a place, and that one
//! integer operation makes of immediates and of registers that live wherever it is read, is made anew before
//! its first read in each block that reads it, and no longer where it was. No other value lives longer for that,
//! and an operation costs less than a store and the loads.
//!
//! Of two values that share a unit, one written over the other, each is made anew where it is read, and both or
//! neither: the unit is free only without both.
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

use cranelift_entity::packed_option::PackedOption;
use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::{Graph, depths};
use kiln_machine::inst::{Desc, Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::{Liveness, term_uses};
use kiln_machine::pressure::profile;
use kiln_target::isa::Op;

use crate::schedule::lives::{Known, Lives};

/// What the pass is called.
pub const NAME: &str = "remat";

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
}

/// Where a block reads a register, or one half of it.
#[derive(Clone, Copy)]
struct Read {
    block: Block,
    half: u8,
    /// The first instruction that does, and the last.
    first: u32,
    last: u32,
    /// The one found before, of the same register.
    next: u32,
}

/// What is known of a register.
#[derive(Clone, Copy)]
struct Value {
    /// The operation that makes it may be done anywhere.
    is_cheap: bool,
    /// It is wanted in a place of its own, or in too many blocks.
    is_barred: bool,
    /// What it is written over.
    over: PackedOption<VReg>,
    /// How often it is read, passed on or written over.
    uses: u32,
    /// The number of the instruction that makes it, of all in order.
    born: u32,
    /// Its block, and its number there.
    home: (u32, u32),
    last: u32,
    /// The last found of its reads: one a block, or one a block and half if it is written over something.
    reads: u32,
}

/// All registers, and what reads those that may be made anew.
struct Values {
    list: Vec<Value>,
    reads: Vec<Read>,
}

/// What makes a register: an operation for all of it, or one for each half that is read.
type Parts = [Option<VReg>; 2];

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
fn collect(func: &Function) -> Values {
    let nothing = Value {
        is_cheap: false,
        is_barred: false,
        over: None.into(),
        uses: 0,
        born: NONE,
        home: (0, 0),
        last: 0,
        reads: NONE,
    };
    let mut values = Values {
        list: vec![nothing; func.regs.len()],
        reads: Vec::new(),
    };
    let mut at = 0;
    for (block, data) in func.blocks.iter() {
        for (n, inst) in (0..).zip(&data.insts) {
            func.visit(inst, |v, role| {
                if !role.is_def() {
                    return values.is_used(func, (v, role), inst, (block, n), at);
                }
                let value = &mut values.list[v.as_u32() as usize];
                value.is_cheap = value.born == NONE && is_cheap(func, inst);
                value.born = at;
                value.home = (block.as_u32(), n);
                value.over = role.old().into();
                // Which half was read was not asked before.
                value.is_barred |= role.old().is_some() && value.reads != NONE;
                if let Some(old) = role.old() {
                    values.is_wanted(old, at);
                }
            });
            at += 1;
        }
        term_uses(func, block, |v| values.is_wanted(v, at));
    }
    values
}

impl Values {
    fn get(&self, v: VReg) -> &Value {
        &self.list[v.as_u32() as usize]
    }

    fn reads(&self, v: VReg) -> impl Iterator<Item = Read> + Clone {
        let first = self.reads.get(self.get(v).reads as usize);
        std::iter::successors(first, |read| self.reads.get(read.next as usize)).copied()
    }

    /// A register is wanted in a place of its own.
    fn is_wanted(&mut self, v: VReg, at: u32) {
        let value = &mut self.list[v.as_u32() as usize];
        value.is_barred = true;
        value.uses += 1;
        value.last = at;
    }

    /// An instruction of a block uses a register.
    fn is_used(
        &mut self,
        func: &Function,
        (v, role): (VReg, Role),
        inst: &Inst,
        (block, n): (Block, u32),
        at: u32,
    ) {
        let Role::Source { src, .. } = role else {
            return self.is_wanted(v, at);
        };
        let value = &mut self.list[v.as_u32() as usize];
        value.uses += 1;
        value.last = at;
        if value.is_barred || value.born != NONE && !value.is_cheap {
            return;
        }
        let half = match value.over.expand() {
            None => Some(0),
            Some(_) => half_read(func, inst, usize::from(src)),
        };
        let Some(half) = half else {
            value.is_barred = true;
            return;
        };
        let mut blocks = 0;
        let mut found = value.reads;
        while let Some(read) = self.reads.get_mut(found as usize) {
            if read.half == half {
                if read.block == block {
                    read.last = n;
                    return;
                }
                blocks += 1;
            }
            found = read.next;
        }
        if blocks == BLOCKS {
            value.is_barred = true;
            return;
        }
        let next = std::mem::replace(&mut value.reads, self.reads.len() as u32);
        self.reads.push(Read {
            block,
            half,
            first: n,
            last: n,
            next,
        });
    }

    /// What makes a register, if all of that may be done anywhere. Of one that is written over another, that one
    /// holds nothing in the half that is written, so that no channel has there what it had before.
    fn parts(&self, func: &Function, v: VReg) -> Option<Parts> {
        let value = self.get(v);
        let Some(over) = value.over.expand() else {
            return Some([Some(v), None]);
        };
        let other = self.get(over);
        let half = |value: &Value| half_written(func, self.maker(func, value)?);
        let (half, rest) = (half(value)?, half(other)?);
        let is_read = |half| self.reads(v).any(|read| read.half == half);
        let mut parts = Parts::default();
        parts[usize::from(half)] = Some(v).filter(|_| is_read(half));
        parts[usize::from(rest)] = Some(over).filter(|_| is_read(rest));
        let is_other_cheap = other.is_cheap || !is_read(rest);
        (half != rest && other.over.is_none() && is_other_cheap).then_some(parts)
    }

    /// The instruction that makes a register, if one does.
    fn maker<'a>(&self, func: &'a Function, value: &Value) -> Option<&'a Inst> {
        let (block, inst) = value.home;
        let is_made = value.born != NONE;
        is_made.then(|| &func.blocks[Block::from_u32(block)].insts[inst as usize])
    }
}

/// The half of a unit in which bytes lie, if they lie in one.
fn half(func: &Function, from: u32, bytes: u32) -> Option<u8> {
    let grf = func.target.grf_bytes;
    (from / grf == (from + bytes.max(1) - 1) / grf).then_some((from / grf) as u8)
}

/// The half of its register that an instruction writes, if it does so in one.
fn half_written(func: &Function, inst: &Inst) -> Option<u8> {
    let dst = inst.dst.as_ref().filter(|_| inst.is_by_channel())?;
    half(func, dst.reg.byte(), dst.span(inst.exec_size))
}

/// The half of a register that a source reads, if it does so in one.
fn half_read(func: &Function, inst: &Inst, src: usize) -> Option<u8> {
    let source = inst.srcs[src]
        .as_reg()
        .filter(|r| r.reg.as_list().is_none())?;
    let bytes = match inst.message.expand() {
        Some(message) => {
            let message = &func.messages[message];
            let (desc, first) = match src {
                0 => (message.desc, 25),
                _ => (message.ex_desc, 6),
            };
            let Desc::Imm(desc) = desc else { return None };
            (desc >> first & 15) * func.target.grf_bytes
        }
        None if inst.is_by_channel() => source.span(inst.exec_size),
        None => return None,
    };
    half(func, source.reg.byte(), bytes)
}

/// An integer operation that makes a register, or a part of it, of immediates and registers.
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
fn choose(func: &Function, known: &Known, values: &Values, places: Vec<Place>) -> Vec<VReg> {
    let mut first = Vec::with_capacity(func.blocks.len());
    let mut count = 0;
    for data in func.blocks.values() {
        first.push(count);
        count += data.insts.len() as u32;
    }
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
    let is_kept = |v: VReg| {
        values.reads(v).all(|read| {
            let at = first[read.block.as_u32() as usize] + read.first;
            sources(v).all(|s| lives_behind(s, read.block, at))
        })
    };
    let is_possible = |v: &VReg| {
        let value = values.get(*v);
        value.is_cheap
            && !value.is_barred
            && value.reads != NONE
            && value.last.saturating_sub(value.born) >= LEAST_LIFE
            && values.parts(func, *v).is_some()
            && is_kept(*v)
    };
    let mut possible: Vec<VReg> = func.regs.keys().filter(is_possible).collect();
    let depths = depths(func);
    // What it costs: the reads, and those in loops more.
    let cost = |v: VReg| -> u32 {
        let depth = |read: Read| depths[read.block.as_u32() as usize].min(LOOPS);
        values.reads(v).map(|read| LOOP.pow(depth(read))).sum()
    };
    possible.sort_by_cached_key(|&v| {
        let value = values.get(v);
        (cost(v), Reverse(value.last - value.born), v)
    });
    possible.truncate(VALUES);
    // Those that are made anew, and what they are made of, which stays.
    let mut anew = vec![false; values.list.len()];
    let mut stays = vec![false; values.list.len()];
    for place in places {
        let lives = |v: VReg| {
            let near = |read: Read| {
                read.block == place.block && (read.first..=read.last).contains(&place.inst)
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

/// What is done before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// A half of a register, or all of it, is made anew.
    Make(VReg, u8),
    /// The instruction goes.
    Drop,
}

/// What stands in a block for a register, or for each of its halves, from its first read there on.
type Renamed = HashMap<(VReg, u8), VReg, FixedState>;

/// Makes the chosen ones anew in each block that reads them, and nowhere else.
fn rewrite(func: &mut Function, values: &Values, chosen: &[VReg]) {
    // By block: where something is done.
    let mut work: Vec<(u32, u32, Work)> = Vec::new();
    let mut originals: Vec<(VReg, [Option<Inst>; 2])> = Vec::with_capacity(chosen.len());
    for &v in chosen {
        let parts = values.parts(func, v).unwrap_or_default();
        // What it was written over goes with it, if nobody else wants that.
        let alone = |part: &VReg| *part == v || values.get(*part).uses == 1;
        let homes = parts.into_iter().flatten().chain([v]).filter(alone);
        work.extend(homes.map(|part| {
            let (block, inst) = values.get(part).home;
            (block, inst, Work::Drop)
        }));
        let made = |read: Read| (read.block.as_u32(), read.first, Work::Make(v, read.half));
        work.extend(values.reads(v).map(made));
        let original = |part| values.maker(func, values.get(part)).copied();
        originals.push((v, parts.map(|part| part.and_then(original))));
    }
    work.sort_unstable();
    originals.sort_unstable_by_key(|(v, _)| *v);
    let mut renamed = Renamed::default();
    for work in work.chunk_by(|a, b| a.0 == b.0) {
        let block = Block::from_u32(work[0].0);
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len() + work.len());
        renamed.clear();
        let mut work = work.iter().peekable();
        for (n, mut inst) in (0..).zip(insts) {
            let mut goes = false;
            while let Some(&(_, _, what)) = work.next_if(|(_, at, _)| *at == n) {
                let Work::Make(v, half) = what else {
                    goes = true;
                    continue;
                };
                let place = originals.binary_search_by_key(&v, |(v, _)| *v);
                let original = place
                    .ok()
                    .and_then(|place| originals[place].1[usize::from(half)]);
                if let Some(mut again) = original {
                    let data = func.regs[v];
                    let other = func.regs.push(data);
                    if let Some(dst) = &mut again.dst {
                        dst.reg = Reg::virt(other, dst.reg.byte());
                        dst.old = Old::None;
                    }
                    again.opts.no_mask = true;
                    new.push(again);
                    renamed.insert((v, half), other);
                }
            }
            if !goes {
                rename(func, values, &mut inst, &renamed);
                new.push(inst);
            }
        }
        func.blocks[block].insts = new;
    }
}

/// Lets an instruction read what was made anew.
fn rename(func: &mut Function, values: &Values, inst: &mut Inst, renamed: &Renamed) {
    let grf = func.target.grf_bytes;
    for src in inst.srcs.iter_mut() {
        if let Src::Reg(r) = src
            && let Some(v) = r.reg.as_virt()
            && let Some(value) = values.list.get(v.as_u32() as usize)
        {
            let half = value
                .over
                .expand()
                .map_or(0, |_| (r.reg.byte() / grf) as u8);
            if let Some(&new) = renamed.get(&(v, half)) {
                r.reg = Reg::virt(new, r.reg.byte());
            }
        }
    }
    // Those that are one of several are whole.
    func.map_uses(inst, |v| renamed.get(&(v, 0)).copied().unwrap_or(v));
}
