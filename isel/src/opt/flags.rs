//! Combines comparisons by predication instead of by logic operations on flags.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. `and` and `or` of two flags are scalar operations,
//! and one instruction cannot read two flag registers, so each needs a copy to a general register. A comparison
//! under a predicate does the same: it keeps the other flag's zeros (or, under the inverse predicate, its ones) and
//! writes the rest.
//!
//! In a dispatch of 32 channels such an operation on half of them must leave the other half and inactive channels
//! alone. Selection expresses that by a `sel` of ones and zeros and a comparison with zero, which are folded too: a
//! comparison writes its own active channels only.
//!
//! A flag may also choose between zero and another value, which is then compared with zero. That becomes a
//! comparison of the value under the flag. A scalar jump reads its first channel only, so it may read the flag
//! before the other half was written.
//!
//! Only comparisons with a single use are changed. Channels that a comparison does not write are undefined unless
//! its flag is a tied operand, in which case they keep the old contents.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::inst::{Dst, Inst, Old, Pred, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::{Cond, Op, PredCtrl, RegFile, SrcMod};

use super::count_uses;

/// Maximum distance, in instructions, over which a comparison is moved down.
const MAX_DISTANCE: usize = 64;

/// Maximum length of a chain of flags, each tied to the one before, that is searched.
const MAX_CHAIN: usize = 16;

/// A flag tied to another one, and the channels that its definition writes.
#[derive(Clone)]
struct Over {
    old: VReg,
    lanes: Range<u32>,
}

struct Flags {
    uses: SecondaryMap<VReg, u32>,
    /// The block and the index in it of each register's definition.
    defs: SecondaryMap<VReg, Option<(Block, usize)>>,
    over: SecondaryMap<VReg, Option<Over>>,
}

/// Replaces combinations of flags by comparisons under a predicate.
pub fn run(func: &mut Function) {
    let mut flags = Flags {
        uses: count_uses(func),
        defs: func.map_of_registers(None),
        over: SecondaryMap::new(),
    };
    for (block, data) in func.blocks.iter() {
        for (n, inst) in data.insts.iter().enumerate() {
            flags.define(func, inst, block, n);
        }
    }
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        let mut gone = vec![false; insts.len()];
        for n in 0..insts.len() {
            let change = flags
                .both(func, &insts, block, n)
                .or_else(|| flags.half(func, &insts, block, n))
                .or_else(|| flags.chosen(func, &insts, block, n));
            let Some(change) = change else { continue };
            for &n in &change.gone {
                gone[n] = true;
            }
            gone[change.at] = false;
            insts[change.at] = change.inst;
            flags.define(func, &change.inst, block, change.at);
            if let Some(pred) = change.inst.pred
                && let Some(v) = pred.flag.as_virt()
            {
                flags.uses[v] += 1;
            }
        }
        if gone.contains(&true) {
            let mut gone = gone.into_iter();
            insts.retain(|_| !gone.next().unwrap_or(false));
        }
        let data = &mut func.blocks[block];
        data.insts = insts;
        if let Term::Branch { pred } = &mut data.term
            && let Some(flag) = pred.flag.as_virt()
            && pred.ctrl == PredCtrl::Normal
            && flags.uses[flag] == 1
        {
            // A scalar jump reads one channel.
            let first = pred.flag.byte() * 8;
            let flag = flags.of(flag, &(first..first + 1));
            pred.flag = Reg::virt(flag, pred.flag.byte());
        }
    }
}

/// A replacement for some instructions: the new instruction, its index, and the instructions to remove.
struct Change {
    at: usize,
    inst: Inst,
    gone: Vec<usize>,
}

/// An `and` or `or` of two flags.
struct Combined {
    sources: [VReg; 2],
    result: VReg,
    any: bool,
    lanes: Range<u32>,
}

impl Flags {
    fn define(&mut self, func: &Function, inst: &Inst, block: Block, n: usize) {
        func.visit(inst, |v, role| {
            if !role.is_def() {
                return;
            }
            self.defs[v] = Some((block, n));
            let lanes = match inst.cond {
                Some(cond) if cond.flag.as_virt() == Some(v) => channels(inst),
                _ => inst.dst.as_ref().map_or(0..0, written),
            };
            if func.regs[v].class == Class::Flag {
                self.over[v] = role.old().map(|old| Over { old, lanes });
            }
        });
    }

    /// The index of a register's definition, if it is in the block.
    fn at(&self, v: VReg, block: Block) -> Option<usize> {
        self.defs[v].filter(|def| def.0 == block).map(|def| def.1)
    }

    /// The replacement for instruction `n`, if it combines two whole flags.
    fn both(&self, func: &Function, insts: &[Inst], block: Block, n: usize) -> Option<Change> {
        let combined = combined(func, &insts[n])?;
        if insts[n].dst?.old != Old::None {
            return None;
        }
        let [a, b] = combined.sources;
        [(a, b), (b, a)].into_iter().find_map(|(own, other)| {
            let at = self.at(own, block)?;
            let inst = &insts[at];
            let old = inst.cond?.old.expand();
            if self.uses[own] != 1 || old.is_some() || !is_comparison(inst, own) || own == other {
                return None;
            }
            if !alike(func, combined.result, other) {
                return None;
            }
            // The first place where both flags are defined.
            let there = self.at(other, block).is_none_or(|def| def < at);
            if !there && (n - at > MAX_DISTANCE || !moves(inst) || writes_modes(&insts[at..n])) {
                return None;
            }
            Some(Change {
                at: if there { at } else { n },
                inst: under(inst, combined.result, other, other, combined.any),
                gone: vec![at, n],
            })
        })
    }

    /// The replacement for instruction `n`, if it combines two flags for the active ones of some channels: a
    /// comparison of ones and zeros with zero.
    fn half(&self, func: &Function, insts: &[Inst], block: Block, n: usize) -> Option<Change> {
        let test = &insts[n];
        let cond = test.cond?;
        let (result, own) = (cond.flag.as_virt()?, cond.old.expand()?);
        let [Src::Reg(tested), Src::Imm(zero)] = test.srcs[..] else {
            return None;
        };
        let chosen = tested.reg.as_virt()?;
        if cond.cond != Cond::Ne
            || zero.bits() != 0
            || !is_comparison(test, result)
            || self.uses[chosen] != 1
        {
            return None;
        }
        let choose_at = self.at(chosen, block)?;
        let choose = &insts[choose_at];
        let pred = choose.pred?;
        let [Src::Imm(one), Src::Imm(none)] = choose.srcs[..] else {
            return None;
        };
        let dst = choose.dst?;
        let in_line = is_in_line(tested, &dst, test.exec_size);
        let same = choose.op == Op::Sel
            && choose.cond.is_none()
            && choose.opts.no_mask
            && (choose.exec_size, choose.chan_off) == (test.exec_size, test.chan_off)
            && in_line
            && one.bits() != 0
            && none.bits() == 0
            && !pred.inverse
            && pred.ctrl == PredCtrl::Normal;
        let combine = pred.flag.as_virt()?;
        let combine_at = self.at(combine, block)?;
        let combined = combined(func, &insts[combine_at])?;
        let own_at = self.at(own, block)?;
        let inst = &insts[own_at];
        let [a, b] = combined.sources;
        let other = if a == own { b } else { a };
        let lanes = channels(test);
        let covers = combined.lanes.start <= lanes.start && lanes.end <= combined.lanes.end;
        if !same
            || !covers
            || self.uses[combine] != 1
            || self.uses[own] != 2
            || (a == own) == (b == own)
            || !is_comparison(inst, own)
            || channels(inst) != lanes
            || inst.opts.no_mask != test.opts.no_mask
        {
            return None;
        }
        let base = inst.cond?.old.expand()?;
        let (base, other) = (base, self.of(other, &lanes));
        if self.of(base, &lanes) != other {
            return None;
        }
        Some(Change {
            at: own_at,
            inst: under(inst, result, base, base, combined.any),
            gone: vec![own_at, combine_at, choose_at, n],
        })
    }

    /// The replacement for instruction `n`, if it compares with zero a value that a flag chose instead of zero.
    fn chosen(&self, func: &Function, insts: &[Inst], block: Block, n: usize) -> Option<Change> {
        let test = &insts[n];
        let cond = test.cond?;
        let result = cond.flag.as_virt()?;
        let [Src::Reg(tested), Src::Imm(zero)] = test.srcs[..] else {
            return None;
        };
        let value = tested.reg.as_virt()?;
        let at = self.at(value, block)?;
        let choose = &insts[at];
        let pred = choose.pred?;
        let [Src::Reg(some), Src::Imm(none)] = choose.srcs[..] else {
            return None;
        };
        let dst = choose.dst?;
        let bytes = dst.ty.bytes();
        let in_line = is_in_line(tested, &dst, test.exec_size);
        let integers = !dst.ty.is_float() && some.ty.bytes() == bytes && !some.ty.is_float();
        let same = choose.op == Op::Sel
            && choose.cond.is_none()
            && !choose.opts.saturate
            && (choose.exec_size, choose.chan_off) == (test.exec_size, test.chan_off)
            && (choose.opts.no_mask || !test.opts.no_mask)
            && dst.old == Old::None
            && !tested.ty.is_float()
            && tested.modifier == SrcMod::default()
            && some.modifier == SrcMod::default()
            && in_line
            && integers
            && none.bits() == 0
            && !pred.inverse
            && pred.ctrl == PredCtrl::Normal;
        let flag = pred.flag.as_virt()?;
        let lanes = channels(test);
        let base = cond.old.expand().unwrap_or(flag);
        if cond.cond != Cond::Ne
            || zero.bits() != 0
            || !same
            || self.uses[value] != 1
            || !is_comparison(test, result)
            || !alike(func, result, base)
            || !moves(choose)
            || self.of(base, &lanes) != self.of(flag, &lanes)
        {
            return None;
        }
        let mut inst = under(test, result, base, base, false);
        inst.srcs[0] = Src::Reg(SrcReg {
            ty: tested.ty,
            ..some
        });
        Some(Change {
            at: n,
            inst,
            gone: vec![at, n],
        })
    }

    /// The earliest flag in a chain of tied flags with the same bits for these channels.
    fn of(&self, mut flag: VReg, lanes: &Range<u32>) -> VReg {
        for _ in 0..MAX_CHAIN {
            match &self.over[flag] {
                Some(over) if over.lanes.end <= lanes.start || lanes.end <= over.lanes.start => {
                    flag = over.old;
                }
                _ => break,
            }
        }
        flag
    }
}

/// True if one flag can be tied to the other: flags of 16 and of 32 channels may be combined.
fn alike(func: &Function, a: VReg, b: VReg) -> bool {
    func.regs[a].bytes == func.regs[b].bytes
}

/// A comparison that writes `flag`, tied to `old`, under `pred` or its inverse.
fn under(inst: &Inst, flag: VReg, old: VReg, pred: VReg, inverse: bool) -> Inst {
    let mut inst = *inst;
    if let Some(cond) = &mut inst.cond {
        cond.flag = Reg::virt(flag, 0);
        cond.old = old.into();
    }
    inst.pred = Some(Pred {
        flag: Reg::virt(pred, 0),
        inverse,
        ctrl: PredCtrl::Normal,
    });
    inst
}

/// True if each channel of a source reads the element that the same channel of a destination without gaps wrote.
fn is_in_line(src: SrcReg, dst: &Dst, channels: u8) -> bool {
    let bytes = dst.ty.bytes();
    let own = |lane: u32| src.offset(lane) == dst.reg.byte() + lane * bytes;
    dst.hstride == 1 && src.ty.bytes() == bytes && (0..channels.into()).all(own)
}

/// The range of channels of an instruction.
fn channels(inst: &Inst) -> Range<u32> {
    let first = u32::from(inst.chan_off);
    first..first + u32::from(inst.exec_size)
}

/// The channels whose bits a scalar operation on flags writes.
fn written(dst: &Dst) -> Range<u32> {
    let first = dst.reg.byte() * 8;
    first..first + dst.ty.bytes() * 8
}

fn combined(func: &Function, inst: &Inst) -> Option<Combined> {
    let any = match inst.op {
        op if op == Op::Or => true,
        op if op == Op::And => false,
        _ => return None,
    };
    let dst = inst.dst.as_ref()?;
    let plain = inst.opts.no_mask
        && inst.exec_size == 1
        && inst.pred.is_none()
        && inst.cond.is_none()
        && dst.indirect.is_none();
    let is_flag = |v: VReg| func.regs[v].class == Class::Flag;
    let source = |src: &Src| match src {
        Src::Reg(r)
            if r.indirect.is_none()
                && !src.has_modifier()
                && r.ty.bytes() == dst.ty.bytes()
                && r.reg.byte() == dst.reg.byte() =>
        {
            r.reg.as_virt().filter(|&v| is_flag(v))
        }
        _ => None,
    };
    let [a, b] = &inst.srcs[..] else { return None };
    plain.then_some(())?;
    Some(Combined {
        sources: [source(a)?, source(b)?],
        result: dst.reg.as_virt().filter(|&v| is_flag(v))?,
        any,
        lanes: written(dst),
    })
}

/// True if the only effect of an instruction is to set the flag by a comparison.
fn is_comparison(inst: &Inst, flag: VReg) -> bool {
    let null = inst.dst.as_ref().is_none_or(|dst| dst.reg.is_null());
    let whole = inst
        .cond
        .is_some_and(|cond| cond.flag == Reg::virt(flag, 0));
    inst.op == Op::Cmp && inst.pred.is_none() && null && whole
}

/// True if a comparison has the same effect further down.
fn moves(inst: &Inst) -> bool {
    inst.srcs.iter().all(|src| match src {
        Src::Imm(_) => true,
        Src::Reg(r) => r.indirect.is_none() && r.reg.as_phys().is_none(),
    })
}

fn writes_modes(insts: &[Inst]) -> bool {
    insts.iter().any(|inst| {
        let file = inst.dst.and_then(|dst| dst.reg.as_phys());
        file.is_some_and(|(file, _)| matches!(file, RegFile::Control | RegFile::State))
    })
}
