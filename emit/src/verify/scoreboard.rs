//! Whether the software scoreboard covers every dependency, on every path.
//!
//! Takes decoded code of Gen12 and later, where the hardware no longer looks for hazards itself, and
//! gives every pair of instructions of which the second reads or overwrites what the first may not have
//! finished with, and no annotation on the way waits for it.
//!
//! Each instruction that others may have to wait for is followed on all paths until something waits for
//! it. What finishes in order is left behind by so many instructions of its pipeline that it is done;
//! what finishes out of order holds its token until another one takes it. An instruction is visited again
//! only if the first is nearer now, so that each is visited a bounded number of times.
//!
//! Rules (PRM vol. 9, "Software Scoreboard", and what the reference finalizer keeps to):
//!
//! | first | second | must wait |
//! | --- | --- | --- |
//! | in order, writes | reads it | always |
//! | in order, writes | writes it | in another pipeline, or out of order |
//! | in order, reads | writes it | in another pipeline, or out of order |
//! | out of order, writes | reads or writes it | always |
//! | out of order, reads | writes it | unless the same function executes it; of messages, for the same channels |
//!
//! What is computed in order is done behind a branch. A function reads messages of the same channels in
//! order, so that who waits for one has waited for those before that read what it reads or writes. Two
//! instructions under the execution mask are seen on the ways that a channel takes, all others on those
//! of the instruction pointer: channels that are elsewhere have other bytes. On the latter an instruction
//! counts twice, as executed by some channel and by none: a join that some channel executes falls through,
//! one that none does may go on at its jump target.
//!
//! General registers are watched, byte by byte; all others the hardware watches itself. What an address
//! register finds is unknown, and a message whose length is in a register is taken to have one register. A call goes on
//! in what it calls, which is not followed behind its return: calls and returns wait for everything.

use std::collections::BTreeMap;

use kiln_target::rules::{LongPipe, rules};
use smallvec::SmallVec;

use crate::encoding::spec;
use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{Desc, Inst, Op, Pipe, Src, SyncFn, Target, TokenUse, Type};
use crate::platform::Platform;

/// Why an instruction has to wait for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hazard {
    /// It reads what the other one writes.
    ReadAfterWrite,
    /// It overwrites what the other one writes.
    WriteAfterWrite,
    /// It overwrites what the other one reads.
    WriteAfterRead,
}

impl Hazard {
    fn words(self) -> &'static str {
        match self {
            Hazard::ReadAfterWrite => "reads what it writes",
            Hazard::WriteAfterWrite => "overwrites what it writes",
            Hazard::WriteAfterRead => "overwrites what it reads",
        }
    }
}

/// An annotation that would make the second instruction wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// So many instructions back in the pipeline, at most.
    Distance(u8, Pipe),
    /// The token of the first instruction.
    Token(TokenUse, u8),
    /// The first instruction takes no token to wait for.
    NoToken,
}

/// Two instructions of which the second does not wait for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Numbers of instructions.
    pub first: usize,
    pub second: usize,
    pub hazard: Hazard,
    pub missing: Missing,
}

impl std::fmt::Display for Finding {
    /// Without the instructions.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.hazard.words())?;
        match self.missing {
            Missing::Distance(count, pipe) => {
                let name = match pipe {
                    Pipe::Own => "",
                    Pipe::All => "A",
                    Pipe::Float => "F",
                    Pipe::Int => "I",
                    Pipe::Long => "L",
                    Pipe::Math => "M",
                    Pipe::Scalar => "S",
                };
                write!(f, "; {{{name}@{count}}} is missing")
            }
            Missing::Token(TokenUse::Src, token) => write!(f, "; {{${token}.src}} is missing"),
            Missing::Token(_, token) => write!(f, "; {{${token}.dst}} is missing"),
            Missing::NoToken => f.write_str("; the first has no token to wait for"),
        }
    }
}

/// Code on whose ways too much is never waited for to follow all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many ways from instructions that nothing waits for: {STEPS} steps were taken")]
pub struct TooManyWays;

/// Steps of the search at most, for all instructions together. Code of compilers takes some hundred for
/// each instruction.
const STEPS: u64 = 1 << 26;

/// Every pair of instructions of which the second does not wait for the first as it must; none on
/// platforms that look for hazards themselves.
///
/// # Errors
/// There are too many ways to follow.
pub fn check_code(code: &[Inst], platform: &Platform) -> Result<Vec<Finding>, TooManyWays> {
    let Some(swsb) = spec(platform).swsb else {
        return Ok(Vec::new());
    };
    let machine = Machine {
        platform,
        one_pipe: !swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Int),
        math_pipe: swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Math),
        // Where there are doubles but no long integers, the math functions' unit has the doubles.
        math_doubles: platform.fp64 && !platform.int64,
        long: rules(platform.family).long_pipe,
        distance_max: (1 << swsb.dist_bits) - 1,
    };
    let steps = machine.steps(code);
    let flow = Flow::new(code);
    let mut findings = Vec::new();
    let mut left = STEPS;
    for first in 0..code.len() {
        let mut watch = |what| {
            for (flow, alone) in [(&flow.thread, false), (&flow.channel, true)] {
                let watch = Watch {
                    code,
                    steps: &steps,
                    flow,
                    alone,
                    machine: &machine,
                    first,
                    what,
                };
                watch.follow(&mut findings, &mut left);
            }
        };
        let step = &steps[first];
        match step.unit {
            Unit::None => {}
            Unit::InOrder(_) => watch(What::All),
            Unit::OutOfOrder(_) => {
                if !step.writes.is_empty() {
                    watch(What::Writing);
                }
                step.reads
                    .iter()
                    .for_each(|read| watch(What::Reading(read)));
            }
        }
    }
    if left == 0 {
        return Err(TooManyWays);
    }
    // Both what an instruction reads and what it writes may be waited for in vain.
    findings.sort_by_key(|finding| (finding.second, finding.first));
    findings.dedup_by_key(|finding| (finding.second, finding.first));
    Ok(findings)
}

/// Instructions of a pipeline after which the first of them has finished for certain.
const AGE_MAX: u8 = 11;
const AGE_MAX_LONG: u8 = 15;
const AGE_MAX_MATH: u8 = 18;

/// What of the platform the rules ask for.
struct Machine<'a> {
    platform: &'a Platform,
    one_pipe: bool,
    math_pipe: bool,
    math_doubles: bool,
    long: LongPipe,
    distance_max: u8,
}

/// What executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// It is done when it is issued, and counts in no pipeline.
    None,
    InOrder(Pipe),
    OutOfOrder(Function),
}

/// Which of the units that finish out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    /// A shared function; one whose descriptor is in a register is like no other.
    Message(u8, bool),
    Math,
    Systolic,
}

/// What the scoreboard sees of an instruction.
struct Step {
    unit: Unit,
    /// The pipelines that a distance without a name counts in: those of its operands' types.
    own: SmallVec<[Pipe; 4]>,
    /// Operand by operand.
    reads: SmallVec<[Bytes; 3]>,
    writes: Bytes,
    /// The token that it takes; of a chain of systolic operations, the last one's.
    token: Option<u8>,
    /// Of such a chain, the number of its last instruction.
    chain: Option<usize>,
}

impl Machine<'_> {
    fn steps(&self, code: &[Inst]) -> Vec<Step> {
        let mut steps: Vec<Step> = code.iter().map(|inst| self.step(inst)).collect();
        // Operations that are bound to the one behind them finish with it.
        for at in (0..code.len().saturating_sub(1)).rev() {
            let (inst, next) = (&code[at], &code[at + 1]);
            if inst.op.is_systolic() && inst.opts.atomic && next.op.is_systolic() {
                let last = steps[at + 1].chain.unwrap_or(at + 1);
                steps[at].token = steps[at].token.or(steps[last].token);
                steps[at].chain = Some(last);
                steps[last].chain = Some(last);
            }
        }
        steps
    }

    fn step(&self, inst: &Inst) -> Step {
        let Footprint { reads, writes } = footprint::of(inst, self.platform);
        Step {
            unit: self.unit(inst),
            own: types(inst).map(|ty| self.of_type(ty)).collect(),
            reads,
            writes,
            token: match inst.swsb.token {
                Some((TokenUse::Set, token)) => Some(token),
                // The bits are the same; what they mean goes by the unit.
                Some((TokenUse::Dst, token)) if self.doubled(inst) && inst.swsb.dist.is_some() => {
                    Some(token)
                }
                _ => None,
            },
            chain: None,
        }
    }

    fn unit(&self, inst: &Inst) -> Unit {
        match inst.op {
            Op::Sync(_) | Op::Nop | Op::Illegal | Op::Wait | Op::Halt => Unit::None,
            op if op.is_send() => {
                let message = inst.msg.as_ref();
                let known = message.is_some_and(|m| matches!(m.desc, Desc::Imm(_)));
                Unit::OutOfOrder(Function::Message(message.map_or(0, |m| m.sfid), known))
            }
            op if op.is_systolic() => Unit::OutOfOrder(Function::Systolic),
            Op::Math(_) if self.math_pipe => Unit::InOrder(Pipe::Math),
            Op::Math(_) => Unit::OutOfOrder(Function::Math),
            _ if self.doubled(inst) => Unit::OutOfOrder(Function::Math),
            _ => Unit::InOrder(self.pipe(inst)),
        }
    }

    /// Whether the math functions' unit computes it since it has doubles.
    fn doubled(&self, inst: &Inst) -> bool {
        self.math_doubles && types(inst).any(|ty| ty == Type::Df)
    }

    /// The pipeline of what is computed on a type.
    fn of_type(&self, ty: Type) -> Pipe {
        match ty {
            _ if self.one_pipe => Pipe::Own,
            ty if ty.bytes() == 8 && (self.long == LongPipe::Operands || ty == Type::Df) => {
                Pipe::Long
            }
            ty if ty.is_float() => Pipe::Float,
            _ => Pipe::Int,
        }
    }

    /// The pipeline that computes an instruction.
    fn pipe(&self, inst: &Inst) -> Pipe {
        let result = inst.dst.map(|dst| dst.ty);
        let long = match self.long {
            LongPipe::Operands => types(inst).any(|ty| ty.bytes() == 8),
            LongPipe::Doubles => result == Some(Type::Df),
        };
        match result {
            _ if self.one_pipe => Pipe::Own,
            _ if inst.op.is_branch() => Pipe::Int,
            _ if long => Pipe::Long,
            Some(ty) => self.of_type(ty),
            None => Pipe::Int,
        }
    }
}

fn types(inst: &Inst) -> impl Iterator<Item = Type> {
    let dst = inst.dst.map(|dst| dst.ty);
    dst.into_iter().chain(inst.srcs.iter().map(Src::ty))
}

/// An instruction, executed by some channel or by none: its number twice, plus one for none.
type Node = u32;

fn some(at: u32) -> Node {
    at * 2
}

fn none(at: u32) -> Node {
    at * 2 + 1
}

/// The nodes that may be next behind each one.
type Nexts = Vec<SmallVec<[Node; 4]>>;

/// Where execution goes on.
struct Flow {
    /// The instruction pointer.
    thread: Nexts,
    /// A channel, as if it were alone: it executes whatever it comes by.
    channel: Nexts,
}

/// The instructions with the numbers that branches go to.
struct Code<'a> {
    insts: &'a [Inst],
    jip: Vec<Option<u32>>,
    uip: Vec<Option<u32>>,
    /// Whether channels may wait at that instruction.
    waits: Vec<bool>,
}

impl Flow {
    fn new(insts: &[Inst]) -> Flow {
        let mut offsets = Vec::with_capacity(insts.len());
        let mut offset = 0i64;
        for inst in insts {
            offsets.push(offset);
            offset += i64::from(inst.size());
        }
        let target = |number: usize, target: Option<Target>| match target {
            Some(Target::Offset(by)) if insts[number].op != Op::Calla => {
                let to = offsets[number] + i64::from(by);
                offsets.binary_search(&to).ok().map(|to| to as u32)
            }
            _ => None,
        };
        let numbered = || insts.iter().enumerate();
        let mut code = Code {
            insts,
            jip: numbered().map(|(n, inst)| target(n, inst.jip)).collect(),
            uip: numbered().map(|(n, inst)| target(n, inst.uip)).collect(),
            waits: vec![false; insts.len() + 1],
        };
        for at in 0..insts.len() as u32 {
            for place in code.places(at) {
                code.waits[place as usize] = true;
            }
        }
        let mut flow = Flow {
            thread: Vec::with_capacity(insts.len() * 2),
            channel: Vec::with_capacity(insts.len() * 2),
        };
        for at in 0..insts.len() as u32 {
            for of in [code.of_thread(at), code.with_none(at)] {
                flow.thread.push(code.within(of));
            }
            flow.channel.push(code.within(code.of_channel(at)));
            flow.channel.push(SmallVec::new());
        }
        flow
    }
}

impl Code<'_> {
    fn inst(&self, at: u32) -> &Inst {
        &self.insts[at as usize]
    }

    fn within(&self, mut nodes: SmallVec<[Node; 4]>) -> SmallVec<[Node; 4]> {
        nodes.retain(|node| ((*node / 2) as usize) < self.insts.len());
        nodes
    }

    /// The instruction where channels go on that leave a loop by a branch whose update target is its end.
    fn behind(&self, end: u32) -> u32 {
        end + u32::from(self.inst(end).op == Op::While)
    }

    /// Where the channels wait that a branch sends away.
    fn places(&self, at: u32) -> SmallVec<[u32; 2]> {
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let inst = self.inst(at);
        let place = match inst.op {
            Op::If => jip,
            Op::Else => uip.or(jip),
            Op::Break => uip.map(|end| self.behind(end)),
            Op::While | Op::Brd => Some(at + 1),
            Op::Goto if inst.opts.branch_ctrl => jip,
            Op::Goto | Op::Cont | Op::Halt | Op::Brc => uip,
            _ => None,
        };
        place.into_iter().collect()
    }

    /// The nodes of an instruction where nobody is active, but for whom it finds waiting there.
    fn arrive(&self, at: u32) -> impl Iterator<Item = Node> {
        let woken = self.waits[at as usize].then(|| some(at));
        [none(at)].into_iter().chain(woken)
    }

    /// The node of an instruction that is executed only if somebody waits there.
    fn woken(&self, at: u32) -> Option<Node> {
        self.waits[at as usize].then(|| some(at))
    }

    /// Where the instruction pointer may be behind an instruction that some channel executes.
    fn of_thread(&self, at: u32) -> SmallVec<[Node; 4]> {
        let inst = self.inst(at);
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let next = some(at + 1);
        let mut nexts = SmallVec::new();
        match inst.op {
            _ if inst.msg.is_some_and(|message| message.eot) => {}
            Op::Calla | Op::Ret | Op::Illegal => {}
            Op::Call => nexts.extend(jip.map(some)),
            Op::Jmpi => {
                nexts.extend(jip.map(some));
                nexts.extend(inst.pred.map(|_| next));
            }
            Op::If | Op::While | Op::Brd => {
                nexts.push(next);
                nexts.extend(jip.map(some));
            }
            Op::Goto if inst.opts.branch_ctrl => {
                nexts.extend([jip, uip].into_iter().flatten().map(some))
            }
            Op::Else | Op::Break | Op::Cont | Op::Halt | Op::Goto | Op::Brc => {
                let stays = inst.pred.map(|_| next).filter(|_| inst.op != Op::Else);
                nexts.extend(stays.or(self.woken(at + 1)));
                // Who was sent there is there when nobody is left.
                match jip {
                    Some(jip) if self.places(at).contains(&jip) => nexts.push(some(jip)),
                    Some(jip) => nexts.extend(self.arrive(jip)),
                    None => {}
                }
            }
            _ => nexts.push(next),
        }
        nexts
    }

    /// The same behind one that none does.
    fn with_none(&self, at: u32) -> SmallVec<[Node; 4]> {
        let inst = self.inst(at);
        let jip = self.jip[at as usize];
        let mut nexts = SmallVec::new();
        match inst.op {
            _ if inst.msg.is_some_and(|message| message.eot) => {}
            Op::Calla | Op::Ret | Op::Illegal => {}
            Op::Jmpi | Op::Call => {
                nexts.extend(jip.map(none));
                nexts.push(none(at + 1));
            }
            op if op.is_branch() && op != Op::While => {
                nexts.extend(self.woken(at + 1));
                nexts.extend(jip.into_iter().flat_map(|jip| self.arrive(jip)));
            }
            _ => nexts.extend(self.arrive(at + 1)),
        }
        nexts
    }

    /// Where a channel may be behind an instruction.
    fn of_channel(&self, at: u32) -> SmallVec<[Node; 4]> {
        let inst = self.inst(at);
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let stays = inst.pred.map(|_| at + 1);
        let nexts = match inst.op {
            Op::Else => [uip.or(jip), None],
            Op::Break => [uip.map(|end| self.behind(end)), stays],
            Op::Goto if inst.opts.branch_ctrl => [uip, jip],
            Op::Cont | Op::Halt | Op::Goto => [uip, stays],
            _ => return self.of_thread(at),
        };
        nexts.into_iter().flatten().map(some).collect()
    }
}

/// What of an instruction is waited for.
#[derive(Clone, Copy)]
enum What<'a> {
    /// In order, one end is the end of all.
    All,
    /// Out of order, what it writes comes when it is done.
    Writing,
    /// What it reads has been read before that.
    Reading(&'a Bytes),
}

/// What lies between an instruction and one behind it, on the way that waits least.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Since {
    /// Instructions of its pipeline, itself included.
    age: u8,
    /// Tokens of messages that their function reads behind it.
    tokens: u32,
}

impl Since {
    /// What both have.
    fn nearer(self, other: Since) -> Since {
        Since {
            age: self.age.min(other.age),
            tokens: self.tokens & other.tokens,
        }
    }
}

/// The search for what does not wait for one instruction.
struct Watch<'a> {
    code: &'a [Inst],
    steps: &'a [Step],
    flow: &'a Nexts,
    /// The flow is that of a channel, and only what channels do for themselves counts.
    alone: bool,
    machine: &'a Machine<'a>,
    first: usize,
    what: What<'a>,
}

impl Watch<'_> {
    fn follow(&self, findings: &mut Vec<Finding>, left: &mut u64) {
        let step = &self.steps[self.first];
        let in_order = matches!(step.unit, Unit::InOrder(_));
        let limit = match step.unit {
            Unit::InOrder(Pipe::Long) => AGE_MAX_LONG,
            Unit::InOrder(Pipe::Math) => AGE_MAX_MATH,
            _ => AGE_MAX,
        };
        let mut nearest: BTreeMap<Node, Since> = BTreeMap::new();
        let mut open: Vec<Node> = Vec::new();
        let go = |open: &mut Vec<Node>,
                  nearest: &mut BTreeMap<Node, Since>,
                  from: Node,
                  since: Since| {
            // A branch takes longer than what was computed in order before it.
            if in_order && self.code[from as usize / 2].op.is_branch() {
                return;
            }
            for &next in &self.flow[from as usize] {
                let before = nearest.get(&next).copied();
                let nearer = before.map_or(since, |before| before.nearer(since));
                if before != Some(nearer) {
                    nearest.insert(next, nearer);
                    open.push(next);
                }
            }
        };
        go(
            &mut open,
            &mut nearest,
            some(self.first as u32),
            Since { age: 1, tokens: 0 },
        );
        while let Some(at) = open.pop() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return;
            }
            let second = at as usize / 2;
            let Some(&since) = nearest.get(&at) else {
                continue;
            };
            if self.waits(second, since) {
                continue;
            }
            if let Some(hazard) = self.hazard(second) {
                findings.push(Finding {
                    first: self.first,
                    second,
                    hazard,
                    missing: self.missing(hazard, since.age),
                });
                continue;
            }
            let behind = self.behind(second, since);
            if behind.age <= limit && !self.taken_over(second) {
                go(&mut open, &mut nearest, at, behind);
            }
        }
    }

    /// What lies between the first instruction and the one behind another.
    fn behind(&self, second: usize, since: Since) -> Since {
        let (first, step) = (&self.steps[self.first], &self.steps[second]);
        let counts = matches!(first.unit, Unit::InOrder(_)) && step.unit == first.unit;
        // A token that is taken again is no longer that of the one before.
        let token = step.token.map_or(0, |token| 1 << (token & 31));
        let follows = matches!(self.what, What::Reading(_)) && self.follows(second);
        Since {
            age: since.age + u8::from(counts),
            tokens: since.tokens & !token | if follows { token } else { 0 },
        }
    }

    /// Whether an instruction waits for the first, which is so many instructions back in its pipeline.
    fn waits(&self, second: usize, since: Since) -> bool {
        let first = &self.steps[self.first];
        let inst = &self.code[second];
        match first.unit {
            Unit::None => true,
            // The last of a chain takes the token of all.
            _ if self.bound(second) => false,
            Unit::InOrder(pipe) => inst.swsb.dist.is_some_and(|(named, count)| {
                let counts = match named {
                    Pipe::All => true,
                    Pipe::Own => self.steps[second].own.contains(&pipe),
                    other => other == pipe,
                };
                counts && count <= since.age
            }),
            Unit::OutOfOrder(_) => {
                let reading = matches!(self.what, What::Reading(_));
                let tokens = since.tokens | first.token.map_or(0, |token| 1 << (token & 31));
                let waited = match inst.swsb.token {
                    Some((TokenUse::Src, _)) if !reading => 0,
                    Some((_, named)) => 1 << (named & 31),
                    None => 0,
                };
                let synced = match inst.op {
                    Op::Sync(SyncFn::AllRd) if !reading => 0,
                    Op::Sync(SyncFn::AllRd | SyncFn::AllWr) => named(inst),
                    _ => 0,
                };
                (waited | synced) & tokens != 0
            }
        }
    }

    /// Whether an instruction is of the same chain of systolic operations.
    fn bound(&self, second: usize) -> bool {
        let chain = self.steps[self.first].chain;
        chain.is_some() && chain == self.steps[second].chain
    }

    /// What of an instruction would have to wait for the first.
    fn hazard(&self, second: usize) -> Option<Hazard> {
        let (first, step) = (&self.steps[self.first], &self.steps[second]);
        // Two instructions under the mask concern each other only in the channels of both.
        let masked = !self.code[self.first].no_mask && !self.code[second].no_mask;
        if self.bound(second) || masked != self.alone {
            return None;
        }
        let reads = |bytes: &Bytes| step.reads.iter().any(|read| bytes.meets(read));
        let read_before = |read: &Bytes| read.meets(&step.writes);
        match self.what {
            What::All | What::Writing if reads(&first.writes) => Some(Hazard::ReadAfterWrite),
            What::Writing if first.writes.meets(&step.writes) => Some(Hazard::WriteAfterWrite),
            What::Reading(read) if read_before(read) && !self.follows(second) => {
                Some(Hazard::WriteAfterRead)
            }
            What::All if step.unit == first.unit => None,
            What::All if first.writes.meets(&step.writes) => Some(Hazard::WriteAfterWrite),
            What::All if first.reads.iter().any(read_before) => Some(Hazard::WriteAfterRead),
            _ => None,
        }
    }

    /// Whether an instruction reads its operands behind the first, since the same function executes both;
    /// of messages, for the same channels.
    fn follows(&self, second: usize) -> bool {
        let (a, b) = (&self.code[self.first], &self.code[second]);
        let unit = self.steps[self.first].unit;
        let channels = |inst: &Inst| (inst.exec_size, inst.chan_off, inst.no_mask, inst.pred);
        let comparable = match unit {
            Unit::OutOfOrder(Function::Message(_, known)) => {
                (known || self.machine.one_pipe) && channels(a) == channels(b)
            }
            _ => true,
        };
        self.steps[second].unit == unit && comparable
    }

    /// Whether an instruction reads or overwrites the same behind the first: who waits for it has waited
    /// for both.
    fn taken_over(&self, second: usize) -> bool {
        match self.what {
            What::Reading(read) => {
                let covered = |other: &Bytes| other.cover(read);
                let step = &self.steps[second];
                self.follows(second) && (covered(&step.writes) || step.reads.iter().any(covered))
            }
            _ => false,
        }
    }

    fn missing(&self, hazard: Hazard, age: u8) -> Missing {
        let first = &self.steps[self.first];
        match (first.unit, first.token) {
            (Unit::InOrder(pipe), _) => Missing::Distance(age.min(self.machine.distance_max), pipe),
            (_, None) => Missing::NoToken,
            (_, Some(token)) if hazard == Hazard::WriteAfterRead => {
                Missing::Token(TokenUse::Src, token)
            }
            (_, Some(token)) => Missing::Token(TokenUse::Dst, token),
        }
    }
}

/// The tokens that a `sync` names: those of its mask, or all where it has none. What is in a flag is
/// unknown, and taken to be all.
fn named(inst: &Inst) -> u32 {
    match inst.srcs.first() {
        Some(Src::Imm { bits, .. }) => *bits as u32,
        _ => u32::MAX,
    }
}
