//! Guards of instructions without a mask in nested divergence, for threads that run in pairs.
//!
//! There an execution unit without active channels may execute what ignores the mask. A flag gets a bit for each active
//! channel, and the instruction a predicate that is false if there is none. Flags and the general register that holds
//! contents of flags meanwhile are left as they were (SWWA.cpp applyNoMaskWA).
//!
//! Code without control flow between is a *run*. It has the same active channels everywhere, so that one flag guards it:
//! one that nothing in the program names, or else one that the run does not name, which is saved and restored. Without
//! either the run stays as it is, and [`crate::verify::pairs`] finds it. A scalar jump back becomes a goto.

use std::ops::Range;

use crate::assemble::Program;
use crate::footprint;
use crate::insert;
use crate::inst::{
    Cond, CondMod, Dst, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, Target, Type,
};
use crate::platform::Platform;
use crate::verify::pairs;

/// Bits of a word of a flag.
const WORD: u8 = 16;

/// Guards the instructions of a routine.
pub(super) fn guard(program: &mut Program, platform: &Platform) {
    let nested = pairs::nested(program);
    if !nested.contains(&true) {
        return;
    }
    let Some(routine) = Routine::of(program, platform) else {
        return;
    };
    routine.mask_jumps(program, &nested);
    let mut at = 0;
    for block in &mut program.blocks {
        let nested = &nested[at..at + block.len()];
        at += block.len();
        let mut made = Vec::new();
        for run in runs(block) {
            if nested[run.start] {
                routine.guard(block, run, &mut made);
            }
        }
        insert::all(block, &mut made);
    }
}

/// The parts of a block that have no control flow.
fn runs(block: &[Inst]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut from = 0;
    for at in 0..=block.len() {
        if block.get(at).is_none_or(|inst| inst.op.is_branch()) {
            runs.extend((from < at).then_some(from..at));
            from = at + 1;
        }
    }
    runs
}

/// True for an instruction that needs a guard.
fn needs_guard(inst: &Inst) -> bool {
    let waits = matches!(inst.op, Op::Sync(_) | Op::Nop);
    inst.no_mask && !waits && !super::ends_thread(inst)
}

/// The channels of a program's instructions, and what of the machine's state it leaves alone.
struct Routine<'a> {
    platform: &'a Platform,
    channels: u8,
    /// Words of flags that no instruction names.
    free_words: u32,
    /// Words of flags.
    words: u32,
    /// A general register that no instruction names.
    free: Option<u32>,
    /// A general register that no message writes, so that a read of it waits for nothing.
    still: u32,
}

impl<'a> Routine<'a> {
    fn of(program: &Program, platform: &'a Platform) -> Option<Routine<'a>> {
        let insts = || program.blocks.iter().flatten();
        let branches = insts().filter(|inst| inst.op.is_branch());
        let channels = branches.map(|inst| inst.exec_size).max()?;
        let named_words = insts().fold(0, |all, inst| all | words_of(inst));
        let mut named = vec![false; platform.default_grfs as usize];
        let mut answered = named.clone();
        let mut is_indirect = false;
        for inst in insts() {
            let footprint = footprint::of(inst, platform);
            for register in footprint.reads.iter().flat_map(|bytes| bytes.registers()) {
                mark(&mut named, register);
            }
            for register in footprint.writes.registers() {
                mark(&mut named, register);
                if inst.op.is_send() {
                    mark(&mut answered, register);
                }
            }
            is_indirect |= names_address(inst);
        }
        // Registers of callers are not known.
        let calls = insts().any(|inst| matches!(inst.op, Op::Call | Op::Calla | Op::Ret));
        let free = named.iter().rposition(|named| !named);
        let free = free.filter(|_| !calls && !is_indirect);
        Some(Routine {
            platform,
            channels,
            free_words: !named_words & ((1 << (platform.flag_count * 2)) - 1),
            words: platform.flag_count * 2,
            free: free.map(|register| register as u32),
            still: answered.iter().position(|answered| !answered).unwrap_or(0) as u32,
        })
    }
}

fn mark(registers: &mut [bool], register: u16) {
    if let Some(register) = registers.get_mut(usize::from(register)) {
        *register = true;
    }
}

/// True if an operand's register is in an address.
fn names_address(inst: &Inst) -> bool {
    let by_address = |place| matches!(place, Place::Indirect { .. });
    let mut sources = inst.srcs.iter();
    inst.dst.is_some_and(|dst| by_address(dst.place))
        || sources.any(|src| matches!(src, Src::Reg(src) if by_address(src.place)))
}

/// Words of a number of bits of a flag, from a register on.
fn words(flag: Reg, bits: u32) -> u32 {
    match flag.file {
        RegFile::Flag => {
            let from = flag.num * 2 + u32::from(flag.byte) / 2;
            ((1 << bits.div_ceil(WORD.into())) - 1) << from
        }
        _ => 0,
    }
}

/// Bits of a flag up to that of an instruction's last channel.
fn bits(inst: &Inst, ctrl: PredCtrl) -> u32 {
    let group = match ctrl {
        PredCtrl::Any(group) | PredCtrl::All(group) => group,
        _ => 0,
    };
    group.max(inst.exec_size + inst.chan_off).into()
}

/// Words of flags that an instruction names.
fn words_of(inst: &Inst) -> u32 {
    let operand = |place, bytes: u32| match place {
        Place::Direct(reg) => words(reg, 8 * bytes * u32::from(inst.exec_size)),
        Place::Indirect { .. } => 0,
    };
    let written = inst.dst.map_or(0, |dst| operand(dst.place, dst.ty.bytes()));
    let sources = inst.srcs.iter().map(|src| match src {
        Src::Reg(src) => operand(src.place, src.ty.bytes()),
        Src::Imm { .. } => 0,
    });
    let predicate = inst.pred.map_or(0, |pred| match pred.ctrl {
        PredCtrl::AnyV | PredCtrl::AllV => u32::MAX,
        ctrl => words(pred.flag, bits(inst, ctrl)),
    });
    let condition = inst
        .cond
        .map_or(0, |cond| words(cond.flag, bits(inst, PredCtrl::Normal)));
    sources.fold(written | predicate | condition, |all, words| all | words)
}

/// A flag that is set where a channel is active.
struct Guard {
    flag: Reg,
    ty: Type,
    ctrl: PredCtrl,
}

impl Guard {
    /// The predicate that is true if a channel is active, or if none is.
    fn pred(&self, inverse: bool) -> Pred {
        Pred {
            flag: self.flag,
            inverse,
            ctrl: self.ctrl,
        }
    }
}

impl Routine<'_> {
    /// Makes gotos of all channels of the scalar jumps back that a join follows.
    fn mask_jumps(&self, program: &mut Program, nested: &[bool]) {
        let mut at = 0;
        for b in 0..program.blocks.len() {
            at += program.blocks[b].len();
            let mut after = program.blocks.iter().zip(0..).skip(b + 1);
            let next = after.find(|(block, _)| !block.is_empty());
            let next = next.filter(|(block, _)| block[0].op == Op::Join);
            let next = next.map(|(_, number)| number);
            let (Some(next), Some(jump)) = (next, program.blocks[b].last_mut()) else {
                continue;
            };
            let back = matches!(jump.jip, Some(Target::Block(to)) if to as usize <= b);
            if nested[at - 1] && jump.op == Op::Jmpi && jump.pred.is_none() && back {
                let mut goto = Inst::new(Op::Goto, self.channels);
                goto.opts.branch_ctrl = true;
                goto.uip = jump.jip;
                goto.jip = Some(Target::Block(next));
                goto.origin = jump.origin;
                *jump = goto;
            }
        }
    }

    /// Guards a run, in as few parts as flags allow.
    fn guard(&self, block: &mut [Inst], run: Range<usize>, made: &mut Vec<(usize, Inst)>) {
        let all: Vec<usize> = run.filter(|&at| needs_guard(&block[at])).collect();
        let ends = |inst: &Inst| inst.exec_size + inst.chan_off;
        let last = all.iter().map(|&at| ends(&block[at])).max().unwrap_or(0);
        let is_wide = last.max(self.channels) > WORD;
        let is_beyond = |&at: &usize| {
            let inst = &block[at];
            inst.exec_size > self.channels || inst.chan_off > 0
        };
        let by_channel = all.iter().any(is_beyond);
        let untouched = self.flag(!self.free_words, is_wide);
        let mut rest = &all[..];
        while let Some(&first) = rest.first() {
            let named = |to: usize| {
                let part = block[first..=to].iter();
                part.fold(0, |all, inst| all | words_of(inst))
            };
            let free = |to: &usize| self.flag(named(*to), is_wide).is_some();
            let count = match untouched {
                Some(_) => rest.len(),
                None => rest.partition_point(free).max(1),
            };
            let (part, others) = rest.split_at(count);
            rest = others;
            let last = part.last().copied().unwrap_or(first);
            let flag = match untouched {
                Some(flag) => Some((flag, None)),
                None => self.flag(named(last), is_wide).zip(self.free.map(Some)),
            };
            if let Some((flag, saved)) = flag {
                let ty = if is_wide { Type::Ud } else { Type::Uw };
                let ctrl = match by_channel {
                    true => PredCtrl::Normal,
                    false => PredCtrl::Any(self.channels),
                };
                let guard = Guard { flag, ty, ctrl };
                self.part(&guard, saved, block, part, made);
            }
        }
    }

    /// The first flag of a size with none of these words.
    fn flag(&self, named: u32, is_wide: bool) -> Option<Reg> {
        let (bits, step) = if is_wide { (3, 2) } else { (1, 1) };
        let mut starts = (0..self.words).step_by(step);
        let word = starts.find(|word| named & bits << word == 0)?;
        Some(Reg::new(RegFile::Flag, word / 2, (word % 2 * 2) as u16))
    }

    /// Sets a flag, and guards instructions by it. `saved` is the register that has its contents meanwhile.
    fn part(
        &self,
        guard: &Guard,
        saved: Option<u32>,
        block: &mut [Inst],
        part: &[usize],
        made: &mut Vec<(usize, Inst)>,
    ) {
        let (Some(&first), Some(&last)) = (part.first(), part.last()) else {
            return;
        };
        let Guard { flag, ty, .. } = *guard;
        if let Some(saved) = saved {
            made.push((first, copy(Reg::grf(saved), flag, ty)));
        }
        made.push((first, set(flag, ty, 0)));
        made.push((first, self.compare(flag)));
        if guard.ctrl == PredCtrl::Normal {
            let any = Pred {
                ctrl: PredCtrl::Any(self.channels),
                ..guard.pred(false)
            };
            made.push((first, under(any, set(flag, ty, u64::MAX))));
        }
        for &at in part {
            self.one(guard, at, &mut block[at], made);
        }
        if let Some(saved) = saved {
            made.push((last + 1, copy(flag, Reg::grf(saved), ty)));
        }
    }

    /// Guards an instruction.
    fn one(&self, guard: &Guard, at: usize, inst: &mut Inst, made: &mut Vec<(usize, Inst)>) {
        let active = Some(guard.pred(false));
        let (pred, cond) = (inst.pred, inst.cond);
        if inst.op == Op::Csel || inst.op == Op::Sel && pred.is_none() {
            return;
        }
        if pred.is_none() && cond.is_none() {
            inst.pred = active;
            return;
        }
        let flag = pred.map(|pred| pred.flag).or(cond.map(|cond| cond.flag));
        let ctrl = pred.map_or(PredCtrl::Normal, |pred| pred.ctrl);
        let vertical = matches!(ctrl, PredCtrl::AnyV | PredCtrl::AllV);
        let (Some(flag), Some(free), false) = (flag, self.free, vertical) else {
            return;
        };
        let ty = match bits(inst, ctrl) {
            0..=16 => Type::Uw,
            _ => Type::Ud,
        };
        let kept = Reg::new(RegFile::Grf, free, 4);
        let idle = guard.pred(true);
        let keep = copy(kept, flag, ty);
        let restored = under(idle, copy(flag, kept, ty));
        match pred {
            Some(pred) => {
                let mut pred = pred;
                if inst.op == Op::Sel {
                    // All elements are moved, and then those of the other source.
                    let Some((first, second, inverse)) = self.halves(inst) else {
                        return;
                    };
                    pred.inverse ^= inverse;
                    made.push((
                        at,
                        Inst {
                            pred: active,
                            ..first
                        },
                    ));
                    *inst = second;
                    inst.pred = Some(pred);
                }
                let never = if pred.inverse { u64::MAX } else { 0 };
                made.push((at, keep));
                made.push((at, under(idle, set(flag, ty, never))));
                made.push((at + 1, restored));
            }
            None if inst.dst.is_none_or(|dst| !is_register(&dst)) => {
                made.push((at, keep));
                made.push((at + 1, restored));
            }
            None if inst.op == Op::Cmp => {
                // The result is a move of zeros, and one of ones where the condition is true.
                let Some([zeros, ones]) = results(inst) else {
                    return;
                };
                made.push((at, keep));
                made.push((at, condition_of(inst)));
                made.push((at, under(idle, set(flag, ty, 0))));
                made.push((at, under(guard.pred(false), zeros)));
                made.push((at + 1, restored));
                let met = Pred {
                    flag,
                    inverse: false,
                    ctrl: PredCtrl::Normal,
                };
                *inst = under(met, ones);
            }
            None => {
                // The condition and the result are of an instruction each.
                made.push((at, keep));
                made.push((at, condition_of(inst)));
                made.push((at, restored));
                inst.cond = None;
                inst.pred = active;
            }
        }
    }

    /// A selection as a move of all elements and one of those that another source has; with true if the latter is the
    /// second. None if the result lies over both.
    fn halves(&self, sel: &Inst) -> Option<(Inst, Inst, bool)> {
        let mut moves = [0, 1].map(|source| {
            let mut mov = sel.clone();
            mov.op = Op::Mov;
            mov.pred = None;
            mov.srcs = std::iter::once(sel.srcs[source]).collect();
            mov
        });
        let over = |mov: &Inst| {
            let footprint = footprint::of(mov, self.platform);
            let mut reads = footprint.reads.iter();
            names_address(mov) || reads.any(|read| read.meets(&footprint.writes))
        };
        let inverse = over(&moves[0]);
        if inverse {
            moves.swap(0, 1);
        }
        // The second move reads after the first has written.
        let [second, first] = moves;
        (!over(&second)).then_some((first, second, inverse))
    }

    /// Sets the bits of active channels in a flag.
    fn compare(&self, flag: Reg) -> Inst {
        let mut cmp = Inst::new(Op::Cmp, self.channels);
        cmp.cond = Some(CondMod {
            cond: Cond::Eq,
            flag,
        });
        cmp.dst = Some(Dst::new(Reg::NULL, 1, Type::Uw));
        let source = Src::reg(Reg::grf(self.still), Region::SCALAR, Type::Uw);
        cmp.srcs.extend([source; 2]);
        cmp
    }
}

/// An instruction that sets its condition alone.
fn condition_of(inst: &Inst) -> Inst {
    let mut condition = inst.clone();
    condition.dst = inst.dst.map(|dst| Dst::new(Reg::NULL, dst.hstride, dst.ty));
    condition
}

/// The results of a comparison as moves: of zeros, and of ones where it is true. None if no immediate is as wide.
fn results(cmp: &Inst) -> Option<[Inst; 2]> {
    let mut dst = cmp.dst?;
    dst.ty = match dst.ty.bytes() {
        2 => Type::Uw,
        4 => Type::Ud,
        _ => return None,
    };
    Some([0, u64::MAX].map(|value| {
        let mut mov = cmp.clone();
        mov.op = Op::Mov;
        (mov.dst, mov.cond) = (Some(dst), None);
        let bits = value & (u64::MAX >> (64 - 8 * dst.ty.bytes()));
        mov.srcs = std::iter::once(Src::imm(dst.ty, bits)).collect();
        mov
    }))
}

fn is_register(dst: &Dst) -> bool {
    !matches!(dst.place, Place::Direct(reg) if reg.is_null())
}

/// A copy of one element, whatever the execution mask.
fn copy(to: Reg, from: Reg, ty: Type) -> Inst {
    let mut mov = Inst::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, ty));
    mov.srcs.push(Src::reg(from, Region::SCALAR, ty));
    mov
}

/// Sets all bits of a flag to those of a value.
fn set(flag: Reg, ty: Type, value: u64) -> Inst {
    let mut mov = copy(flag, flag, ty);
    let bits = value & (u64::MAX >> (64 - 8 * ty.bytes()));
    mov.srcs[0] = Src::imm(ty, bits);
    mov
}

fn under(pred: Pred, mut inst: Inst) -> Inst {
    inst.pred = Some(pred);
    inst
}
