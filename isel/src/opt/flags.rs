//! Combines comparisons without flag arithmetic.
//!
//! `and` and `or` of two flags are scalar operations, and flags are no two sources of one: that takes a
//! copy to a general register besides. A comparison under a predicate does the same: it leaves the
//! other flag's zeros, or under the opposite predicate its ones, and writes the rest.
//!
//! Of half the channels of a dispatch of 32 such an operation must not touch the other half, nor
//! channels that are not active. Selection writes that as `sel` of ones and zeros and a comparison
//! with zero, which go too: a comparison writes its own active channels and no others.
//!
//! Ones and zeros that are chosen by a flag from zero and something else, and compared with zero, say the same:
//! the comparison is of the something else, under the flag. A scalar jump asks for its first channel alone,
//! so that what the flag's other half was written by is not its business.
//!
//! Only comparisons that nobody else wants are changed. Channels that a comparison left out held
//! nothing of worth, unless it was written over something, and then they still hold that.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::inst::{Dst, Inst, Old, Pred, Reg, Src, SrcReg, VReg};
use kiln_target::isa::{Cond, Op, PredCtrl, RegFile, SrcMod};

use super::count_uses;

/// How many instructions further down a comparison may go.
const NEAR: usize = 64;

/// How many flags written one over the other are looked through.
const CHAIN: usize = 16;

/// A flag that was written over another, and the channels that were written.
#[derive(Clone)]
struct Over {
    old: VReg,
    lanes: Range<u32>,
}

struct Flags {
    uses: SecondaryMap<VReg, u32>,
    /// The block and the place in it where a register is defined.
    defs: SecondaryMap<VReg, Option<(Block, usize)>>,
    over: SecondaryMap<VReg, Option<Over>>,
}

/// Makes comparisons under predicates of combinations of flags.
pub fn run(func: &mut Function) {
    let mut flags = Flags {
        uses: count_uses(func),
        defs: SecondaryMap::with_capacity(func.regs.len()),
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
            // A scalar jump asks for one channel.
            let first = pred.flag.byte() * 8;
            let flag = flags.of(flag, &(first..first + 1));
            pred.flag = Reg::virt(flag, pred.flag.byte());
        }
    }
}

/// An instruction that does what some others did.
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

    /// Where in a block a register is defined.
    fn at(&self, v: VReg, block: Block) -> Option<usize> {
        self.defs[v].filter(|def| def.0 == block).map(|def| def.1)
    }

    /// If instruction `n` combines two flags as wholes.
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
            // Where both flags are there.
            let there = self.at(other, block).is_none_or(|def| def < at);
            if !there && (n - at > NEAR || !moves(inst) || writes_modes(&insts[at..n])) {
                return None;
            }
            Some(Change {
                at: if there { at } else { n },
                inst: under(inst, combined.result, other, other, combined.any),
                gone: vec![at, n],
            })
        })
    }

    /// If instruction `n` gives the active of some channels what two flags combined say: it compares ones
    /// and zeros with zero.
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

    /// If instruction `n` compares with zero what a flag chose from something and zero.
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

    /// The register whose bits of some channels a flag has.
    fn of(&self, mut flag: VReg, lanes: &Range<u32>) -> VReg {
        for _ in 0..CHAIN {
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

/// Whether one flag can be written over the other: flags of 16 and of 32 channels are combined, too.
fn alike(func: &Function, a: VReg, b: VReg) -> bool {
    func.regs[a].bytes == func.regs[b].bytes
}

/// A comparison as it writes `flag` over `old` where `pred` holds, or where it does not.
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

/// Whether channels read what a destination without gaps got, each its own element.
fn is_in_line(src: SrcReg, dst: &Dst, channels: u8) -> bool {
    let bytes = dst.ty.bytes();
    let own = |lane: u32| src.offset(lane) == dst.reg.byte() + lane * bytes;
    dst.hstride == 1 && src.ty.bytes() == bytes && (0..channels.into()).all(own)
}

/// The channels of an instruction.
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

/// Whether an instruction does nothing but set a flag by comparing.
fn is_comparison(inst: &Inst, flag: VReg) -> bool {
    let null = inst.dst.as_ref().is_none_or(|dst| dst.reg.is_null());
    let whole = inst
        .cond
        .is_some_and(|cond| cond.flag == Reg::virt(flag, 0));
    inst.op == Op::Cmp && inst.pred.is_none() && null && whole
}

/// Whether a comparison does the same further down.
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
