//! Puts narrow values two to a unit.
//!
//! Takes legal machine IR in SSA form, after [`schedule`](crate::schedule), and leaves the same instructions on
//! other registers. A value of at most half a unit is written into a half that is free of the unit of another
//! that lives about as long: it becomes a new value over what is there, and later reads of the other are of
//! that. So one unit lives where two did. `kiln_ir::pack` does so with variables of vISA; here are the values that
//! became narrow by selection.
//!
//! Only values of one block are put together, which one instruction defines, alone and as a whole, and that nobody
//! wants in a place of their own: not those that pass an edge, are written over, are one of several in
//! a message, or are read by blocks that stand before their definition. What a message writes is as long as it says,
//! whatever of that is wanted. Units of one register are left alone: within a register a place decides what an
//! instruction may do.

use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Desc, Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use smallvec::{SmallVec, smallvec};

/// Instructions that two lives may end apart, besides half of what they have together.
const NEAR: u32 = 128;
/// Units that are kept in view for the next values, the latest.
const OPEN: usize = 64;
const NONE: u32 = u32::MAX;

/// What is known of a register.
#[derive(Clone, Copy)]
struct Value {
    /// One instruction defines it as a whole, and it is narrow.
    fits: bool,
    /// It is wanted in a place of its own.
    barred: bool,
    /// Numbers of the instructions that define it and read it last, in the order of the code.
    born: u32,
    last: u32,
    /// The unit that it shares, and its first byte there.
    unit: u32,
    at: u32,
}

/// A unit that values share.
struct Unit {
    /// What it holds from each number of an instruction on.
    holds: SmallVec<[(u32, VReg); 2]>,
}

/// A unit in which there may be room.
#[derive(Clone, Copy)]
struct Open {
    unit: u32,
    /// Until when each half is read.
    until: [u32; 2],
}

/// Pairs values of a function.
pub fn run(func: &mut Function) {
    if func.target.unit_grfs() != 2 {
        return;
    }
    let half = func.target.grf_bytes;
    let mut values = collect(func, half);
    let mut units = Vec::new();
    let mut first = 0;
    for block in func.blocks.keys() {
        choose(func, block, first, half, &mut values, &mut units);
        first += func.blocks[block].insts.len() as u32 + 1;
    }
    units
        .iter_mut()
        .filter(|unit| unit.holds.len() == 1)
        .for_each(|unit| unit.holds.clear());
    if units.iter().any(|unit| !unit.holds.is_empty()) {
        rewrite(func, &values, &units);
    }
}

/// Finds the candidates and how long they live.
fn collect(func: &Function, half: u32) -> Vec<Value> {
    let nothing = Value {
        fits: false,
        barred: false,
        born: NONE,
        last: 0,
        unit: NONE,
        at: 0,
    };
    let mut values = vec![nothing; func.regs.len()];
    let mut at = 0;
    for (block, data) in func.blocks.iter() {
        for inst in &data.insts {
            func.visit(inst, |v, role| {
                let value = &mut values[v.as_u32() as usize];
                value.last = at;
                // A block that comes before, but runs behind the definition's: nobody knows until when.
                value.barred |= value.born == NONE && !role.is_def();
                let reg = match role {
                    Role::Source { src, .. } => inst.srcs[usize::from(src)].as_reg().map(|r| r.reg),
                    Role::Result { old, .. } => {
                        value.born = at;
                        let reg = inst.dst.map(|dst| dst.reg);
                        let data = &func.regs[v];
                        value.fits = old.is_none()
                            && data.class == Class::Grf
                            && u32::from(data.bytes.max(data.align)) <= half
                            && inst.gen_op().is_some()
                            && written(func, inst).is_none_or(|bytes| bytes <= half);
                        if let Some(old) = old {
                            values[old.as_u32() as usize].barred = true;
                        }
                        reg
                    }
                    _ => return,
                };
                if reg.is_some_and(|reg| reg.as_list().is_some()) {
                    values[v.as_u32() as usize].barred = true;
                }
            });
            at += 1;
        }
        term_uses(func, block, |v| values[v.as_u32() as usize].barred = true);
        at += 1;
    }
    values
}

/// Bytes that a message writes, if the instruction is one.
fn written(func: &Function, inst: &Inst) -> Option<u32> {
    let message = &func.messages[inst.message.expand()?];
    Some(match message.desc {
        Desc::Imm(desc) => (desc >> 20 & 31) * func.target.grf_bytes,
        Desc::Addr(_) => u32::MAX,
    })
}

/// Gives units to the values of a block whose first instruction has that number.
fn choose(
    func: &Function,
    block: Block,
    first: u32,
    half: u32,
    values: &mut [Value],
    units: &mut Vec<Unit>,
) {
    let mut open: Vec<Open> = Vec::with_capacity(OPEN);
    for (at, inst) in (first..).zip(&func.blocks[block].insts) {
        let Some(v) = inst.dst.and_then(|dst| dst.reg.as_virt()) else {
            continue;
        };
        let value = &mut values[v.as_u32() as usize];
        if !value.fits || value.barred || value.born != at || value.last <= at {
            continue;
        }
        // Of those that end as near the latest.
        let mut best = None;
        let mut count = 0;
        open.retain(|unit| {
            let [low, high] = unit.until;
            let other = low.max(high);
            if other <= at {
                return false;
            }
            if low.min(high) < at {
                let (apart, together) = (other.abs_diff(value.last), other.min(value.last) - at);
                if apart <= together / 2 + NEAR && best.is_none_or(|(least, _)| apart <= least) {
                    best = Some((apart, count));
                }
            }
            count += 1;
            true
        });
        match best {
            Some((_, place)) => {
                let Open { unit, until } = &mut open[place];
                let free = usize::from(until[0] >= at);
                until[free] = value.last;
                units[*unit as usize].holds.push((at, v));
                (value.unit, value.at) = (*unit, free as u32 * half);
            }
            None => {
                value.unit = units.len() as u32;
                if open.len() == OPEN {
                    open.remove(0);
                }
                open.push(Open {
                    unit: value.unit,
                    until: [value.last, 0],
                });
                units.push(Unit {
                    holds: smallvec![(at, v)],
                });
            }
        }
    }
}

/// Makes the values of shared units what they hold altogether.
fn rewrite(func: &mut Function, values: &[Value], units: &[Unit]) {
    for unit in units {
        for &(_, v) in &unit.holds {
            func.regs[v].bytes = func.target.unit_bytes() as u16;
            func.regs[v].uniform = false;
        }
    }
    let shared = |reg: Reg| {
        let value = values.get(reg.as_virt()?.as_u32() as usize)?;
        let unit = units.get(value.unit as usize)?;
        (!unit.holds.is_empty()).then_some((value, unit))
    };
    let mut at = 0;
    for data in func.blocks.values_mut() {
        let first = at;
        for inst in &mut data.insts {
            for src in inst.srcs.iter_mut() {
                if let Src::Reg(r) = src
                    && r.indirect.is_none()
                    && let Some((value, unit)) = shared(r.reg)
                {
                    // Behind the block the unit holds what it did at its end.
                    let before = unit.holds.partition_point(|&(born, _)| born < at);
                    let now = if value.born >= first {
                        before
                    } else {
                        unit.holds.len()
                    };
                    r.reg = Reg::virt(unit.holds[now - 1].1, r.reg.byte() + value.at);
                }
            }
            if let Some(dst) = &mut inst.dst
                && dst.indirect.is_none()
                && let Some((value, unit)) = shared(dst.reg)
            {
                dst.reg = dst.reg.at(dst.reg.byte() + value.at);
                let before = unit.holds.partition_point(|&(born, _)| born < at);
                if before > 0 {
                    dst.old = Old::Reg(unit.holds[before - 1].1);
                }
            }
            at += 1;
        }
        at += 1;
    }
}
