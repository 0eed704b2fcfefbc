//! Inputs that live where registers are short, brought together.
//!
//! An input has a unit of its own, of which the code may read a few scalars only. Where they are read after a place
//! with too much pressure, before the first such place they move to bytes of another input that nothing reads any more.
//! The unit is free from there on, for one instruction for every eight bytes. They stay aligned as they were.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Dst, Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use kiln_platform::isa::{Op, Region, Type};

use super::Place;
use crate::extent;

/// Bytes that move together: the largest scalar.
const GRANULE_BYTES: u32 = 8;

/// Reads of a register from a place on.
#[derive(Clone, Copy, Default)]
struct Reads {
    /// Granules that scalars are read from.
    granules: u32,
    /// True if it is read in another way.
    is_whole: bool,
}

/// A granule of an input, by its bytes, and the bytes of another that it moves to.
struct Moved {
    from: (VReg, u32),
    to: (VReg, u32),
}

/// Frees units of inputs before the first of the places, not more than are missing at any.
pub fn gather(func: &mut Function, places: &[Place]) {
    let entry = func.entry();
    let most = places.iter().map(|place| place.over).max();
    let first = places.iter().min_by_key(|place| place.at);
    let (Some(first), Some(most)) = (first, most) else {
        return;
    };
    let at = match first.block == entry {
        true => first.inst as usize,
        false => func.blocks[entry].insts.len(),
    };
    let moved = choose(func, &reads_from(func, at), most);
    rewrite(func, at, &moved);
}

/// The instructions of a block, from one of the entry on, by number.
fn rest(func: &Function, block: Block, at: usize) -> Range<usize> {
    let first = if block == func.entry() { at } else { 0 };
    first..func.blocks[block].insts.len()
}

/// By register: reads from an instruction of the entry on.
fn reads_from(func: &Function, at: usize) -> SecondaryMap<VReg, Reads> {
    let mut reads: SecondaryMap<VReg, Reads> = SecondaryMap::new();
    for block in func.blocks.keys() {
        for n in rest(func, block, at) {
            let inst = &func.blocks[block].insts[n];
            func.visit(inst, |v, role| {
                if let Some(old) = role.old() {
                    reads[old].is_whole = true;
                }
                if role.is_def() {
                    return;
                }
                let granule = match role {
                    Role::Source { src, .. } => scalar_read(func, inst, src.into()),
                    _ => None,
                };
                match granule {
                    Some(granule) => reads[v].granules |= 1 << granule,
                    None => reads[v].is_whole = true,
                }
            });
        }
        term_uses(func, block, |v| reads[v].is_whole = true);
    }
    reads
}

/// The granule with the scalar that a source of an instruction is, if it is one.
fn scalar_read(func: &Function, inst: &Inst, src: usize) -> Option<u32> {
    let source = inst.srcs[src].as_reg()?;
    let bytes = extent::read(func, inst, src)?;
    let is_scalar = source.step(inst.exec_size.into()) == Some(0);
    let granule = bytes.start / GRANULE_BYTES;
    let is_direct = source.reg.as_virt().is_some() && source.mme.is_none();
    let is_within = bytes.end <= (granule + 1) * GRANULE_BYTES;
    (is_scalar && is_direct && is_within && inst.message.is_none()).then_some(granule)
}

/// Moves of the inputs with the fewest granules to those with the most.
fn choose(func: &Function, reads: &SecondaryMap<VReg, Reads>, most: u32) -> Vec<Moved> {
    let inputs = func.inputs.iter().map(|&(v, _)| (v, reads[v]));
    let is_possible = |v: VReg, read: Reads| {
        let data = func.regs[v];
        let has_granules = u32::from(data.bytes).is_multiple_of(GRANULE_BYTES);
        data.class == Class::Grf && has_granules && !read.is_whole && read.granules != 0
    };
    let mut inputs: Vec<(VReg, u32)> = inputs
        .filter(|&(v, read)| is_possible(v, read))
        .map(|(v, read)| (v, read.granules))
        .collect();
    inputs.sort_by_key(|&(_, granules)| granules.count_ones());
    let mut moved = Vec::new();
    let mut count = 0;
    for n in 0..inputs.len() {
        let (v, granules) = inputs[n];
        let granules_in = |v: VReg| u32::from(func.regs[v].bytes) / GRANULE_BYTES;
        let has_room = |&(to, taken): &(VReg, u32)| {
            taken.count_ones() + granules.count_ones() <= granules_in(to)
        };
        let Some((to, taken)) = inputs[n + 1..].iter_mut().rev().find(|to| has_room(to)) else {
            continue;
        };
        if count == most {
            break;
        }
        count += 1;
        for from in (0..u32::BITS).filter(|from| granules >> from & 1 != 0) {
            let place = if *taken >> from & 1 == 0 && from < granules_in(*to) {
                from
            } else {
                taken.trailing_ones()
            };
            *taken |= 1 << place;
            moved.push(Moved {
                from: (v, from * GRANULE_BYTES),
                to: (*to, place * GRANULE_BYTES),
            });
        }
    }
    moved
}

/// Adds the moves before an instruction of the entry, and has what follows read what they leave.
fn rewrite(func: &mut Function, at: usize, moved: &[Moved]) {
    // The last contents of each input that something moves to.
    let mut last: SecondaryMap<VReg, Option<VReg>> = SecondaryMap::new();
    let mut movs = Vec::with_capacity(moved.len());
    for Moved { from, to } in moved {
        let data = func.regs[to.0];
        let new = func.regs.push(data);
        let old = last[to.0].replace(new).unwrap_or(to.0);
        let mut mov = Inst::no_mask(Op::Mov, (GRANULE_BYTES / 4) as u8);
        let mut dst = Dst::new(Reg::virt(new, to.1), 1, Type::Ud);
        dst.old = Old::Reg(old);
        mov.dst = Some(dst);
        let source = Reg::virt(from.0, from.1);
        mov.srcs.push(Src::reg(source, Region::packed(2), Type::Ud));
        movs.push(mov);
    }
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for block in blocks {
        for n in rest(func, block, at) {
            for src in func.blocks[block].insts[n].srcs.iter_mut() {
                let Src::Reg(r) = src else { continue };
                let Some(v) = r.reg.as_virt() else { continue };
                let byte = r.reg.byte();
                let granule = (v, byte / GRANULE_BYTES * GRANULE_BYTES);
                let there = moved.iter().find(|moved| moved.from == granule);
                let (v, byte) = there.map_or((v, byte), |moved| {
                    (moved.to.0, moved.to.1 + byte % GRANULE_BYTES)
                });
                r.reg = Reg::virt(last[v].unwrap_or(v), byte);
            }
        }
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(at..at, movs);
}
