//! Pairs: two narrow values in the halves of one allocation unit.
//!
//! Takes legal machine IR in SSA form, after [`schedule`](crate::schedule), and leaves the same instructions on
//! other registers. A value of at most half a unit is assigned to a free half of the unit of another value whose
//! live range ends at about the same place (greedy first fit over the units used last). It becomes a new version of
//! the unit's register, tied to the old one, and later reads of the other value read the new version. One unit is
//! live instead of two. `kiln_ir::pack` does this for variables of vISA; this pass does it for values that became
//! narrow in selection.
//!
//! Both values must belong to one block, be defined as a whole by one instruction that defines nothing else, and
//! need no location of their own. That excludes edge arguments, tied operands, registers of a list in a message,
//! and registers that are read by blocks before their definition. The result of a message has the length that its
//! descriptor says, whatever is used of it. Units of one register are left alone, since legality depends on a
//! value's place within a register.

use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Desc, Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use smallvec::{SmallVec, smallvec};

/// Maximum distance between the ends of the two live ranges, in instructions, plus half of their overlap.
const MAX_END_DISTANCE: u32 = 128;
/// Maximum number of units considered for a value, the units used last.
const MAX_OPEN_UNITS: usize = 64;
const NONE: u32 = u32::MAX;

/// Facts of a register.
#[derive(Clone, Copy)]
struct Value {
    /// True if one instruction defines it as a whole and it is narrow.
    is_candidate: bool,
    /// True if it needs a location of its own.
    is_barred: bool,
    /// Numbers of its defining instruction and of its last read, in the order of the code.
    def: u32,
    last: u32,
    /// The shared unit, and its first byte in it.
    unit: u32,
    at: u32,
}

/// A unit that values share.
struct Unit {
    /// The version of the unit's register from each instruction on.
    holds: SmallVec<[(u32, VReg); 2]>,
}

/// A unit that may have a free half.
#[derive(Clone, Copy)]
struct Open {
    unit: u32,
    /// The number of the last read of each half.
    until: [u32; 2],
}

/// Assigns pairs of values to shared units.
pub fn run(func: &mut Function) {
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

/// By register: true if it may share a unit.
pub fn candidates(func: &Function) -> Vec<bool> {
    collect(func, func.target.grf_bytes)
        .iter()
        .map(|value| value.is_candidate && !value.is_barred)
        .collect()
}

/// Finds the candidates and their live ranges.
fn collect(func: &Function, half: u32) -> Vec<Value> {
    let nothing = Value {
        is_candidate: false,
        is_barred: false,
        def: NONE,
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
                // A block earlier in the code that runs after the definition: the end of the live range is unknown.
                value.is_barred |= value.def == NONE && !role.is_def();
                let reg = match role {
                    Role::Source { src, .. } => inst.srcs[usize::from(src)].as_reg().map(|r| r.reg),
                    Role::Result { old, .. } => {
                        value.def = at;
                        let reg = inst.dst.map(|dst| dst.reg);
                        let data = &func.regs[v];
                        value.is_candidate = old.is_none()
                            && data.class == Class::Grf
                            && u32::from(data.bytes.max(data.align)) <= half
                            && inst.gen_op().is_some()
                            && written(func, inst).is_none_or(|bytes| bytes <= half);
                        if let Some(old) = old {
                            values[old.as_u32() as usize].is_barred = true;
                        }
                        reg
                    }
                    _ => return,
                };
                if reg.is_some_and(|reg| reg.as_list().is_some()) {
                    values[v.as_u32() as usize].is_barred = true;
                }
            });
            at += 1;
        }
        term_uses(func, block, |v| {
            values[v.as_u32() as usize].is_barred = true
        });
        at += 1;
    }
    values
}

/// Number of bytes that a message writes, if the instruction is one.
fn written(func: &Function, inst: &Inst) -> Option<u32> {
    let message = &func.messages[inst.message.expand()?];
    Some(match message.desc {
        Desc::Imm(desc) => (desc >> 20 & 31) * func.target.grf_bytes,
        Desc::Addr(_) => u32::MAX,
    })
}

/// Assigns units to the values of a block; `first` is the number of its first instruction.
fn choose(
    func: &Function,
    block: Block,
    first: u32,
    half: u32,
    values: &mut [Value],
    units: &mut Vec<Unit>,
) {
    let mut open: Vec<Open> = Vec::with_capacity(MAX_OPEN_UNITS);
    for (at, inst) in (first..).zip(&func.blocks[block].insts) {
        let Some(v) = inst.dst.and_then(|dst| dst.reg.as_virt()) else {
            continue;
        };
        let value = &mut values[v.as_u32() as usize];
        if !value.is_candidate || value.is_barred || value.def != at || value.last <= at {
            continue;
        }
        // Among units whose values end equally close, the one used last.
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
                if apart <= together / 2 + MAX_END_DISTANCE
                    && best.is_none_or(|(least, _)| apart <= least)
                {
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
                if open.len() == MAX_OPEN_UNITS {
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

/// Replaces values of shared units by versions of the unit's register.
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
                    // After the block, the unit holds its last version.
                    let before = unit.holds.partition_point(|&(def, _)| def < at);
                    let now = if value.def >= first {
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
                let before = unit.holds.partition_point(|&(def, _)| def < at);
                if before > 0 {
                    dst.old = Old::Reg(unit.holds[before - 1].1);
                }
            }
            at += 1;
        }
        at += 1;
    }
}
