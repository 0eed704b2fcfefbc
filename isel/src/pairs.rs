//! Pairs: two narrow values in the halves of one allocation unit.
//!
//! Takes legal machine IR in SSA form, after [`schedule`](crate::schedule), and leaves the same instructions on
//! other registers. A value of at most half a unit is assigned to a free half of the unit, among those used
//! last, whose other value's live range ends next to its own (greedy best fit). It becomes a new version of
//! the unit's register, tied to the old one, and later reads of the other value read the new version. One unit is
//! live instead of two. `kiln_ir::pack` does this for variables of vISA; this pass does it for values that became
//! narrow in selection.
//!
//! Both values must belong to one block, be defined as a whole by one instruction that defines nothing else, and
//! need no location of their own. That excludes edge arguments, tied operands, registers of a list in a message,
//! and registers that are read by blocks before their definition. Payloads and the result of a message have the
//! length that its descriptor says, whatever is used of them. Units of one register are left alone, since legality depends on a
//! value's place within a register.

use std::ops::Range;

use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Inst, Old, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use smallvec::{SmallVec, smallvec};

use crate::extent;

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

impl Value {
    fn may_share(&self) -> bool {
        self.is_candidate && !self.is_barred
    }
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
    let mut pairs = Pairs::new(func);
    for (block, data) in func.blocks.iter() {
        let first = pairs.first[block.as_u32() as usize];
        pairs.choose(first, data.insts.iter().map(defined));
    }
    let Pairs { values, units, .. } = &mut pairs;
    units
        .iter_mut()
        .filter(|unit| unit.holds.len() == 1)
        .for_each(|unit| unit.holds.clear());
    if units.iter().any(|unit| !unit.holds.is_empty()) {
        rewrite(func, values, units);
    }
}

/// The register that an instruction defines.
fn defined(inst: &Inst) -> Option<VReg> {
    inst.dst.and_then(|dst| dst.reg.as_virt())
}

/// The values of a function that may share units, and units that they share.
pub struct Pairs {
    values: Vec<Value>,
    units: Vec<Unit>,
    open: Vec<Open>,
    /// By block: the number of its first instruction.
    first: Vec<u32>,
    /// Bytes of half a unit.
    half: u32,
}

impl Pairs {
    /// Finds the values that may share units, and their live ranges.
    pub fn new(func: &Function) -> Pairs {
        let half = func.target.grf_bytes;
        let nothing = Value {
            is_candidate: false,
            is_barred: false,
            def: NONE,
            last: 0,
            unit: NONE,
            at: 0,
        };
        let mut values = vec![nothing; func.regs.len()];
        let mut starts = Vec::with_capacity(func.blocks.len());
        let mut first = 0;
        for (block, data) in func.blocks.iter() {
            let end = first + data.insts.len() as u32;
            starts.push(first);
            for (at, inst) in (first..).zip(&data.insts) {
                collect(func, inst, at, first..end, &mut values);
            }
            term_uses(func, block, |v| {
                values[v.as_u32() as usize].is_barred = true
            });
            first = end + 1;
        }
        Pairs {
            values,
            units: Vec::new(),
            open: Vec::with_capacity(MAX_OPEN_UNITS),
            first: starts,
            half,
        }
    }

    /// True if a register may share a unit.
    pub fn may_share(&self, v: VReg) -> bool {
        self.values[v.as_u32() as usize].may_share()
    }

    /// Assigns units to the values of a block in some order of its instructions: for each what it reads. Visits the values
    /// of each unit that several share: the places of the definition and the last read in the order.
    pub fn shared<'a>(
        &mut self,
        func: &Function,
        block: Block,
        order: impl Iterator<Item = (u32, &'a [u32])> + Clone,
        mut visit: impl FnMut(&mut dyn Iterator<Item = (u32, u32)>),
    ) {
        let insts = &func.blocks[block].insts;
        let first = self.first[block.as_u32() as usize];
        let end = first + insts.len() as u32;
        let defined = order
            .clone()
            .map(|(inst, _)| defined(&insts[inst as usize]));
        for ((at, defined), (_, reads)) in (first..).zip(defined.clone()).zip(order) {
            if let Some(v) = defined {
                self.values[v.as_u32() as usize].def = at;
            }
            for &v in reads {
                let value = &mut self.values[v as usize];
                if value.last < end {
                    value.last = at;
                }
            }
        }
        self.units.clear();
        self.choose(first, defined);
        for unit in self.units.iter().filter(|unit| unit.holds.len() > 1) {
            let values = unit
                .holds
                .iter()
                .map(|(_, v)| &self.values[v.as_u32() as usize]);
            visit(&mut values.map(|value| (value.def - first, value.last.min(end) - first)));
        }
    }

    /// Assigns units to the values of a block, of which the first instruction has a number; by instruction, the register
    /// that it defines.
    fn choose(&mut self, first: u32, defined: impl Iterator<Item = Option<VReg>>) {
        self.open.clear();
        for (at, v) in (first..).zip(defined) {
            let Some(v) = v else { continue };
            let value = &mut self.values[v.as_u32() as usize];
            if !value.may_share() || value.def != at || value.last <= at {
                continue;
            }
            // Among units whose values end equally close, the one used last.
            let mut best = None;
            let mut count = 0;
            self.open.retain(|unit| {
                let [low, high] = unit.until;
                let other = low.max(high);
                if other <= at {
                    return false;
                }
                if low.min(high) < at {
                    let apart = other.abs_diff(value.last);
                    if best.is_none_or(|(least, _)| apart <= least) {
                        best = Some((apart, count));
                    }
                }
                count += 1;
                true
            });
            match best {
                Some((_, place)) => {
                    let Open { unit, until } = &mut self.open[place];
                    let free = usize::from(until[0] >= at);
                    until[free] = value.last;
                    self.units[*unit as usize].holds.push((at, v));
                    (value.unit, value.at) = (*unit, free as u32 * self.half);
                }
                None => {
                    value.unit = self.units.len() as u32;
                    if self.open.len() == MAX_OPEN_UNITS {
                        self.open.remove(0);
                    }
                    self.open.push(Open {
                        unit: value.unit,
                        until: [value.last, 0],
                    });
                    self.units.push(Unit {
                        holds: smallvec![(at, v)],
                    });
                }
            }
        }
    }
}

/// Adds what an instruction says of values: its number, and those of its block's first instruction and terminator. A
/// read in a later block counts as at that block's end, so that the order within does not matter.
fn collect(func: &Function, inst: &Inst, at: u32, block: Range<u32>, values: &mut [Value]) {
    let half = func.target.grf_bytes;
    let fits = |bytes: Range<u32>| bytes.len() <= half as usize;
    func.visit(inst, |v, role| {
        let value = &mut values[v.as_u32() as usize];
        value.last = if value.def < block.start {
            block.end
        } else {
            at
        };
        // A block earlier in the code that runs after the definition: the end of the live range is unknown.
        value.is_barred |= value.def == NONE && !role.is_def();
        let reg = match role {
            Role::Source { src, .. } => {
                value.is_barred |= inst.message.is_some()
                    && extent::read(func, inst, src.into()).is_some_and(|bytes| !fits(bytes));
                inst.srcs[usize::from(src)].as_reg().map(|r| r.reg)
            }
            Role::Result { old, .. } => {
                value.def = at;
                let reg = inst.dst.map(|dst| dst.reg);
                let data = &func.regs[v];
                value.is_candidate = old.is_none()
                    && data.class == Class::Grf
                    && u32::from(data.bytes.max(data.align)) <= half
                    && inst.gen_op().is_some()
                    && (inst.message.is_none() || extent::written(func, inst).is_some_and(fits));
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
