//! Checks that software scoreboard annotations cover every dependency, on every path.
//!
//! Takes decoded code of Gen12 and later, where the hardware no longer detects hazards itself. Finds every pair of
//! instructions of which the second reads or overwrites registers that the first may not have finished with, if no
//! annotation between them waits for it.
//!
//! Each instruction with a possible dependent is followed on all paths until something waits for it. An in-order
//! instruction has finished after a number of instructions of its pipeline; an out-of-order one keeps its token until
//! another instruction takes it. The search visits an instruction again only if the first one is nearer now, so that
//! the number of visits is bounded.
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
//! An in-order result is finished after a branch. A function reads messages of the same channels in order, so that a
//! wait for one covers earlier ones that read the same registers. Two instructions under the execution mask are
//! checked on the paths of a channel, all others on those of the instruction pointer, because other channels have
//! other bytes. On the latter an instruction is two nodes, as executed by some channel and by none: a join that some
//! channel executes falls through, one that none does may jump to its target. Execution continues with no channel
//! only if channels wait further on, sent there by a branch on the path or before the first instruction.
//!
//! General registers are tracked byte by byte; the hardware tracks all others itself. Indirect operands are unknown,
//! and a message whose length is in a register is assumed to have one register. A path follows a call into the callee
//! but not through the return, because calls and returns wait for everything.

use std::collections::BTreeMap;

use kiln_platform::errata::Erratum;
use kiln_platform::rules::{LongPipe, rules};
use smallvec::SmallVec;

use crate::encoding::spec;
use crate::encoding::swsb::MAX_DISTANCE;
use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{Desc, Inst, Op, Pipe, Place, RegFile, Src, SyncFn, Target, TokenUse, Type};
use crate::platform::Platform;

/// The hazard between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hazard {
    /// The second reads registers that the first writes.
    ReadAfterWrite,
    /// The second overwrites registers that the first writes.
    WriteAfterWrite,
    /// The second overwrites registers that the first reads.
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
    /// Maximum distance in a pipeline.
    Distance(u8, Pipe),
    /// The token of the first instruction.
    Token(TokenUse, u8),
    /// The first instruction takes no token to wait for.
    NoToken,
}

/// Two instructions of which the second does not wait for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Index of the first instruction.
    pub first: usize,
    pub second: usize,
    pub hazard: Hazard,
    pub missing: Missing,
}

impl std::fmt::Display for Finding {
    /// Does not print the instructions.
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

/// The error for code with too many unfinished paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many paths from instructions that nothing waits for: {MAX_STEPS} steps were taken")]
pub struct TooManyPaths;

/// Maximum number of search steps for all instructions together. Compiled code takes some hundred per instruction.
const MAX_STEPS: u64 = 1 << 26;

/// Every pair of instructions of which the second does not wait for the first as it must. Empty on platforms that
/// detect hazards in hardware.
///
/// # Errors
/// There are too many paths to follow.
pub fn check_code(code: &[Inst], platform: &Platform) -> Result<Vec<Finding>, TooManyPaths> {
    let Some(facts) = Facts::new(code, platform) else {
        return Ok(Vec::new());
    };
    let flow = Flow::new(code);
    let mut findings = Vec::new();
    let mut left = MAX_STEPS;
    for first in 0..code.len() {
        for access in facts.pending(first) {
            let watch = Watch {
                facts: &facts,
                first,
                access,
            };
            for alone in [false, true] {
                watch.follow(&flow, alone, &mut findings, &mut left);
            }
        }
    }
    if left == 0 {
        return Err(TooManyPaths);
    }
    // Reads and writes of one instruction may both give a finding.
    findings.sort_by_key(|finding| (finding.second, finding.first));
    findings.dedup_by_key(|finding| (finding.second, finding.first));
    Ok(findings)
}

/// The scoreboard's view of code.
#[derive(Debug)]
pub struct Facts<'a> {
    code: &'a [Inst],
    steps: Vec<Step>,
    machine: Machine<'a>,
}

impl<'a> Facts<'a> {
    /// None on platforms that detect hazards in hardware.
    pub fn new(code: &'a [Inst], platform: &'a Platform) -> Option<Facts<'a>> {
        let swsb = spec(platform).swsb?;
        let machine = Machine {
            platform,
            one_pipe: !swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Int),
            math_pipe: swsb.dists.iter().any(|(pipe, _)| *pipe == Pipe::Math),
            // Platforms with doubles but without 64-bit integers compute doubles in the math unit.
            math_doubles: platform.fp64 && !platform.int64,
            long: rules(platform.family).long_pipe,
        };
        Some(Facts {
            code,
            steps: machine.steps(code),
            machine,
        })
    }

    /// The pipeline of an instruction that finishes in order.
    pub(super) fn pipe(&self, at: usize) -> Option<Pipe> {
        match self.steps[at].unit {
            Unit::InOrder(pipe) => Some(pipe),
            _ => None,
        }
    }

    /// True if an instruction waits for all but the last instructions of a pipeline, of which there are one less than
    /// `age`.
    pub(super) fn waits(&self, at: usize, pipe: Pipe, age: u8) -> bool {
        self.code[at].swsb.dist.is_some_and(|(named, count)| {
            let counts = match named {
                Pipe::All => true,
                Pipe::Own => self.steps[at].own.contains(&pipe),
                other => other == pipe,
            };
            counts && count <= age
        })
    }

    /// The accesses of an instruction that others may have to wait for.
    fn pending(&self, first: usize) -> SmallVec<[Access; 4]> {
        let mut pending = SmallVec::new();
        let step = &self.steps[first];
        match step.unit {
            Unit::None => {}
            Unit::InOrder(_) => pending.push(Access::All),
            Unit::OutOfOrder(_) => {
                if !step.writes.is_empty() {
                    pending.push(Access::Writing);
                }
                pending.extend((0..step.reads.len()).map(Access::Reading));
            }
        }
        pending
    }
}

/// The scoreboard during execution: pending accesses of executed instructions.
///
/// Applies the rules to the one path that is taken.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pending: Vec<Pending>,
}

/// An access that is not known to be finished.
#[derive(Clone, Copy, Debug)]
struct Pending {
    first: usize,
    access: Access,
    since: PathFacts,
    /// Channels that executed the instruction.
    channels: u32,
}

impl Board {
    /// Records an instruction executed for some channels. Returns the dependency that it does not wait for, if any.
    pub fn execute(&mut self, facts: &Facts, second: usize, channels: u32) -> Option<Finding> {
        let mut found = None;
        let masked = !facts.code[second].no_mask;
        self.pending.retain_mut(|pending| {
            let first = pending.first;
            let watch = Watch {
                facts,
                first,
                access: pending.access,
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
            pending.since = watch.after(second, pending.since);
            // An instruction executed again replaces its earlier accesses.
            first != second
                && pending.since.age < watch.finished_at()
                && !watch.finished_by(second)
                && !watch.covered_by(second)
        });
        for access in facts.pending(second) {
            let watch = Watch {
                facts,
                first: second,
                access,
            };
            if channels != 0 && !watch.finished_by(second) {
                self.pending.push(Pending {
                    first: second,
                    access,
                    since: PathFacts::START,
                    channels,
                });
            }
        }
        found
    }
}

/// Distances at which an instruction of a pipeline has finished. The next instruction is at distance 1.
const FINISHED_DISTANCE: u8 = 11;
const FINISHED_DISTANCE_LONG: u8 = 15;
const FINISHED_DISTANCE_MATH: u8 = 18;

/// Facts of the platform that the rules need.
#[derive(Debug)]
struct Machine<'a> {
    platform: &'a Platform,
    one_pipe: bool,
    math_pipe: bool,
    math_doubles: bool,
    long: LongPipe,
}

/// The unit that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Finished when issued; counts in no pipeline.
    None,
    InOrder(Pipe),
    OutOfOrder(Function),
}

/// A unit that finishes out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    /// A shared function, and true if the descriptor is a constant. One with its descriptor in a register is in no
    /// order with others.
    Message(u8, bool),
    Math,
    Systolic,
}

/// The scoreboard's view of an instruction.
#[derive(Debug)]
struct Step {
    unit: Unit,
    /// Pipelines that a distance without a name counts in: those of the operands' types.
    own: SmallVec<[Pipe; 4]>,
    /// Bytes read, by operand.
    reads: SmallVec<[Bytes; 3]>,
    writes: Bytes,
    /// Token that it takes. In a chain of systolic operations, that of the last one.
    token: Option<u8>,
    /// Index of the last instruction of such a chain.
    chain: Option<usize>,
}

impl Machine<'_> {
    fn steps(&self, code: &[Inst]) -> Vec<Step> {
        let mut steps: Vec<Step> = code.iter().map(|inst| self.step(inst)).collect();
        // An operation bound to the next one finishes with it.
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
        let Footprint { mut reads, writes } = footprint::of(inst, self.platform);
        if inst.op.is_systolic() && self.platform.needs(Erratum::SystolicSource8) {
            reads.extend(footprint::columns(inst, self.platform));
        }
        Step {
            unit: self.unit(inst),
            own: types(inst).map(|ty| self.of_type(ty)).collect(),
            reads,
            writes,
            token: match inst.swsb.token {
                Some((TokenUse::Set, token)) => Some(token),
                // The bits are the same; their meaning depends on the unit.
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

    /// True if the math unit computes it because it has doubles.
    fn doubled(&self, inst: &Inst) -> bool {
        self.math_doubles && types(inst).any(|ty| ty == Type::Df)
    }

    /// The pipeline of a type.
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

    /// The pipeline of an instruction.
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

/// An instruction as executed by some channel or by none: twice its index, plus one for none.
type Node = u32;

fn some(at: u32) -> Node {
    at * 2
}

fn none(at: u32) -> Node {
    at * 2 + 1
}

/// An edge to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edge {
    node: Node,
    /// True if only channels that waited there take the edge.
    woken: bool,
}

impl Edge {
    fn to(node: Node) -> Edge {
        Edge { node, woken: false }
    }

    /// True if the edge needs no channel waiting at its end.
    fn is_free(self) -> bool {
        !self.woken && self.node.is_multiple_of(2)
    }
}

type Edges = SmallVec<[Edge; 4]>;

/// Successors of each node.
type Nexts = Vec<Edges>;

/// Control-flow edges.
struct Flow {
    /// Edges of the instruction pointer.
    thread: Nexts,
    /// Edges of a single channel, which executes every instruction it comes to.
    channel: Nexts,
    /// Place where the channels wait that each instruction sends away.
    places: Vec<Option<u32>>,
    /// Instructions that a loop may repeat, from the first to the last.
    loops: Vec<(u32, u32)>,
    /// True if the code has calls. They are not followed to their return, so that channels may wait anywhere.
    calls: bool,
}

/// Places where channels may wait while an instruction is not finished.
struct Waiting {
    places: SmallVec<[u32; 8]>,
}

impl Waiting {
    /// Channels that may have been sent away before an instruction and not been woken.
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

    /// Records that channels are sent to a place; true if none was sent there before.
    fn add(&mut self, place: Option<u32>) -> bool {
        match place.map(|place| (place, self.places.binary_search(&place))) {
            Some((place, Err(at))) => {
                self.places.insert(at, place);
                true
            }
            _ => false,
        }
    }

    /// True if execution may take an edge: if no channel executes at its end, some must wait further on.
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

/// The instructions with the indices of branch targets.
struct Code<'a> {
    insts: &'a [Inst],
    jip: Vec<Option<u32>>,
    uip: Vec<Option<u32>>,
    /// True for instructions at which channels may wait.
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

    /// True if each of two instructions can be reached from the other.
    fn in_loop(&self, one: u32, other: u32) -> bool {
        let (low, high) = (one.min(other), one.max(other));
        let behind = self.loops.partition_point(|(first, _)| *first <= low);
        behind > 0 && self.loops[behind - 1].1 >= high
    }

    /// True if a place can be reached from an instruction.
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

    /// Spans of code that a branch goes back over; overlapping ones are joined.
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

    /// The instruction where channels continue that leave a loop by a branch whose update target is the loop's end.
    fn behind(&self, end: u32) -> u32 {
        end + u32::from(self.inst(end).op == Op::While)
    }

    /// The place where the channels wait that a branch sends away.
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

    /// Edges to an instruction that is reached with no channel active but for those that it finds waiting there.
    fn arrive(&self, at: u32) -> impl Iterator<Item = Edge> {
        [Edge::to(none(at))].into_iter().chain(self.woken(at))
    }

    /// The edge to an instruction that is executed only if channels wait there.
    fn woken(&self, at: u32) -> Option<Edge> {
        self.waits[at as usize].then(|| Edge {
            node: some(at),
            woken: true,
        })
    }

    /// Successors of an instruction that some channel executes.
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
                // Channels that were sent there are there when no other is left.
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

    /// Successors of an instruction that no channel executes.
    fn with_none(&self, at: u32) -> Edges {
        let inst = self.inst(at);
        let jip = self.jip[at as usize];
        let mut nexts = Edges::new();
        match inst.op {
            _ if inst.msg.is_some_and(|message| message.eot) => {}
            Op::Calla | Op::Ret | Op::Illegal => {}
            Op::Jmpi | Op::Call => {
                nexts.extend(jip.map(|jip| Edge::to(none(jip))));
                if inst.op == Op::Call || inst.pred.is_some() {
                    nexts.push(Edge::to(none(at + 1)));
                }
            }
            op if op.is_branch() && op != Op::While => {
                nexts.extend(self.woken(at + 1));
                nexts.extend(jip.into_iter().flat_map(|jip| self.arrive(jip)));
            }
            _ => nexts.extend(self.arrive(at + 1)),
        }
        nexts
    }

    /// Successors of an instruction for a single channel.
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

/// The access of an instruction that a dependent waits for.
#[derive(Clone, Copy, Debug)]
enum Access {
    /// All accesses of an in-order instruction, which finish together.
    All,
    /// Writes of an out-of-order instruction, which finish last.
    Writing,
    /// The read of an operand by an out-of-order instruction.
    Reading(usize),
}

/// Facts about the path between an instruction and a later one; the minimum over all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathFacts {
    /// Distance in its pipeline.
    age: u8,
    /// Tokens of messages that the same function reads after it.
    tokens: u32,
}

impl PathFacts {
    /// Directly after the instruction.
    const START: PathFacts = PathFacts { age: 1, tokens: 0 };

    /// The minimum of two paths.
    fn nearer(self, other: PathFacts) -> PathFacts {
        PathFacts {
            age: self.age.min(other.age),
            tokens: self.tokens & other.tokens,
        }
    }
}

/// Nodes that the search has reached.
struct Reached {
    nearest: BTreeMap<Node, PathFacts>,
    /// Nodes left to visit.
    open: Vec<Node>,
}

impl Reached {
    fn go(&mut self, node: Node, since: PathFacts) {
        let before = self.nearest.get(&node).copied();
        let nearer = before.map_or(since, |before| before.nearer(since));
        if before != Some(nearer) {
            self.nearest.insert(node, nearer);
            self.open.push(node);
        }
    }
}

/// An access of one instruction, whose dependents are checked.
struct Watch<'a> {
    facts: &'a Facts<'a>,
    first: usize,
    access: Access,
}

impl Watch<'_> {
    /// Follows the access on the paths of the instruction pointer or, if `alone`, on those of a single channel, where
    /// only dependencies within the channel count.
    fn follow(&self, flow: &Flow, alone: bool, findings: &mut Vec<Finding>, left: &mut u64) {
        let nexts = if alone { &flow.channel } else { &flow.thread };
        let mut reached = Reached {
            nearest: BTreeMap::new(),
            open: vec![some(self.first as u32)],
        };
        // Edges that need waiting channels where none are known to wait.
        let mut shut: Vec<(Edge, PathFacts)> = Vec::new();
        let mut waiting: Option<Waiting> = None;
        while let Some(at) = reached.open.pop() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return;
            }
            let second = at as usize / 2;
            let before = reached.nearest.get(&at).copied();
            let behind = match before {
                // The start of the search.
                None => PathFacts::START,
                Some(since) => {
                    if self.waits(second, since) {
                        continue;
                    }
                    // Two instructions under the mask depend on each other only within a channel.
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
                    self.after(second, since)
                }
            };
            let over = behind.age >= self.finished_at() || self.covered_by(second);
            if before.is_some() && over || self.finished_by(second) {
                continue;
            }
            if at == some(second as u32)
                && let Some(waiting) = &mut waiting
                && waiting.add(flow.places[second])
            {
                let opened = |(edge, _): &(Edge, PathFacts)| waiting.allows(*edge, flow);
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

    /// True if the access is finished after an instruction: a branch takes longer than any in-order instruction
    /// before it.
    fn finished_by(&self, second: usize) -> bool {
        let in_order = matches!(self.facts.steps[self.first].unit, Unit::InOrder(_));
        in_order && self.facts.code[second].op.is_branch()
    }

    /// The path extended by another instruction.
    fn after(&self, second: usize, since: PathFacts) -> PathFacts {
        let (first, step) = (&self.facts.steps[self.first], &self.facts.steps[second]);
        let counts = matches!(first.unit, Unit::InOrder(_)) && step.unit == first.unit;
        // A token that is taken again is no longer that of the earlier instruction.
        let token = step.token.map_or(0, |token| 1 << (token & 31));
        let follows = matches!(self.access, Access::Reading(_)) && self.reads_after(second);
        PathFacts {
            age: since.age + u8::from(counts),
            tokens: since.tokens & !token | if follows { token } else { 0 },
        }
    }

    /// True if an instruction waits for the access.
    fn waits(&self, second: usize, since: PathFacts) -> bool {
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
                let reading = matches!(self.access, Access::Reading(_));
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

    /// True if an instruction is in the same chain of systolic operations.
    fn bound(&self, second: usize) -> bool {
        let chain = self.facts.steps[self.first].chain;
        chain.is_some() && chain == self.facts.steps[second].chain
    }

    /// The hazard between the access and an instruction, if any.
    fn hazard(&self, second: usize) -> Option<Hazard> {
        let (first, step) = (&self.facts.steps[self.first], &self.facts.steps[second]);
        if self.bound(second) {
            return None;
        }
        let reads = |bytes: &Bytes| step.reads.iter().any(|read| bytes.meets(read));
        let read_before = |read: &Bytes| read.meets(&step.writes);
        match self.access {
            Access::All | Access::Writing if reads(&first.writes) || self.may_be_stale(second) => {
                Some(Hazard::ReadAfterWrite)
            }
            Access::Writing if first.writes.meets(&step.writes) => Some(Hazard::WriteAfterWrite),
            Access::Reading(n) if read_before(&first.reads[n]) && !self.reads_after(second) => {
                Some(Hazard::WriteAfterRead)
            }
            Access::All if step.unit == first.unit => None,
            Access::All if first.writes.meets(&step.writes) => Some(Hazard::WriteAfterWrite),
            Access::All if first.reads.iter().any(read_before) => Some(Hazard::WriteAfterRead),
            _ => None,
        }
    }

    /// True if an instruction reads any part of a register that the first one writes, on a platform that may then give it
    /// what the register held before: after math, or where two of its sources read the register.
    fn may_be_stale(&self, second: usize) -> bool {
        let facts = self.facts;
        let is_math = |at: usize| matches!(facts.code[at].op, Op::Math(_));
        let needs = |erratum| facts.machine.platform.needs(erratum);
        let suppresses = needs(Erratum::MathWholeRegisters)
            || needs(Erratum::MathReadSuppression) && !is_math(second);
        let writes = &facts.steps[self.first].writes;
        let reads = &facts.steps[second].reads;
        let is_written = |register: u16| writes.registers().any(|other| other == register);
        let shares = |read: &Bytes| read.registers().any(is_written);
        let math = is_math(self.first) && suppresses && reads.iter().any(shares);
        // A register that two sources read.
        let in_order = |at: usize| matches!(facts.steps[at].unit, Unit::InOrder(_));
        let is_read_again = |(n, read): (usize, &Bytes)| {
            let mut others = reads.iter().skip(n + 1).flat_map(|other| other.registers());
            others.any(|register| {
                is_written(register) && read.registers().any(|other| other == register)
            })
        };
        math || needs(Erratum::IntraReadSuppression)
            && in_order(self.first)
            && in_order(second)
            && reads.iter().enumerate().any(is_read_again)
    }

    /// True if an instruction reads its operands after the first one because the same function executes both;
    /// messages must be for the same channels.
    fn reads_after(&self, second: usize) -> bool {
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

    /// True if a later instruction reads or overwrites the same registers in order, so that a wait for it covers
    /// both.
    fn covered_by(&self, second: usize) -> bool {
        match self.access {
            Access::Reading(n) => {
                let read = &self.facts.steps[self.first].reads[n];
                let covered = |other: &Bytes| other.cover(read);
                let step = &self.facts.steps[second];
                self.reads_after(second)
                    && (covered(&step.writes) || step.reads.iter().any(covered))
            }
            _ => false,
        }
    }

    fn missing(&self, hazard: Hazard, age: u8) -> Missing {
        let first = &self.facts.steps[self.first];
        match (first.unit, first.token) {
            (Unit::InOrder(pipe), _) => Missing::Distance(age.min(MAX_DISTANCE), pipe),
            (_, None) => Missing::NoToken,
            (_, Some(token)) if hazard == Hazard::WriteAfterRead => {
                Missing::Token(TokenUse::Src, token)
            }
            (_, Some(token)) => Missing::Token(TokenUse::Dst, token),
        }
    }
}

/// Tokens that a `sync` names: those of its mask, or all without one. The contents of a flag are unknown and taken as
/// all tokens.
fn named(inst: &Inst) -> u32 {
    match inst.srcs.first() {
        Some(Src::Imm { bits, .. }) => *bits as u32,
        _ => u32::MAX,
    }
}
