//! Finds code that threads must not run in pairs.
//!
//! Two execution units that are a pair share an instruction pointer: they execute what a channel of either needs. A unit
//! without active channels then executes nothing, not even instructions that ignore the execution mask (its bit of the
//! "fused mask": SWWA.cpp, "NoMask WA"). In a pair this is wrong:
//!
//! | code | why | where |
//! | --- | --- | --- |
//! | moves for waiting channels where none is active | they are not executed | all pairs |
//! | an instruction without a mask in nested divergence | it may be executed by a unit without active channels, for which the fused mask does not become 0 | [`Erratum::NoMaskPredicated`] |
//! | a scalar jump whose condition differs between threads, as in kernels of explicit SIMD | both units go where one of them does | all pairs |
//! | a systolic operation of eight rows, with a second source that no message wrote | the units share its source, and one may get an old one | [`Erratum::SystolicFused`] |
//! | a call to an address, or jump to one | both units go where one of them does | [`Erratum::FusedCalls`] |
//!
//! The object then has to say that threads do not run in pairs (`require_disable_eufusion`).
//!
//! Code is in nested divergence from a forward branch to where its channels wait, if a forward branch before it or a loop
//! around it may have left channels waiting; and from there on until no channels wait (FlowGraph.cpp
//! findNestedDivergentBBs). A loop that ends there belongs to it as a whole.

use std::collections::BTreeSet;

use kiln_platform::errata::Erratum;
use smallvec::SmallVec;

use super::errata::selects_same;
use super::flow::{Flow, NONE};
use crate::assemble::Program;
use crate::footprint;
use crate::inst::{Cond, Dst, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Src, Target};
use crate::platform::Platform;

/// An instruction that is wrong in a pair of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {}, instruction {} ({op:?}): {what}", at.0, at.1)]
pub struct PairError {
    /// Block and index; for code without blocks, 0 and the index.
    pub at: (usize, usize),
    pub op: Op,
    pub what: Wrong,
}

/// The rule that the instruction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("is not executed for channels that wait, if threads run in pairs")]
    Idle,
    #[error("may be executed without an active channel, if threads run in pairs")]
    Unmasked,
    #[error("goes where the other thread goes, if threads run in pairs")]
    Shared,
    #[error("may get an old source, if threads run in pairs")]
    Stale,
}

/// Checks a program whose branches name blocks. `explicit` says that it is for explicit SIMD: conditions of scalar jumps may
/// differ between threads. In other programs they are the same in all threads of a group (CISABuilder.cpp, CEncoder::Jump).
///
/// # Errors
/// An instruction that is wrong in a pair of threads.
pub fn check_program(
    program: &Program,
    platform: &Platform,
    explicit: bool,
) -> Result<(), PairError> {
    if !platform.paired {
        return Ok(());
    }
    let mut flow = Flow::of_program(program);
    jumps(&flow, platform, explicit)?;
    stale(&flow, platform)?;
    idle(&mut flow)?;
    if !platform.needs(Erratum::NoMaskPredicated) {
        return Ok(());
    }
    let (divergent, nested) = levels(&flow);
    // Code of a subroutine is taken to be called where no channels wait.
    let called = |at: &usize| divergent[*at] && flow.insts[*at].op == Op::Call;
    match (0..flow.insts.len()).find(called) {
        Some(at) => Err(error(&flow, at as u32, Wrong::Unmasked)),
        None => unmasked(&flow, &nested, platform),
    }
}

/// Checks decoded code, whose branches have distances and targets that [`super::flow::check_code`] accepts. Other
/// compilers have both units call what either calls, and predicate all instructions in nested divergence: these ways are
/// right.
///
/// # Errors
/// An instruction that is wrong in a pair of threads.
pub fn check_code(code: &[Inst], platform: &Platform) -> Result<(), PairError> {
    if !platform.paired {
        return Ok(());
    }
    let mut flow = Flow::of_code(code);
    let calls = platform.needs(Erratum::FusedCalls);
    let shared = |&at: &usize| calls && calls_address(&code[at]) && !is_called_by_both(code, at);
    if let Some(at) = (0..code.len()).find(shared) {
        return Err(error(&flow, at as u32, Wrong::Shared));
    }
    idle(&mut flow)?;
    let guarded = |at: usize| code[at].no_mask && is_guarded(&flow, at) || calls_address(&code[at]);
    let guarded = (0..code.len()).any(guarded);
    match platform.needs(Erratum::NoMaskPredicated) && !guarded {
        true => unmasked(&flow, &levels(&flow).1, platform),
        false => Ok(()),
    }
}

fn error(flow: &Flow, at: u32, what: Wrong) -> PairError {
    PairError {
        at: flow.place(at),
        op: flow.insts[at as usize].op,
        what,
    }
}

/// Finds a call to an address, or a scalar jump that not all threads take.
fn jumps(flow: &Flow, platform: &Platform, explicit: bool) -> Result<(), PairError> {
    let calls = platform.needs(Erratum::FusedCalls);
    let wrong = |inst: &Inst| match inst.op {
        Op::Jmpi if explicit && inst.pred.is_some() => true,
        _ => calls && calls_address(inst),
    };
    match flow.insts.iter().position(|inst| wrong(inst)) {
        Some(at) => Err(error(flow, at as u32, Wrong::Shared)),
        None => Ok(()),
    }
}

/// Finds a systolic operation of eight rows whose second source lies in registers that an instruction wrote, no message.
fn stale(flow: &Flow, platform: &Platform) -> Result<(), PairError> {
    let full =
        |inst: &Inst| matches!(inst.op, Op::Dpas(shape) if (shape.depth, shape.repeat) == (8, 8));
    if !platform.needs(Erratum::SystolicFused) || !flow.insts.iter().any(|inst| full(inst)) {
        return Ok(());
    }
    let computed = flow.insts.iter().filter(|inst| !inst.op.is_send());
    let writes = computed.flat_map(|inst| {
        footprint::writes(inst, platform)
            .registers()
            .collect::<Vec<_>>()
    });
    let written: BTreeSet<u16> = writes.collect();
    let wrong = |inst: &Inst| {
        let columns = footprint::columns(inst, platform);
        full(inst)
            && columns.is_some_and(|columns| columns.registers().any(|n| written.contains(&n)))
    };
    match flow.insts.iter().position(|inst| wrong(inst)) {
        Some(at) => Err(error(flow, at as u32, Wrong::Stale)),
        None => Ok(()),
    }
}

/// True if the threads of a pair tell which of them they are between the last two calls before one and the call: both call
/// the function of the first, and then both that of the second (SWWA.cpp applyFusedCallWA).
fn is_called_by_both(code: &[Inst], at: usize) -> bool {
    const CALLS: usize = 2;
    let number = |src: &Src| matches!(src, Src::Reg(src) if matches!(src.place, Place::Direct(reg) if reg.file == RegFile::State && (reg.num, reg.byte) == (0, 0)));
    let mut calls = 0;
    for inst in code[..at].iter().rev() {
        calls += usize::from(matches!(inst.op, Op::Call | Op::Calla));
        if calls == CALLS {
            return false;
        }
        if inst.op == Op::Mov && inst.srcs.iter().any(number) {
            return true;
        }
    }
    false
}

fn calls_address(inst: &Inst) -> bool {
    match inst.op {
        Op::Calla => true,
        Op::Call | Op::Jmpi => inst.jip == Some(Target::Reg),
        _ => false,
    }
}

/// Finds a move where no channel is active.
fn idle(flow: &mut Flow) -> Result<(), PairError> {
    let nearest = flow.find_places();
    for from in 0..flow.insts.len() as u32 {
        let works = |at: &u32| {
            let op = flow.insts[*at as usize].op;
            !matches!(op, Op::Jmpi | Op::Sync(_) | Op::Nop)
        };
        if let Some(at) = flow.idle(from, &nearest).into_iter().find(works) {
            return Err(error(flow, at, Wrong::Idle));
        }
    }
    Ok(())
}

/// By instruction: true for those in nested divergence, but for moves where no channel is active. A predicate that asks for active
/// channels would take these away on every unit.
pub(crate) fn nested(program: &Program) -> Vec<bool> {
    let mut flow = Flow::of_program(program);
    let nearest = flow.find_places();
    let mut nested = levels(&flow).1;
    for from in 0..flow.insts.len() as u32 {
        for at in flow.idle(from, &nearest) {
            nested[at as usize] = false;
        }
    }
    nested
}

/// Finds an instruction without a mask in nested divergence.
fn unmasked(flow: &Flow, nested: &[bool], platform: &Platform) -> Result<(), PairError> {
    if !nested.contains(&true) {
        return Ok(());
    }
    let kept = kept_dwords(flow, platform);
    for at in (0..flow.insts.len()).filter(|&at| nested[at]) {
        let inst = flow.insts[at];
        let ends = inst.msg.is_some_and(|message| message.eot);
        let waits = matches!(inst.op, Op::Sync(_) | Op::Nop);
        // A selection of equal sources writes a register with itself.
        let same = selects_same(inst);
        let unmasked = inst.no_mask && !ends && !waits && !same && !is_guarded(flow, at);
        let unset = marks_active(inst).is_some_and(|flag| !is_cleared(flow, at, flag));
        // A flag gets back what was kept of it.
        let restores = inst.pred.is_some_and(|pred| pred.inverse);
        let lost = match moves_flag(inst) {
            Some(Moved::To(reg)) => restores && !kept.contains(&dword(reg)),
            _ => false,
        };
        let unguarded = unmasked && inst.op != Op::Call && !is_of_guard(flow, at, &kept);
        if unset || lost || unguarded {
            return Err(error(flow, at as u32, Wrong::Unmasked));
        }
    }
    Ok(())
}

/// A dword of a general register, by its number and that in the register.
type Dword = (u32, u16);

fn dword(reg: Reg) -> Dword {
    (reg.num, reg.byte / 4)
}

/// Dwords that only ever hold flags from one place to a later one without control flow between.
fn kept_dwords(flow: &Flow, platform: &Platform) -> BTreeSet<Dword> {
    let moved = flow.insts.iter().filter_map(|inst| moves_flag(inst));
    let mut kept: BTreeSet<Dword> = moved
        .filter_map(|moved| match moved {
            Moved::From(reg) => Some(dword(reg)),
            Moved::To(_) => None,
        })
        .collect();
    if kept.is_empty() {
        return kept;
    }
    // Dwords that are written since the last branch, and not read.
    let mut written: Vec<Dword> = Vec::new();
    for inst in &flow.insts {
        match moves_flag(inst) {
            Some(Moved::From(reg)) => written.push(dword(reg)),
            Some(Moved::To(reg)) if written.contains(&dword(reg)) => {
                written.retain(|kept| *kept != dword(reg));
            }
            _ => {
                let reads = footprint::of(inst, platform).reads;
                for (register, bytes) in reads.iter().flat_map(|bytes| bytes.parts()) {
                    let register = u32::from(register);
                    let of_register = kept.range((register, 0)..=(register, u16::MAX));
                    let read = |(_, n): &&Dword| bytes >> (4 * n) & 15 != 0;
                    let read: SmallVec<[Dword; 4]> = of_register.filter(read).copied().collect();
                    for dword in read {
                        kept.remove(&dword);
                    }
                }
            }
        }
        if inst.op.is_branch() {
            written.clear();
        }
    }
    kept
}

/// A move of a flag to or from a part of a general register.
enum Moved {
    From(Reg),
    To(Reg),
}

fn moves_flag(inst: &Inst) -> Option<Moved> {
    let (Place::Direct(to), [Src::Reg(src)]) = (inst.dst?.place, &inst.srcs[..]) else {
        return None;
    };
    let Place::Direct(from) = src.place else {
        return None;
    };
    let moves = inst.op == Op::Mov && inst.exec_size == 1 && inst.no_mask && inst.cond.is_none();
    match (to.file, from.file) {
        (RegFile::Grf, RegFile::Flag) if moves && inst.pred.is_none() => Some(Moved::From(to)),
        (RegFile::Flag, RegFile::Grf) if moves => Some(Moved::To(from)),
        _ => None,
    }
}

/// True for an instruction that sets, keeps or restores a flag to guard others, or whose own flag is restored if no channel
/// is active.
fn is_of_guard(flow: &Flow, at: usize, kept: &BTreeSet<Dword>) -> bool {
    let inst = flow.insts[at];
    // Nothing is said by what leaves flags as they are, if no channel is active.
    let counts = |&at: &usize| {
        let inst = flow.insts[at];
        let flag = |dst: Dst| matches!(dst.place, Place::Direct(reg) if reg.file == RegFile::Flag);
        let writes_flag = inst.cond.is_some() || inst.dst.is_some_and(flag);
        let acts = writes_flag || !is_guarded(flow, at);
        !matches!(inst.op, Op::Sync(_)) && !selects_same(inst) && acts
    };
    let next = (at + 1..flow.insts.len()).find(counts);
    let before = (0..at).rfind(counts);
    // A write of a flag if no channel is active.
    let idle = |other: Option<usize>, flag: Reg| {
        let is = |at: usize| {
            let inst = flow.insts[at];
            let to = inst.dst.map(|dst| dst.place);
            let inverse = inst.pred.is_some_and(|pred| pred.inverse);
            inverse && is_guarded(flow, at) && to == Some(Place::Direct(flag))
        };
        other.is_some_and(is)
    };
    match (moves_flag(inst), inst.pred, inst.cond) {
        (Some(Moved::From(reg) | Moved::To(reg)), None, _) => kept.contains(&dword(reg)),
        (_, Some(pred), _) => idle(before, pred.flag) && idle(next, pred.flag),
        (_, None, Some(cond)) => {
            let null = inst.dst.map(|dst| dst.place) == Some(Place::Direct(Reg::NULL));
            null && idle(next, cond.flag)
        }
        (None, None, None) => {
            let cleared = match inst.dst.map(|dst| dst.place) {
                Some(Place::Direct(reg)) if reg.file == RegFile::Flag => Some(reg),
                _ => None,
            };
            let zero = matches!(inst.srcs[..], [Src::Imm { bits: 0, .. }]);
            let marked = next.and_then(|next| marks_active(flow.insts[next]));
            inst.op == Op::Mov && zero && cleared.is_some() && cleared == marked
        }
    }
}

/// True for an instruction that is not executed, or is executed only, if no channel is in its predicate.
fn is_guarded(flow: &Flow, at: usize) -> bool {
    let any = |pred: Pred| matches!(pred.ctrl, PredCtrl::Any(_) | PredCtrl::AnyChannel);
    let has_any = |inst: &Inst| inst.pred.is_some_and(any);
    let inst = flow.insts[at];
    let Some(pred) = inst.pred.filter(|pred| !any(*pred)) else {
        return has_any(inst);
    };
    // All bits of the flag were set if one of them was.
    let writes = |inst: &&&Inst| {
        let flag = inst.cond.map(|cond| Place::Direct(cond.flag));
        let place = Place::Direct(pred.flag);
        flag == Some(place) || inst.dst.is_some_and(|dst| dst.place == place)
    };
    let run = flow.insts[..at].iter().rev();
    let last = run.take_while(|inst| !inst.op.is_branch()).find(writes);
    last.is_some_and(|set| {
        let all = matches!(set.srcs[..], [Src::Imm { .. }]) && set.op == Op::Mov;
        all && has_any(set) && set.pred.is_some_and(|own| own.flag == pred.flag)
    })
}

/// True if the instruction before clears a flag.
fn is_cleared(flow: &Flow, at: usize, flag: Reg) -> bool {
    let before = flow.insts[..at]
        .iter()
        .rfind(|inst| !matches!(inst.op, Op::Sync(_)));
    before.is_some_and(|inst| {
        let zero = matches!(inst.srcs[..], [Src::Imm { bits: 0, .. }]);
        let to = inst.dst.map(|dst| dst.place);
        inst.op == Op::Mov && inst.no_mask && zero && to == Some(Place::Direct(flag))
    })
}

/// The flag that a comparison of a value with itself sets for active channels.
fn marks_active(inst: &Inst) -> Option<Reg> {
    let equal = matches!(&inst.srcs[..], [a, b] if a == b);
    let marks = inst.op == Op::Cmp && !inst.no_mask && inst.pred.is_none() && equal;
    let cond = inst.cond.filter(|cond| marks && cond.cond == Cond::Eq)?;
    Some(cond.flag)
}

/// By instruction of decoded code: whether it is in nested divergence. All false if a branch goes between instructions.
pub fn nested_in_code(code: &[Inst]) -> Vec<bool> {
    match super::flow::check_code(code) {
        Ok(()) => levels(&Flow::of_code(code)).1,
        Err(_) => vec![false; code.len()],
    }
}

/// By instruction: whether channels may wait, and whether it is in nested divergence.
fn levels(flow: &Flow) -> (Vec<bool>, Vec<bool>) {
    let count = flow.insts.len();
    let mut divergent = vec![false; count];
    let mut nested = vec![false; count];
    let loops = loops(flow);
    let mut heads = loops.iter().peekable();
    // Ends of the parts in which channels may wait, and in which more branches have been taken than one.
    let (mut end, mut inner_end) = (0, 0);
    let mut wrong = false;
    for at in 0..count as u32 {
        wrong &= at < end;
        while let Some((_, tail, diverges)) = heads.next_if(|(head, ..)| *head <= at) {
            end = end.max(if *diverges { tail + 1 } else { 0 });
        }
        wrong |= at < inner_end;
        divergent[at as usize] = at < end;
        nested[at as usize] = wrong;
        let inst = flow.insts[at as usize];
        let uip = flow.uip[at as usize];
        let to = match inst.op {
            Op::Goto if !inst.opts.branch_ctrl => uip,
            Op::If => uip,
            Op::Break | Op::Cont => uip.saturating_add(1),
            _ => continue,
        };
        if to != NONE {
            inner_end = inner_end.max(if at < end { to } else { 0 });
            end = end.max(to);
        }
    }
    // Loops that overlap are one.
    let mut rest = &loops[..];
    while let Some(&(head, mut last, _)) = rest.first() {
        let mut count = 0;
        while let Some(&(_, tail, _)) = rest.get(count).filter(|(head, ..)| *head <= last) {
            last = last.max(tail);
            count += 1;
        }
        let (these, others) = rest.split_at(count);
        if these.iter().any(|(_, tail, _)| nested[*tail as usize]) {
            nested[head as usize..=last as usize].fill(true);
        }
        rest = others;
    }
    (divergent, nested)
}

/// The first and the last instruction of each loop, and whether channels may wait after it; in order.
fn loops(flow: &Flow) -> Vec<(u32, u32, bool)> {
    let mut loops: Vec<(u32, u32, bool)> = Vec::new();
    for (at, inst) in (0u32..).zip(&flow.insts) {
        let (head, diverges) = match inst.op {
            Op::Goto if inst.opts.branch_ctrl => (flow.uip[at as usize], true),
            Op::While => (flow.jip[at as usize], true),
            Op::Jmpi => (flow.jip[at as usize], false),
            _ => continue,
        };
        if head <= at {
            loops.push((head, at, diverges));
        }
    }
    loops.sort_unstable();
    loops
}
