//! Errata of the platform that finished code must heed, checked over whole code.
//!
//! Takes decoded instructions in the order of the code. It looks for what [`kiln_platform::errata`] demands between
//! instructions, and, by `super::single`, of single ones; their other rules are in [`super::verify`]. It shares no code with the passes that make
//! the workarounds ([`crate::errata`]).

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::encoding::spec;
use crate::footprint;
use crate::inst::{
    Cond, Dst, Inst, MathFn, Op, Pipe, Place, PredCtrl, Reg, RegFile, Src, SrcMod, Type,
};
use crate::messages::{Descriptors, Kind, Request};
use crate::platform::Platform;
use crate::verify::single;

/// An instruction that breaks the rule of an erratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Number of the instruction in the code.
    pub at: usize,
    pub erratum: Erratum,
    pub what: &'static str,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let row = &kiln_platform::errata::ROWS[self.erratum as usize];
        write!(f, "{} ({})", self.what, row.name)
    }
}

/// A check of one instruction of some code.
type Rule = fn(&Code, usize) -> bool;

const RULES: &[(Erratum, Rule, &str)] = &[
    (
        Erratum::FenceResponseRead,
        fence_is_not_read,
        "the response of a fence is not read before the next message",
    ),
    (
        Erratum::NopAfterQuotient,
        follows_quotient,
        "writes across a register directly after a quotient or power",
    ),
    (
        Erratum::SwitchOnUnscored,
        writes_state_without_switch,
        "writes a register without a scoreboard and does not switch",
    ),
    (
        Erratum::FlagsReadBeforeEnd,
        ends_with_unread_flags,
        "ends the thread after flags that were written and never read",
    ),
    (
        Erratum::AccumulatorClearedBeforeEnd,
        ends_with_accumulator,
        "ends the thread without clearing the accumulator",
    ),
    (
        Erratum::NopAfterEnd,
        ends_the_code,
        "ends the thread, and no instruction is after it",
    ),
    (
        Erratum::EndWaitsForAll,
        ends_without_wait,
        "ends the thread without waiting for the instruction before",
    ),
    (
        Erratum::FirstInstructionUnmasked,
        begins_masked,
        "begins a kernel under an execution mask",
    ),
    (
        Erratum::CountClearedBeforeBarrier,
        signals_with_count,
        "signals a barrier, and n0 is not cleared before it",
    ),
    (
        Erratum::WriteCombineFirst,
        begins_combined,
        "begins a kernel with a move that is bound to the next one",
    ),
    (
        Erratum::ReadSuppressionBroken,
        leaves_channels_out,
        "leaves channels out, and no selection among equals is directly before it",
    ),
    (
        Erratum::CselBeforeEnd256,
        ends_in_upper_half,
        "ends a thread with 256 registers, and no selections among equals are directly before it",
    ),
    (
        Erratum::SystolicSuppression,
        multiplies_stale_columns,
        "is systolic, channels may be left out, and its second source is not read before it",
    ),
    (
        Erratum::FloatSuppression,
        reads_by_another_path,
        "reads what the float operation before it read by another path",
    ),
];

struct Code<'a> {
    insts: &'a [Inst],
    platform: &'a Platform,
    /// Flag registers that some block writes and does not read afterwards.
    unread: Vec<u32>,
    /// True if some instruction writes an accumulator.
    accumulates: bool,
    /// True if the code ends a thread: it is a kernel's.
    is_kernel: bool,
    /// True if some branch or message with a response is for some channels only.
    chooses: bool,
}

/// Checks code against the errata of its platform.
pub fn check_code(insts: &[Inst], platform: &Platform) -> Vec<Finding> {
    let code = Code {
        insts,
        platform,
        unread: unread_flags(insts, platform),
        accumulates: insts.iter().any(writes_accumulator),
        is_kernel: insts.iter().any(is_end),
        chooses: insts.iter().any(chooses_channels),
    };
    let mut findings = Vec::new();
    for &(erratum, rule, what) in RULES {
        if platform.needs(erratum) {
            let broken = (0..insts.len()).filter(|&at| rule(&code, at));
            findings.extend(broken.map(|at| Finding { at, erratum, what }));
        }
    }
    for &(erratum, rule, what) in single::RULES {
        if platform.needs(erratum) {
            let broken = (0..insts.len()).filter(|&at| rule(&insts[at], platform));
            findings.extend(broken.map(|at| Finding { at, erratum, what }));
        }
    }
    findings.sort_by_key(|finding| finding.at);
    findings
}

fn is_end(inst: &Inst) -> bool {
    inst.msg.is_some_and(|message| message.eot)
}

fn written(inst: &Inst) -> Option<Reg> {
    match inst.dst?.place {
        Place::Direct(reg) => Some(reg),
        Place::Indirect { .. } => None,
    }
}

fn fence_is_not_read(code: &Code, at: usize) -> bool {
    let fence = &code.insts[at];
    let request = fence.msg.as_ref().and_then(Descriptors::of);
    let request = request.and_then(|of| Request::decode(of, code.platform.family).ok());
    let answers = request.is_some_and(|request| request.kind.is_fence() && request.response > 0);
    let Some(response) = written(fence).filter(|_| answers && spec(code.platform).swsb.is_none())
    else {
        return false;
    };
    for inst in &code.insts[at + 1..] {
        let reads = footprint::of(inst, code.platform).reads;
        let mut registers = reads.iter().flat_map(|bytes| bytes.registers());
        if registers.any(|register| u32::from(register) == response.num) {
            return false;
        }
        if inst.op.is_send() || inst.op.is_branch() {
            return true;
        }
    }
    true
}

fn follows_quotient(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| code.insts[before].op);
    let divides = matches!(before, Some(Op::Math(MathFn::Fdiv | MathFn::Pow)));
    let inst = &code.insts[at];
    let writes = footprint::of(inst, code.platform).writes;
    let mut registers = writes.registers();
    let first = registers.next();
    divides && !inst.op.is_send() && registers.any(|register| Some(register) != first)
}

fn writes_state_without_switch(code: &Code, at: usize) -> bool {
    use RegFile::{Control, Debug, Ip, StackPointer, State, Timestamp};
    let inst = &code.insts[at];
    let state = |reg: Reg| {
        matches!(
            reg.file,
            Control | State | StackPointer | Timestamp | Ip | Debug
        )
    };
    !inst.opts.switch && !inst.op.is_branch() && written(inst).is_some_and(state)
}

fn unread_flags(insts: &[Inst], platform: &Platform) -> Vec<u32> {
    let Some(program) = Program::of_code(insts.to_vec()) else {
        return Vec::new();
    };
    let mut unread = Vec::new();
    // Functions after the kernel's own code may belong to others.
    let last = program
        .blocks
        .iter()
        .position(|block| block.iter().any(is_end));
    for block in program.blocks.iter().take(last.map_or(0, |last| last + 1)) {
        for flag in 0..platform.flag_count {
            let last = |touches: fn(&Inst, u32) -> bool| {
                block
                    .iter()
                    .rposition(|inst| !is_end(inst) && touches(inst, flag))
            };
            // An instruction reads its operands before it writes.
            if last(writes_flag).is_some_and(|at| last(reads_flag).is_none_or(|read| read <= at)) {
                unread.push(flag);
            }
        }
    }
    unread
}

fn is_flag(place: Place, flag: u32) -> bool {
    matches!(place, Place::Direct(reg) if reg.file == RegFile::Flag && reg.num == flag)
}

fn reads_flag(inst: &Inst, flag: u32) -> bool {
    let mut sources = inst.srcs.iter();
    let reads = sources.any(|src| matches!(src, Src::Reg(src) if is_flag(src.place, flag)));
    reads || inst.pred.is_some_and(|pred| pred.flag.num == flag)
}

fn writes_flag(inst: &Inst, flag: u32) -> bool {
    let selects = matches!(inst.op, Op::Sel | Op::Csel);
    let condition = inst.cond.filter(|cond| !selects && !cond.flag.is_null());
    let writes = inst.dst.is_some_and(|dst: Dst| is_flag(dst.place, flag));
    writes || condition.is_some_and(|cond| cond.flag.num == flag)
}

fn ends_with_unread_flags(code: &Code, at: usize) -> bool {
    if !is_end(&code.insts[at]) {
        return false;
    }
    let before = code.insts[..at].iter().rev();
    let reads: Vec<&Inst> = before.take_while(|inst| !inst.op.is_branch()).collect();
    let read = |flag: &u32| reads.iter().any(|inst| reads_flag(inst, *flag));
    !code.unread.iter().all(read)
}

fn writes_accumulator(inst: &Inst) -> bool {
    let explicit = written(inst).is_some_and(|reg| reg.file == RegFile::Acc);
    explicit || inst.opts.acc_wr_en
}

fn ends_with_accumulator(code: &Code, at: usize) -> bool {
    if !is_end(&code.insts[at]) || !code.accumulates {
        return false;
    }
    let before = code.insts[..at].iter().rev();
    let mut recent = before.take_while(|inst| !inst.op.is_branch());
    !recent.any(|inst| {
        let zero = matches!(inst.srcs.first(), Some(Src::Imm { bits: 0, .. }));
        inst.op == Op::Mov && zero && writes_accumulator(inst)
    })
}

/// True for a selection that writes a register with itself.
pub(super) fn selects_same(inst: &Inst) -> bool {
    let dst = inst.dst.map(|dst| (dst.place, dst.ty));
    let same = |src: &Src| match src {
        Src::Reg(src) => Some((src.place, src.ty)) == dst,
        Src::Imm { .. } => false,
    };
    inst.op == Op::Csel && inst.no_mask && inst.srcs.iter().all(same)
}

/// True for a branch or a message with a response that may be for some channels only.
fn chooses_channels(inst: &Inst) -> bool {
    let answers = inst.dst.is_some_and(|dst| match dst.place {
        Place::Direct(reg) => !reg.is_null(),
        Place::Indirect { .. } => true,
    });
    let chooses = inst.op.is_send() && inst.pred.is_some() && answers;
    let differs = (inst.pred).is_some_and(|pred| pred.ctrl == PredCtrl::Normal);
    chooses || differs && matches!(inst.op, Op::Goto | Op::If | Op::While | Op::Break)
}

/// Instructions before one, the nearest first, without waits.
fn before<'a>(code: &Code<'a>, at: usize) -> impl Iterator<Item = &'a Inst> {
    let before = code.insts[..at].iter().rev();
    before.filter(|inst| !matches!(inst.op, Op::Sync(_)))
}

fn leaves_channels_out(code: &Code, at: usize) -> bool {
    let inst = &code.insts[at];
    let before = before(code, at).next();
    let fallen = before.is_none_or(|before| before.op.is_branch());
    let begins = fallen && inst.op == Op::While;
    chooses_channels(inst) && !begins && !before.is_some_and(selects_same)
}

fn ends_in_upper_half(code: &Code, at: usize) -> bool {
    let end = &code.insts[at];
    let upper = |src: &Src| matches!(src, Src::Reg(src) if matches!(src.place, Place::Direct(reg) if reg.num >= 128));
    let selections = before(code, at).take(2).filter(|inst| selects_same(inst));
    is_end(end) && end.srcs.first().is_some_and(upper) && selections.count() < 2
}

fn multiplies_stale_columns(code: &Code, at: usize) -> bool {
    let place = |src: Option<&Src>| match src {
        Some(Src::Reg(src)) => Some(src.place),
        _ => None,
    };
    let inst = &code.insts[at];
    if !code.chooses || !inst.op.is_systolic() {
        return false;
    }
    let recent = || before(code, at).take_while(|inst| !inst.op.is_branch());
    let columns = place(inst.srcs.get(1));
    let again = |inst: &Inst| {
        inst.op == Op::Mov
            && inst.dst.map(|dst| dst.place) == columns
            && place(inst.srcs.first()) == columns
    };
    !recent().any(|inst| inst.op.is_systolic()) && !recent().next().is_some_and(again)
}

fn reads_by_another_path(code: &Code, at: usize) -> bool {
    let ty = |inst: &Inst| {
        inst.dst
            .map(|dst| dst.ty)
            .or(inst.srcs.first().map(Src::ty))
    };
    let is_float = |inst: &&Inst| {
        let elsewhere = inst.op.is_send() || inst.op.is_systolic() || inst.op.is_branch();
        !elsewhere && ty(inst).is_some_and(Type::is_float)
    };
    // Moves and selections of halves as they are, and floats of doubles.
    let path = |inst: &Inst| {
        let from = inst.srcs.first().map(Src::ty);
        let modified =
            |src: &Src| matches!(src, Src::Reg(src) if src.modifier != SrcMod::default());
        let orders = inst
            .cond
            .is_none_or(|cond| inst.op == Op::Sel && matches!(cond.cond, Cond::Ge | Cond::Lt));
        let copies = matches!(inst.op, Op::Mov | Op::Sel) && orders && !inst.saturate;
        let halves = (ty(inst), from) == (Some(Type::Hf), Some(Type::Hf));
        copies && halves && !inst.srcs.iter().any(modified)
            || ty(inst) == Some(Type::F) && from == Some(Type::Df)
    };
    let inst = &code.insts[at];
    let other = before(code, at).find(is_float).filter(|_| is_float(&inst));
    let common = |(own, other): (&Src, &Src)| matches!(own, Src::Reg(_)) && own == other;
    other.is_some_and(|other| {
        let mut sources = inst.srcs.iter().zip(&other.srcs);
        path(inst) != path(other) && sources.any(common)
    })
}

fn ends_the_code(code: &Code, at: usize) -> bool {
    is_end(&code.insts[at]) && at + 1 == code.insts.len()
}

fn ends_without_wait(code: &Code, at: usize) -> bool {
    let waits = |inst: &Inst| matches!(inst.swsb.dist, Some((Pipe::Own | Pipe::All, 1)));
    is_end(&code.insts[at]) && !waits(&code.insts[at])
}

fn signals_with_count(code: &Code, at: usize) -> bool {
    let of = code.insts[at].msg.as_ref().and_then(Descriptors::of);
    let request = of.and_then(|of| Request::decode(of, code.platform.family).ok());
    if request.is_none_or(|request| request.kind != Kind::Barrier) {
        return false;
    }
    let before = code.insts[..at].iter().rev();
    let mut recent = before.take_while(|inst| !inst.op.is_branch() && !inst.op.is_send());
    !recent.any(|inst| {
        let zero = matches!(inst.srcs[..], [Src::Imm { bits: 0, .. }]);
        let count = written(inst).is_some_and(|reg| reg.file == RegFile::Notification);
        inst.op == Op::Mov && inst.opts.switch && zero && count
    })
}

fn begins_combined(code: &Code, at: usize) -> bool {
    let first = &code.insts[0];
    at == 0 && code.is_kernel && first.op == Op::Mov && first.opts.atomic
}

fn begins_masked(code: &Code, at: usize) -> bool {
    let first = &code.insts[0];
    at == 0 && code.is_kernel && !first.no_mask && !matches!(first.op, Op::Nop | Op::Sync(_))
}
