//! Errata of the platform that finished code must heed, checked over whole code.
//!
//! Takes decoded instructions in the order of the code. It looks for what [`kiln_platform::errata`] demands between
//! instructions, and, by `super::single`, of single ones; their other rules are in [`super::verify`]. It shares no code with the passes that make
//! the workarounds ([`crate::errata`]).

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::encoding::spec;
use crate::encoding::swsb::MAX_DISTANCE;
use crate::footprint;
use crate::inst::{
    Cond, Dst, Inst, MathFn, Op, Pipe, Place, PredCtrl, Reg, RegFile, Src, SrcMod, SyncFn,
    TokenUse, Type,
};
use crate::messages::load_store::is_kept;
use crate::messages::{Access, AddressKind, Descriptors, Function, Kind, Request};
use crate::platform::Platform;
use crate::verify::region::linear_stride;
use crate::verify::scoreboard::Facts;
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
    (
        Erratum::SwitchAfterCall,
        returns_without_switch,
        "is the first of a function or after a call, and does not switch",
    ),
    (
        Erratum::AddressesCleared,
        reads_by_rows,
        "has an address for each row, and a0 was not cleared at the start",
    ),
    (
        Erratum::HdcFenceBeforeEnd,
        ends_without_fence,
        "ends a thread that wrote memory, and no fence is before it",
    ),
    (
        Erratum::UgmFenceBeforeEnd,
        ends_without_fence,
        "ends a thread that wrote memory, and no fence is before it",
    ),
    (
        Erratum::AddressWaitsForFloats,
        writes_first_address,
        "is the first write of an address register, and does not wait for floats",
    ),
    (
        Erratum::MulMacSuppression,
        takes_stale_factor,
        "has a second source that the integer operation before it read by another region",
    ),
    (
        Erratum::StateWriteBeforeFlow,
        leaves_state,
        "accesses the thread's state, and the next instruction does not wait for it",
    ),
    (
        Erratum::BarrierOfActive,
        signals_for_ended,
        "signals a barrier that waits for threads that ended",
    ),
    (
        Erratum::AccumulatorReadsWaitedFor,
        overwrites_accumulator,
        "overwrites an accumulator that another pipeline may not have read yet",
    ),
    (
        Erratum::FlagsReadEarly,
        overwrites_predicate,
        "overwrites a flag that a predicate of another pipeline may not have been read from yet",
    ),
    (
        Erratum::FenceTokenWaited,
        fence_is_overtaken,
        "is a fence that the next message does not wait for",
    ),
    (
        Erratum::LocalLoadsReadLate,
        load_is_overtaken,
        "loads from local memory, and a store or fence does not wait for it",
    ),
    (
        Erratum::AllWrittenBeforeLocalFence,
        load_is_overtaken,
        "loads from local memory, and a store or fence does not wait for it",
    ),
    (
        Erratum::BarrierKeepsHeader,
        overwrites_header,
        "overwrites r0 in code with a barrier",
    ),
    (
        Erratum::WhileAfterFlow,
        loops_after_flow,
        "ends a loop directly after another instruction of control flow",
    ),
    (
        Erratum::AddressWritesWaitForAll,
        writes_address_early,
        "writes an address register and does not wait for all pipelines",
    ),
];

struct Code<'a> {
    insts: &'a [Inst],
    platform: &'a Platform,
    /// Pipelines, where software keeps the scoreboard.
    facts: Option<Facts<'a>>,
    /// Flag registers that some block writes and does not read afterwards.
    unread: Vec<u32>,
    /// True if some instruction writes an accumulator.
    accumulates: bool,
    /// True if the code ends a thread: it is a kernel's.
    is_kernel: bool,
    /// True if some branch or message with a response is for some channels only.
    chooses: bool,
    /// True if some message signals a barrier.
    meets: bool,
}

/// Checks code against the errata of its platform.
pub fn check_code(insts: &[Inst], platform: &Platform) -> Vec<Finding> {
    let mut code = Code {
        insts,
        platform,
        facts: Facts::new(insts, platform),
        unread: unread_flags(insts, platform),
        accumulates: insts.iter().any(writes_accumulator),
        is_kernel: insts.iter().any(is_end),
        chooses: insts.iter().any(chooses_channels),
        meets: false,
    };
    code.meets = insts.iter().any(|inst| signals(&code, inst));
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
pub(crate) fn selects_same(inst: &Inst) -> bool {
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

/// Zeros that pad a section are decoded as illegal instructions.
fn ends_the_code(code: &Code, at: usize) -> bool {
    let next = code.insts.get(at + 1);
    is_end(&code.insts[at]) && next.is_none_or(|next| next.op == Op::Illegal)
}

fn ends_without_wait(code: &Code, at: usize) -> bool {
    let waits = |inst: &Inst| matches!(inst.swsb.dist, Some((Pipe::Own | Pipe::All, 1)));
    is_end(&code.insts[at]) && !waits(&code.insts[at])
}

/// True for the message of a barrier.
fn signals(code: &Code, inst: &Inst) -> bool {
    request(code, inst).is_some_and(|request| request.kind == Kind::Barrier)
}

fn overwrites_header(code: &Code, at: usize) -> bool {
    let writes = footprint::of(&code.insts[at], code.platform).writes;
    code.meets && writes.registers().any(|register| register == 0)
}

fn signals_with_count(code: &Code, at: usize) -> bool {
    if !signals(code, &code.insts[at]) {
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

fn returns_without_switch(code: &Code, at: usize) -> bool {
    let inst = &code.insts[at];
    let calls = |inst: &Inst| matches!(inst.op, Op::Call | Op::Calla);
    let returned = at.checked_sub(1).is_some_and(|at| calls(&code.insts[at]));
    let begins = at == 0 && !code.is_kernel && code.insts.iter().any(|inst| inst.op == Op::Ret);
    (returned || begins) && !inst.opts.switch
}

fn loops_after_flow(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| code.insts[before].op);
    code.insts[at].op == Op::While && before.is_some_and(Op::is_branch)
}

fn reads_by_rows(code: &Code, at: usize) -> bool {
    let by_rows = |inst: &Inst| {
        inst.srcs.iter().any(|src| {
            matches!(src, Src::Reg(src)
                if matches!(src.place, Place::Indirect { .. }) && src.region.vstride.is_none())
        })
    };
    let before = &code.insts[..at];
    let clears = |inst: &Inst| {
        let zero = matches!(inst.srcs[..], [Src::Imm { bits: 0, .. }]);
        let address = written(inst).is_some_and(|reg| reg.file == RegFile::Addr && reg.byte == 0);
        inst.op == Op::Mov && inst.no_mask && zero && address && inst.exec_size >= 8
    };
    let first = code.is_kernel && by_rows(&code.insts[at]) && !before.iter().any(by_rows);
    first && !before.iter().any(clears)
}

fn request(code: &Code, inst: &Inst) -> Option<Request> {
    let of = inst.msg.as_ref().and_then(Descriptors::of)?;
    Request::decode(of, code.platform.family).ok()
}

/// True for a message that is known to write memory of other threads without telling that it has.
fn stores(code: &Code, inst: &Inst) -> bool {
    let Some(request) = request(code, inst) else {
        return false;
    };
    let untyped = matches!(
        request.function,
        Function::DataPort0 | Function::DataPort1 | Function::Untyped
    );
    let scratch = request.kind == Kind::HwordScratchBlockWrite
        || request.fields.address == Some(AddressKind::SurfaceState);
    let tells = request.function == Function::Untyped && request.response > 0;
    let kept = request.kind == Kind::Store
        && (request.fields.cache).is_some_and(|cache| is_kept(cache, code.platform.family));
    untyped && request.kind.access() == Access::Write && !scratch && !tells && !kept
}

fn ends_without_fence(code: &Code, at: usize) -> bool {
    if !is_end(&code.insts[at]) || !code.insts.iter().any(|inst| stores(code, inst)) {
        return false;
    }
    let before = code.insts[..at].iter().rev();
    let mut recent = before.take_while(|inst| !inst.op.is_branch());
    !recent.any(|inst| request(code, inst).is_some_and(|request| request.kind.is_fence()))
}

fn writes_first_address(code: &Code, at: usize) -> bool {
    let address = |inst: &Inst| written(inst).is_some_and(|reg| reg.file == RegFile::Addr);
    let inst = &code.insts[at];
    address(inst) && !waits_for_floats(code, at) && !code.insts[..at].iter().any(address)
}

/// True if an instruction, or a wait directly before it, waits for the float pipeline or all.
fn waits_for_floats(code: &Code, at: usize) -> bool {
    let waits = |inst: &Inst| matches!(inst.swsb.dist, Some((Pipe::Float | Pipe::All, 1)));
    let before = code.insts[..at].iter().rev();
    let mut synced = before.take_while(|inst| matches!(inst.op, Op::Sync(_)));
    waits(&code.insts[at]) || synced.any(waits)
}

/// The kind of an operation of the multiplier of integers, and the place of its second source.
fn factor(inst: &Inst) -> (u8, Option<(Reg, bool)>) {
    let kind = match inst.op {
        Op::Mul | Op::Mac => 1,
        Op::Mach | Op::Macl => 2,
        _ => 0,
    };
    let Some(Src::Reg(src)) = inst.srcs.get(1) else {
        return (kind, None);
    };
    let Place::Direct(reg) = src.place else {
        return (kind, None);
    };
    let dst = inst
        .dst
        .map_or(0, |dst| u32::from(dst.hstride) * dst.ty.bytes());
    let step =
        linear_stride(src.region, inst.exec_size).map(|step| u32::from(step) * src.ty.bytes());
    let flat = step == Some(dst) && written(inst).is_some_and(|to| to.byte == reg.byte);
    (kind, (reg.file == RegFile::Grf).then_some((reg, flat)))
}

fn takes_stale_factor(code: &Code, at: usize) -> bool {
    let integer = |inst: &&Inst| {
        let elsewhere = inst.op.is_send() || inst.op.is_systolic() || inst.op.is_branch();
        !elsewhere
            && !matches!(inst.op, Op::Math(_) | Op::Sync(_))
            && inst.dst.is_some_and(|dst| !dst.ty.is_float())
    };
    let inst = &code.insts[at];
    let Some(before) = code.insts[..at].iter().rev().find(integer) else {
        return false;
    };
    let ((kind, Some((reg, true))), (old, Some((was, flat)))) = (factor(inst), factor(before))
    else {
        return false;
    };
    let other = kind != 0 && kind == old && !flat || (old, kind) == (0, 2);
    integer(&inst) && reg.num == was.num && other
}

fn leaves_state(code: &Code, at: usize) -> bool {
    use RegFile::{
        ChannelEnable, Control, Debug, Ip, MessageControl, StackPointer, State, Timestamp,
    };
    let state = |place: Place| {
        matches!(place, Place::Direct(reg) if matches!(
            reg.file,
            ChannelEnable | Control | Debug | Ip | MessageControl | StackPointer | State | Timestamp
        ))
    };
    let inst = &code.insts[at];
    let sources = inst.srcs.iter().filter_map(|src| match src {
        Src::Reg(src) => Some(src.place),
        Src::Imm { .. } => None,
    });
    let accesses = inst
        .dst
        .map(|dst| dst.place)
        .into_iter()
        .chain(sources)
        .any(state);
    let waits = |next: &Inst| {
        let waits = matches!(next.swsb.dist, Some((Pipe::Own | Pipe::All, 1)));
        waits || matches!(next.op, Op::Sync(_))
    };
    accesses && !inst.op.is_branch() && code.insts.get(at + 1).is_some_and(|next| !waits(next))
}

/// True for a barrier of all threads of a group whose header has no bit that leaves threads out that ended.
fn signals_for_ended(code: &Code, at: usize) -> bool {
    const FIELD: u16 = 8;
    let inst = &code.insts[at];
    let Some(Src::Reg(src)) = inst.srcs.first() else {
        return false;
    };
    let Place::Direct(payload) = src.place else {
        return false;
    };
    if !signals(code, inst) {
        return false;
    }
    let field = Reg {
        byte: FIELD,
        ..payload
    };
    let recent = || before(code, at).take_while(|inst| !inst.op.is_branch());
    let made = recent().find(|inst| written(inst) == Some(field));
    // The field of a named barrier has its number and kind, with the numbers of its threads after them.
    let counts = |inst: &Inst| {
        let place = written(inst).filter(|reg| reg.num == field.num && reg.file == field.file);
        place.is_some_and(|reg| (FIELD + 2..FIELD + 4).contains(&reg.byte))
    };
    let is_named = recent().any(counts);
    let plain = made.is_some_and(|made| {
        made.op == Op::Mov && matches!(made.srcs[..], [Src::Imm { bits: 0, .. }])
    });
    plain && !is_named
}

/// True if an instruction overwrites what one of another pipeline before it reads, and nothing waits for that. A branch
/// finishes all pipelines.
fn overtakes(
    code: &Code,
    at: usize,
    reads: impl Fn(&Inst) -> bool,
    writes: impl Fn(&Inst) -> bool,
) -> bool {
    let Some(facts) = &code.facts else {
        return false;
    };
    let Some(own) = facts.pipe(at).filter(|_| writes(&code.insts[at])) else {
        return false;
    };
    let mut ages = [0u8; 8];
    for before in (0..at).rev() {
        let inst = &code.insts[before];
        if inst.op.is_branch() || writes(inst) {
            return false;
        }
        let Some(pipe) = facts.pipe(before) else {
            continue;
        };
        let age = &mut ages[pipe as usize];
        *age += 1;
        if *age > MAX_DISTANCE {
            return false;
        }
        if pipe != own && reads(inst) {
            // The age of the reading instruction, as each between it and the writing one sees it.
            let mut seen = 1;
            return !(before + 1..=at).any(|between| {
                let waits = facts.waits(between, pipe, seen);
                seen += u8::from(facts.pipe(between) == Some(pipe));
                waits
            });
        }
    }
    false
}

fn overwrites_accumulator(code: &Code, at: usize) -> bool {
    let Some(to) = written(&code.insts[at]).filter(|reg| reg.file == RegFile::Acc) else {
        return false;
    };
    let same = |place: Place| matches!(place, Place::Direct(reg) if (reg.file, reg.num) == (to.file, to.num));
    let reads = |inst: &Inst| {
        let mut sources = inst.srcs.iter();
        sources.any(|src| matches!(src, Src::Reg(src) if same(src.place)))
    };
    let writes = |inst: &Inst| inst.dst.is_some_and(|dst| same(dst.place));
    overtakes(code, at, reads, writes)
}

fn overwrites_predicate(code: &Code, at: usize) -> bool {
    let inst = &code.insts[at];
    let selects = matches!(inst.op, Op::Sel | Op::Csel);
    let cond = inst.cond.filter(|_| !selects).map(|cond| cond.flag);
    let Some(flag) = cond
        .or(written(inst))
        .filter(|reg| reg.file == RegFile::Flag)
    else {
        return false;
    };
    let reads = |inst: &Inst| inst.pred.is_some_and(|pred| pred.flag == flag);
    overtakes(code, at, reads, |inst| writes_flag(inst, flag.num))
}

/// True if an instruction waits for a token to be written.
fn waits_for(inst: &Inst, token: u8) -> bool {
    let named = match inst.srcs.first() {
        Some(Src::Imm { bits, .. }) => bits >> token & 1 != 0,
        _ => true,
    };
    let synced = matches!(inst.op, Op::Sync(SyncFn::AllWr)) && named;
    // A token is free before it is set again.
    let taken = matches!(inst.swsb.token, Some((TokenUse::Dst | TokenUse::Set, of)) if of == token);
    synced || taken
}

/// True if an instruction after a message, in its stretch of code, is `wrong` and nothing waits for the message.
fn overtaken(code: &Code, at: usize, wrong: impl Fn(&Inst) -> bool) -> bool {
    let Some((TokenUse::Set, token)) = code.insts[at].swsb.token else {
        return false;
    };
    for inst in &code.insts[at + 1..] {
        if waits_for(inst, token) || inst.op.is_branch() && inst.op != Op::Ret {
            return false;
        }
        if wrong(inst) {
            return true;
        }
    }
    false
}

fn fence_is_overtaken(code: &Code, at: usize) -> bool {
    let fence = request(code, &code.insts[at]);
    let answers = fence.is_some_and(|fence| fence.kind.is_fence() && fence.response > 0);
    answers && overtaken(code, at, |inst| inst.op.is_send() || inst.op == Op::Ret)
}

fn load_is_overtaken(code: &Code, at: usize) -> bool {
    let local = |inst: &Inst| {
        let request = request(code, inst)?;
        let fence = request.kind.is_fence();
        let answers = request.response > 0 && !fence;
        (request.function == Function::LocalMemory).then_some((!answers, answers))
    };
    let loads = local(&code.insts[at]).is_some_and(|(_, answers)| answers);
    loads
        && overtaken(code, at, |inst| {
            local(inst).is_some_and(|(stores, _)| stores)
        })
}

fn writes_address_early(code: &Code, at: usize) -> bool {
    let inst = &code.insts[at];
    let address = written(inst).is_some_and(|reg| reg.file == RegFile::Addr);
    address && !waits_for_floats(code, at)
}
