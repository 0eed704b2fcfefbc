//! Rematerializes the chosen values and removes their old definitions.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Function, RegData};
use kiln_machine::inst::{Inst, Old, Reg, Src, VReg};

use super::choose::Chosen;
use super::values::{BOTH, Read, Values};

/// A change before an instruction of a block, or at the block's end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// Defines a register by the operation of a number, tied to the register with the other half if there is one.
    Make(VReg, u32, Option<VReg>),
    /// Replaces a register, or a half of it, by another from here on.
    Rename((VReg, u8), VReg),
    /// Removes the instruction.
    Drop,
}

/// The current replacement of each register, or of each of its halves, in a block.
type Renamed = HashMap<(VReg, u8), VReg, FixedState>;

/// Rematerializes the chosen registers at their places, and nowhere else.
pub fn rewrite(func: &mut Function, values: &Values, chosen: &[Chosen]) {
    let (work, originals) = work(func, values, chosen);
    let mut renamed = Renamed::default();
    for work in work.chunk_by(|a, b| a.0 == b.0) {
        let block = work[0].0;
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len() + work.len());
        renamed.clear();
        let mut work = work.iter().peekable();
        let made = |what: Work| match what {
            Work::Make(v, n, over) => Some(again(&originals[n as usize], v, over)),
            _ => None,
        };
        for (n, mut inst) in (0..).zip(insts) {
            let mut goes = false;
            while let Some(&(_, _, what)) = work.next_if(|(_, at, _)| *at == n) {
                new.extend(made(what));
                if let Work::Rename(from, to) = what {
                    renamed.insert(from, to);
                }
                goes |= what == Work::Drop;
            }
            if !goes {
                rename(func, values, &mut inst, &renamed);
                new.push(inst);
            }
        }
        new.extend(work.filter_map(|&(_, _, what)| made(what)));
        func.blocks[block].insts = new;
    }
}

/// The changes in the order of the code, and the operations that are repeated.
fn work(
    func: &mut Function,
    values: &Values,
    chosen: &[Chosen],
) -> (Vec<(Block, u32, Work)>, Vec<Inst>) {
    let mut work = Vec::new();
    let mut originals = Vec::new();
    for chosen in chosen {
        let v = chosen.v;
        let parts = values.parts(func, v).unwrap_or_default();
        // The tied operand of an instruction goes with it if it has no other use.
        let alone = |part: &VReg| *part == v || values.get(*part).uses == 1;
        let homes = parts.into_iter().flatten().chain([v]).filter(alone);
        work.extend(homes.map(|part| {
            let (block, inst) = values.get(part).site;
            (Block::from_u32(block), inst, Work::Drop)
        }));
        let numbers = parts.map(|part| {
            let maker = part.and_then(|part| values.maker(func, values.get(part)));
            let number = originals.len() as u32;
            originals.extend(maker.copied());
            (number, func.regs[part.unwrap_or(v)].variable)
        });
        let mut reads: Vec<Read> = values.reads(v).collect();
        reads.sort_unstable_by_key(|read| {
            (
                read.half,
                read.spot,
                read.is_hoisted(),
                read.block,
                read.first,
            )
        });
        for reads in reads.chunk_by(|a, b| b.is_hoisted() && (a.half, a.spot) == (b.half, b.spot)) {
            let Read { half, spot, .. } = reads[0];
            let at = match reads[0].is_hoisted() {
                true => func.blocks[spot].insts.len() as u32,
                false => reads[0].first,
            };
            let made = match half {
                BOTH => &numbers[..],
                half => std::slice::from_ref(&numbers[usize::from(half)]),
            };
            let mut new = None;
            for &(number, variable) in made {
                let number = match chosen.with_constants {
                    true => with_own_constants(func, values, &mut originals, number, |make| {
                        work.push((spot, at, make));
                    }),
                    false => number,
                };
                let data = RegData {
                    variable,
                    ..func.regs[v]
                };
                let over = new.replace(func.regs.push(data));
                work.extend(new.map(|new| (spot, at, Work::Make(new, number, over))));
            }
            let renamed = |read: &Read| {
                let rename = Work::Rename((v, half), new?);
                Some((read.block, read.first, rename))
            };
            work.extend(reads.iter().filter_map(renamed));
        }
    }
    work.sort_unstable();
    (work, originals)
}

/// The number of an operation that reads constants made for it alone.
fn with_own_constants(
    func: &mut Function,
    values: &Values,
    originals: &mut Vec<Inst>,
    number: u32,
    mut make: impl FnMut(Work),
) -> u32 {
    let mut inst = originals[number as usize];
    for n in 0..inst.srcs.len() {
        let constant = values.constant(func, &originals[number as usize], n);
        let made = constant.and_then(|v| values.maker(func, values.get(v)).copied());
        let (Src::Reg(r), Some(v), Some(made)) = (&mut inst.srcs[n], constant, made) else {
            continue;
        };
        let own = func.regs.push(func.regs[v]);
        make(Work::Make(own, originals.len() as u32, None));
        originals.push(made);
        r.reg = Reg::virt(own, r.reg.byte());
    }
    originals.push(inst);
    originals.len() as u32 - 1
}

/// The operation again, defining a register, or half of it over another; it ignores the execution mask.
fn again(original: &Inst, v: VReg, over: Option<VReg>) -> Inst {
    let mut again = *original;
    if let Some(dst) = &mut again.dst {
        dst.reg = Reg::virt(v, dst.reg.byte());
        dst.old = over.map_or(Old::None, Old::Reg);
    }
    again.opts.no_mask = true;
    again
}

/// Replaces an instruction's reads by rematerialized registers.
fn rename(func: &mut Function, values: &Values, inst: &mut Inst, renamed: &Renamed) {
    for n in 0..inst.srcs.len() {
        let direct = inst.srcs[n].as_reg().and_then(|r| r.reg.as_virt());
        let value = direct.and_then(|v| values.list.get(v.as_u32() as usize));
        if let (Some(v), Some(value)) = (direct, value)
            && let Some(&new) = renamed.get(&(v, value.half_read(func, inst, n)))
            && let Src::Reg(r) = &mut inst.srcs[n]
        {
            r.reg = Reg::virt(new, r.reg.byte());
        }
    }
    // Registers of a list are read as a whole.
    func.map_uses(inst, |v| {
        let mut whole = [BOTH, 0].into_iter();
        let found = whole.find_map(|half| renamed.get(&(v, half)));
        found.copied().unwrap_or(v)
    });
}
