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
//! one that none does may go on at its jump target. Execution goes on with none only if some channel waits
//! further on: one that a branch on the way, or before the first instruction, has sent there.
//!
//! General registers are watched, byte by byte; all others the hardware watches itself. What an address
//! register finds is unknown, and a message whose length is in a register is taken to have one register. A call goes on
//! in what it calls, which is not followed behind its return: calls and returns wait for everything.

use std::collections::BTreeMap;

use kiln_target::rules::{LongPipe, rules};
use smallvec::SmallVec;

use crate::encoding::spec;
use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{Desc, Inst, Op, Pipe, Place, RegFile, Src, SyncFn, Target, TokenUse, Type};
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
    let Some(facts) = Facts::new(code, platform) else {
        return Ok(Vec::new());
    };
    let flow = Flow::new(code);
    let mut findings = Vec::new();
    let mut left = STEPS;
    for first in 0..code.len() {
        for what in facts.pending(first) {
            let watch = Watch {
                facts: &facts,
                first,
                what,
            };
            for alone in [false, true] {
                watch.follow(&flow, alone, &mut findings, &mut left);
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

/// What the scoreboard sees of code.
#[derive(Debug)]
pub struct Facts<'a> {
    code: &'a [Inst],
    steps: Vec<Step>,
    machine: Machine<'a>,
}

impl<'a> Facts<'a> {
    /// None on platforms that look for hazards themselves.
    pub fn new(code: &'a [Inst], platform: &'a Platform) -> Option<Facts<'a>> {
        let swsb = spec(platform).swsb?;
        let machine = Machine {
            platform,
            one_pipe: !swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Int),
            math_pipe: swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Math),
            // Where there are doubles but no long integers, the math functions' unit has the doubles.
            math_doubles: platform.fp64 && !platform.int64,
            long: rules(platform.family).long_pipe,
            distance_max: (1 << swsb.dist_bits) - 1,
        };
        Some(Facts {
            code,
            steps: machine.steps(code),
            machine,
        })
    }

    /// What of an instruction others may have to wait for.
    fn pending(&self, first: usize) -> SmallVec<[What; 4]> {
        let mut pending = SmallVec::new();
        let step = &self.steps[first];
        match step.unit {
            Unit::None => {}
            Unit::InOrder(_) => pending.push(What::All),
            Unit::OutOfOrder(_) => {
                if !step.writes.is_empty() {
                    pending.push(What::Writing);
                }
                pending.extend((0..step.reads.len()).map(What::Reading));
            }
        }
        pending
    }
}

/// The scoreboard while code is executed: what instructions that were executed may still be doing.
///
/// The same rules as for all ways, on the one that is taken.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pending: Vec<Pending>,
}

/// Something that is not known to be over.
#[derive(Clone, Copy, Debug)]
struct Pending {
    first: usize,
    what: What,
    since: Since,
    /// The channels that executed the instruction.
    channels: u32,
}

impl Board {
    /// An instruction is executed for those channels: what it does not wait for, if it must.
    pub fn execute(&mut self, facts: &Facts, second: usize, channels: u32) -> Option<Finding> {
        let mut found = None;
        let masked = !facts.code[second].no_mask;
        self.pending.retain_mut(|pending| {
            let first = pending.first;
            let watch = Watch {
                facts,
                first,
                what: pending.what,
            };
            if watch.waits(second, pending.since) {
                return false;
            }
            // Under the execution mask other channels have other bytes.
            let apart = masked && !facts.code[first].no_mask && pending.channels & channels == 0;
            if channels != 0
                && !apart
                && let Some(hazard) = watch.hazard(second)
            {
                found = found.or(Some(Finding {
                    first,
                    second,
                    hazard,
                    missing: watch.missing(hazard, pending.since.age),
                }));
            }
            pending.since = watch.behind(second, pending.since);
            // The instruction itself takes the place of what is left of it from before.
            first != second
                && pending.since.age < watch.finished_at()
                && !watch.outlived(second)
                && !watch.taken_over(second)
        });
        for what in facts.pending(second) {
            let watch = Watch {
                facts,
                first: second,
                what,
            };
            if channels != 0 && !watch.outlived(second) {
                self.pending.push(Pending {
                    first: second,
                    what,
                    since: Since::START,
                    channels,
                });
            }
        }
        found
    }
}

/// Distances at which an instruction of a pipeline has finished: the next one is at distance 1.
const FINISHED_DISTANCE: u8 = 11;
const FINISHED_DISTANCE_LONG: u8 = 15;
const FINISHED_DISTANCE_MATH: u8 = 18;

/// What of the platform the rules ask for.
#[derive(Debug)]
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
#[derive(Debug)]
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
        let scalar = inst.dst.is_some_and(|dst| match dst.place {
            Place::Direct(reg) => reg.file == RegFile::Scalar,
            Place::Indirect { .. } => false,
        });
        match result {
            _ if self.one_pipe => Pipe::Own,
            _ if scalar => Pipe::Scalar,
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

/// A way to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edge {
    node: Node,
    /// Nobody comes this way who did not wait there.
    woken: bool,
}

impl Edge {
    fn to(node: Node) -> Edge {
        Edge { node, woken: false }
    }

    /// Whether somebody executes at its end who comes this way.
    fn is_free(self) -> bool {
        !self.woken && self.node.is_multiple_of(2)
    }
}

type Edges = SmallVec<[Edge; 4]>;

/// The ways behind each node.
type Nexts = Vec<Edges>;

/// Where execution goes on.
struct Flow {
    /// The instruction pointer.
    thread: Nexts,
    /// A channel, as if it were alone: it executes whatever it comes by.
    channel: Nexts,
    /// Where the channels wait that each instruction sends away.
    places: Vec<Option<u32>>,
    /// Instructions among which execution may go back, from the first to the last.
    loops: Vec<(u32, u32)>,
    /// Code goes on where it was called from, which is not followed: channels may wait anywhere.
    calls: bool,
}

/// Where channels may wait while an instruction is not over.
struct Waiting {
    places: SmallVec<[u32; 8]>,
}

impl Waiting {
    /// Those that may have been sent away before an instruction, and not have been woken.
    fn before(first: usize, flow: &Flow) -> Waiting {
        let first = first as u32;
        let sent = (0..).zip(&flow.places).filter_map(|(branch, place)| {
            let place = (*place)?;
            let before = branch < first || flow.in_loop(branch, first);
            (before && flow.is_ahead(place, first)).then_some(place)
        });
        let mut waiting = Waiting {
            places: sent.collect(),
        };
        waiting.places.sort_unstable();
        waiting.places.dedup();
        waiting
    }

    /// Channels are sent to a place; whether none was before.
    fn add(&mut self, place: Option<u32>) -> bool {
        match place.map(|place| (place, self.places.binary_search(&place))) {
            Some((place, Err(at))) => {
                self.places.insert(at, place);
                true
            }
            _ => false,
        }
    }

    /// Whether execution may go that way: if nobody executes at its end, somebody must wait further on.
    fn allows(&self, edge: Edge, flow: &Flow) -> bool {
        let at = edge.node / 2;
        flow.calls
            || match (edge.woken, edge.node % 2) {
                (true, _) => self.places.binary_search(&at).is_ok(),
                (false, 0) => true,
                (false, _) => self.places.iter().any(|&place| flow.is_ahead(place, at)),
            }
    }
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
            if let Some(place) = code.place(at) {
                code.waits[place as usize] = true;
            }
        }
        let all = 0..insts.len() as u32;
        let mut flow = Flow {
            thread: Vec::with_capacity(insts.len() * 2),
            channel: Vec::with_capacity(insts.len() * 2),
            places: all.clone().map(|at| code.place(at)).collect(),
            loops: code.loops(),
            calls: (insts.iter()).any(|inst| matches!(inst.op, Op::Call | Op::Calla | Op::Ret)),
        };
        for at in all {
            for of in [code.of_thread(at), code.with_none(at)] {
                flow.thread.push(code.within(of));
            }
            flow.channel.push(code.within(code.of_channel(at)));
            flow.channel.push(SmallVec::new());
        }
        flow
    }

    /// Whether execution may come from either of two instructions to the other.
    fn in_loop(&self, one: u32, other: u32) -> bool {
        let (low, high) = (one.min(other), one.max(other));
        let behind = self.loops.partition_point(|(first, _)| *first <= low);
        behind > 0 && self.loops[behind - 1].1 >= high
    }

    /// Whether execution may come from an instruction to a place.
    fn is_ahead(&self, place: u32, from: u32) -> bool {
        place >= from || self.in_loop(place, from)
    }
}

impl Code<'_> {
    fn inst(&self, at: u32) -> &Inst {
        &self.insts[at as usize]
    }

    fn within(&self, mut edges: Edges) -> Edges {
        edges.retain(|edge| ((edge.node / 2) as usize) < self.insts.len());
        edges
    }

    /// Spans of code that a branch goes back over, those that overlap as one.
    fn loops(&self) -> Vec<(u32, u32)> {
        let mut spans: Vec<(u32, u32)> = (0..)
            .zip(self.jip.iter().zip(&self.uip))
            .flat_map(|(at, (jip, uip))| {
                let targets = [*jip, *uip].into_iter().flatten();
                targets.filter(move |to| *to <= at).map(move |to| (to, at))
            })
            .collect();
        spans.sort_unstable();
        let mut loops: Vec<(u32, u32)> = Vec::new();
        for (first, last) in spans {
            match loops.last_mut() {
                Some((_, end)) if first <= *end => *end = last.max(*end),
                _ => loops.push((first, last)),
            }
        }
        loops
    }

    /// The instruction where channels go on that leave a loop by a branch whose update target is its end.
    fn behind(&self, end: u32) -> u32 {
        end + u32::from(self.inst(end).op == Op::While)
    }

    /// Where the channels wait that a branch sends away.
    fn place(&self, at: u32) -> Option<u32> {
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let inst = self.inst(at);
        match inst.op {
            Op::If => jip,
            Op::Else => uip.or(jip),
            Op::Break => uip.map(|end| self.behind(end)),
            Op::While | Op::Brd => Some(at + 1),
            Op::Goto if inst.opts.branch_ctrl => jip,
            Op::Goto | Op::Cont | Op::Halt | Op::Brc => uip,
            _ => None,
        }
    }

    /// The ways to an instruction where nobody is active, but for whom it finds waiting there.
    fn arrive(&self, at: u32) -> impl Iterator<Item = Edge> {
        [Edge::to(none(at))].into_iter().chain(self.woken(at))
    }

    /// The way to an instruction that is executed only if somebody waits there.
    fn woken(&self, at: u32) -> Option<Edge> {
        self.waits[at as usize].then(|| Edge {
            node: some(at),
            woken: true,
        })
    }

    /// Where the instruction pointer may be behind an instruction that some channel executes.
    fn of_thread(&self, at: u32) -> Edges {
        let inst = self.inst(at);
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let to = |at| Edge::to(some(at));
        let next = to(at + 1);
        let mut nexts = Edges::new();
        match inst.op {
            _ if inst.msg.is_some_and(|message| message.eot) => {}
            Op::Calla | Op::Ret | Op::Illegal => {}
            Op::Call => nexts.extend(jip.map(to)),
            Op::Jmpi => {
                nexts.extend(jip.map(to));
                nexts.extend(inst.pred.map(|_| next));
            }
            Op::If | Op::While | Op::Brd => {
                nexts.push(next);
                nexts.extend(jip.map(to));
            }
            Op::Goto if inst.opts.branch_ctrl => {
                nexts.extend([jip, uip].into_iter().flatten().map(to))
            }
            Op::Else | Op::Break | Op::Cont | Op::Halt | Op::Goto | Op::Brc => {
                let stays = inst.pred.map(|_| next).filter(|_| inst.op != Op::Else);
                nexts.extend(stays.or(self.woken(at + 1)));
                // Who was sent there is there when nobody is left.
                match jip {
                    Some(jip) if self.place(at) == Some(jip) => nexts.push(to(jip)),
                    Some(jip) => nexts.extend(self.arrive(jip)),
                    None => {}
                }
            }
            _ => nexts.push(next),
        }
        nexts
    }

    /// The same behind one that none does.
    fn with_none(&self, at: u32) -> Edges {
        let inst = self.inst(at);
        let jip = self.jip[at as usize];
        let mut nexts = Edges::new();
        match inst.op {
            _ if inst.msg.is_some_and(|message| message.eot) => {}
            Op::Calla | Op::Ret | Op::Illegal => {}
            Op::Jmpi | Op::Call => {
                nexts.extend(jip.map(|jip| Edge::to(none(jip))));
                nexts.push(Edge::to(none(at + 1)));
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
    fn of_channel(&self, at: u32) -> Edges {
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
        let to = |at| Edge::to(some(at));
        nexts.into_iter().flatten().map(to).collect()
    }
}

/// What of an instruction is waited for.
#[derive(Clone, Copy, Debug)]
enum What {
    /// In order, one end is the end of all.
    All,
    /// Out of order, what it writes comes when it is done.
    Writing,
    /// An operand has been read before that.
    Reading(usize),
}

/// What lies between an instruction and one behind it, on the way that waits least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Since {
    /// Instructions of its pipeline, itself included.
    age: u8,
    /// Tokens of messages that their function reads behind it.
    tokens: u32,
}

impl Since {
    /// Right behind it.
    const START: Since = Since { age: 1, tokens: 0 };

    /// What both have.
    fn nearer(self, other: Since) -> Since {
        Since {
            age: self.age.min(other.age),
            tokens: self.tokens & other.tokens,
        }
    }
}

/// The nodes that a search has come to.
struct Reached {
    nearest: BTreeMap<Node, Since>,
    /// Those to go on from.
    open: Vec<Node>,
}

impl Reached {
    fn go(&mut self, node: Node, since: Since) {
        let before = self.nearest.get(&node).copied();
        let nearer = before.map_or(since, |before| before.nearer(since));
        if before != Some(nearer) {
            self.nearest.insert(node, nearer);
            self.open.push(node);
        }
    }
}

/// What may have to wait for one instruction.
struct Watch<'a> {
    facts: &'a Facts<'a>,
    first: usize,
    what: What,
}

impl Watch<'_> {
    /// Follows it on the ways of the instruction pointer, or on those of a channel, where only what
    /// channels do for themselves counts.
    fn follow(&self, flow: &Flow, alone: bool, findings: &mut Vec<Finding>, left: &mut u64) {
        let nexts = if alone { &flow.channel } else { &flow.thread };
        let mut reached = Reached {
            nearest: BTreeMap::new(),
            open: vec![some(self.first as u32)],
        };
        // Ways on which channels would have to wait where none is known to.
        let mut shut: Vec<(Edge, Since)> = Vec::new();
        let mut waiting: Option<Waiting> = None;
        while let Some(at) = reached.open.pop() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return;
            }
            let second = at as usize / 2;
            let before = reached.nearest.get(&at).copied();
            let behind = match before {
                // Where it starts.
                None => Since::START,
                Some(since) => {
                    if self.waits(second, since) {
                        continue;
                    }
                    // Two instructions under the mask concern each other only in the channels of both.
                    let code = self.facts.code;
                    let masked = !code[self.first].no_mask && !code[second].no_mask;
                    if masked == alone
                        && let Some(hazard) = self.hazard(second)
                    {
                        findings.push(Finding {
                            first: self.first,
                            second,
                            hazard,
                            missing: self.missing(hazard, since.age),
                        });
                        continue;
                    }
                    self.behind(second, since)
                }
            };
            let over = behind.age >= self.finished_at() || self.taken_over(second);
            if before.is_some() && over || self.outlived(second) {
                continue;
            }
            if at == some(second as u32)
                && let Some(waiting) = &mut waiting
                && waiting.add(flow.places[second])
            {
                let opened = |(edge, _): &(Edge, Since)| waiting.allows(*edge, flow);
                let (opened, still): (Vec<_>, Vec<_>) = shut.into_iter().partition(opened);
                shut = still;
                for (edge, since) in opened {
                    reached.go(edge.node, since);
                }
            }
            for &edge in &nexts[at as usize] {
                let free = alone || edge.is_free();
                let known = || {
                    let executed = reached.nearest.keys().filter(|node| node.is_multiple_of(2));
                    let executed = executed.map(|node| *node as usize / 2);
                    let mut waiting = Waiting::before(self.first, flow);
                    for at in executed.chain([self.first]) {
                        waiting.add(flow.places[at]);
                    }
                    waiting
                };
                if free || waiting.get_or_insert_with(known).allows(edge, flow) {
                    reached.go(edge.node, behind);
                } else {
                    shut.push((edge, behind));
                }
            }
        }
    }

    /// Distance at which the first instruction has finished.
    fn finished_at(&self) -> u8 {
        match self.facts.steps[self.first].unit {
            Unit::InOrder(Pipe::Long) => FINISHED_DISTANCE_LONG,
            Unit::InOrder(Pipe::Math) => FINISHED_DISTANCE_MATH,
            _ => FINISHED_DISTANCE,
        }
    }

    /// Whether it is over behind an instruction: a branch takes longer than what was computed in order
    /// before it.
    fn outlived(&self, second: usize) -> bool {
        let in_order = matches!(self.facts.steps[self.first].unit, Unit::InOrder(_));
        in_order && self.facts.code[second].op.is_branch()
    }

    /// What lies between the first instruction and the one behind another.
    fn behind(&self, second: usize, since: Since) -> Since {
        let (first, step) = (&self.facts.steps[self.first], &self.facts.steps[second]);
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
        let first = &self.facts.steps[self.first];
        let inst = &self.facts.code[second];
        match first.unit {
            Unit::None => true,
            // The last of a chain takes the token of all.
            _ if self.bound(second) => false,
            Unit::InOrder(pipe) => inst.swsb.dist.is_some_and(|(named, count)| {
                let counts = match named {
                    Pipe::All => true,
                    Pipe::Own => self.facts.steps[second].own.contains(&pipe),
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
        let chain = self.facts.steps[self.first].chain;
        chain.is_some() && chain == self.facts.steps[second].chain
    }

    /// What of an instruction would have to wait for the first.
    fn hazard(&self, second: usize) -> Option<Hazard> {
        let (first, step) = (&self.facts.steps[self.first], &self.facts.steps[second]);
        if self.bound(second) {
            return None;
        }
        let reads = |bytes: &Bytes| step.reads.iter().any(|read| bytes.meets(read));
        let read_before = |read: &Bytes| read.meets(&step.writes);
        match self.what {
            What::All | What::Writing if reads(&first.writes) => Some(Hazard::ReadAfterWrite),
            What::Writing if first.writes.meets(&step.writes) => Some(Hazard::WriteAfterWrite),
            What::Reading(n) if read_before(&first.reads[n]) && !self.follows(second) => {
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
        let (a, b) = (&self.facts.code[self.first], &self.facts.code[second]);
        let unit = self.facts.steps[self.first].unit;
        let channels = |inst: &Inst| (inst.exec_size, inst.chan_off, inst.no_mask, inst.pred);
        let comparable = match unit {
            Unit::OutOfOrder(Function::Message(_, known)) => {
                (known || self.facts.machine.one_pipe) && channels(a) == channels(b)
            }
            _ => true,
        };
        self.facts.steps[second].unit == unit && comparable
    }

    /// Whether an instruction reads or overwrites the same behind the first: who waits for it has waited
    /// for both.
    fn taken_over(&self, second: usize) -> bool {
        match self.what {
            What::Reading(n) => {
                let read = &self.facts.steps[self.first].reads[n];
                let covered = |other: &Bytes| other.cover(read);
                let step = &self.facts.steps[second];
                self.follows(second) && (covered(&step.writes) || step.reads.iter().any(covered))
            }
            _ => false,
        }
    }

    fn missing(&self, hazard: Hazard, age: u8) -> Missing {
        let first = &self.facts.steps[self.first];
        match (first.unit, first.token) {
            (Unit::InOrder(pipe), _) => {
                Missing::Distance(age.min(self.facts.machine.distance_max), pipe)
            }
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
