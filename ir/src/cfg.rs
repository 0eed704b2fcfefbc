//! Control flow: blocks, joins, and how each branch is executed.
//!
//! Takes a vISA object and guarantees its logical graph with every branch decided. A vISA `goto` becomes a scalar jump
//! if its predicate is uniform and it passes no join at which channels may wait; otherwise a SIMD `goto`, whose target
//! becomes a join. A join or goto with no active channel goes on at the nearest join ahead where channels may wait.
//!
//! The first block is no branch target: if the vISA program branches there, an empty block is put before it.
//! The last block does not fall through: the end of the program is a return.
//!
//! Each subroutine has a graph of its own, after that of the kernel or function, with no edges between them. A call
//! ends its block.
//!
//! The rules for which goto may be scalar are those of Gen8 and later: see the PRM on `goto` and
//! `join`, "Instruction set reference".

use std::collections::BTreeSet;
use std::ops::Range;

use kiln_platform::errata::Erratum;
use kiln_platform::platform::Platform;
use kiln_visa::module::{Inst, Label, LabelKind, Object, Operand};
use kiln_visa::opcode::Opcode;

use crate::regions;

/// Why an object's control flow cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum CfgError {
    #[error("instruction {inst}: branch to label {label}, which no instruction has")]
    NoLabel { inst: usize, label: String },
    #[error("instruction {inst}: {what} is not supported yet")]
    Unsupported { inst: usize, what: &'static str },
}

impl CfgError {
    /// The error with the number that its instruction has in the source, where `object` is a rewritten one.
    #[must_use]
    pub fn in_source(mut self, object: &Object) -> CfgError {
        let (CfgError::NoLabel { inst, .. } | CfgError::Unsupported { inst, .. }) = &mut self;
        *inst = object.insts.get(*inst).map_or(*inst, |i| i.origin as usize);
        self
    }
}

/// The end of a logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Fall,
    /// All active channels branch or none: a predicate is uniform.
    Branch {
        inst: Option<usize>,
        target: usize,
        predicated: bool,
    },
    /// A divergent branch: each channel branches by its own predicate bit.
    Diverge {
        inst: usize,
        target: usize,
        predicated: bool,
        jip: usize,
    },
    Ret,
}

impl Exit {
    /// The block that channels branch to.
    pub fn target(self) -> Option<usize> {
        match self {
            Exit::Branch { target, .. } | Exit::Diverge { target, .. } => Some(target),
            Exit::Fall | Exit::Ret => None,
        }
    }

    /// The block at which channels wait after this branch at the end of block `b`: the target of a forward branch; the
    /// next block after a backward one, where those that leave the loop wait.
    fn waits_at(self, b: usize) -> Option<usize> {
        let target = self.target()?;
        Some(if target > b { target } else { b + 1 })
    }

    /// True if channels may go on at the next block.
    pub fn falls_through(self) -> bool {
        match self {
            Exit::Fall => true,
            Exit::Branch { predicated, .. } | Exit::Diverge { predicated, .. } => predicated,
            Exit::Ret => false,
        }
    }
}

/// A block of the vISA program; blocks are in program order.
#[derive(Clone, Debug)]
pub struct LogicalBlock {
    /// Indices of its instructions, a branch at the end included.
    pub insts: Range<u32>,
    pub exit: Exit,
    /// True if a join stands at its start.
    pub join: bool,
    /// The block that the join goes to if no channel is active.
    pub join_jip: Option<usize>,
    /// The routine that its last instruction calls.
    pub call: Option<usize>,
}

impl LogicalBlock {
    /// A block without instructions, before instruction `at`.
    pub(crate) fn empty(at: u32, exit: Exit) -> LogicalBlock {
        LogicalBlock {
            insts: at..at,
            exit,
            join: false,
            join_jip: None,
            call: None,
        }
    }
}

/// Channels that leave block `source` wait at block `at` while the blocks `from..at` run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingSpan {
    pub source: usize,
    pub from: usize,
    pub at: usize,
}

/// The logical graph with its branches decided.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub blocks: Vec<LogicalBlock>,
    /// Blocks of each routine: of the kernel or function itself, then of its subroutines.
    pub routines: Vec<Range<usize>>,
    /// The routines, callees before their callers.
    pub bottom_up: Vec<usize>,
}

impl Cfg {
    /// Logical successors of block `b`.
    pub fn logical_succs(&self, b: usize) -> impl Iterator<Item = usize> {
        let exit = self.blocks[b].exit;
        let next = exit.falls_through().then_some(b + 1);
        next.into_iter().chain(exit.target())
    }

    /// For each divergent branch, the blocks that may run while channels wait.
    pub fn waiting_spans(&self) -> Vec<WaitingSpan> {
        let starts = starts_of_waiting(&self.blocks);
        let spans = self.blocks.iter().enumerate();
        spans
            .filter(|(_, block)| matches!(block.exit, Exit::Diverge { .. }))
            .filter_map(|(source, block)| {
                Some(WaitingSpan {
                    source,
                    from: starts[source],
                    at: block.exit.waits_at(source)?,
                })
            })
            .collect()
    }

    /// By block of the kernel or function itself: true if all channels that it started with are active there.
    pub fn whole_blocks(&self) -> Vec<bool> {
        let own = self.routines.first().cloned().unwrap_or_default();
        let mut waits = vec![0; own.len() + 1];
        for span in self.waiting_spans() {
            if own.contains(&span.source) && span.from < span.at {
                waits[span.from] += 1;
                waits[span.at] -= 1;
            }
        }
        let mut waiting = 0;
        waits.pop();
        let nobody = |&change: &i32| {
            waiting += change;
            waiting == 0
        };
        waits.iter().map(nobody).collect()
    }
}

/// By block that ends in a branch: the first block that may run while channels wait after the branch. A loop that
/// channels leave from inside runs again while they wait, and so does an enclosing loop that they leave, too.
fn starts_of_waiting(blocks: &[LogicalBlock]) -> Vec<usize> {
    let count = blocks.len();
    // Branches by the block at which channels wait: only loops that end before it run again meanwhile.
    let mut waiters: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (b, block) in blocks.iter().enumerate() {
        if let Some(at) = block.exit.waits_at(b) {
            waiters[at].push(b);
        }
    }
    // Loops that share a block are united: disjoint sets of blocks, each represented by its first.
    let mut first: Vec<usize> = (0..count).collect();
    let mut in_loop = vec![false; count];
    let mut starts = vec![0; count];
    for (at, waiting) in waiters.iter().enumerate() {
        if let Some(latch) = at.checked_sub(1)
            && let Some(head) = blocks[latch].exit.target().filter(|&head| head <= latch)
        {
            in_loop[latch] = true;
            let mut b = find(&mut first, latch);
            while b > head {
                in_loop[b - 1] = true;
                first[b] = b - 1;
                b = find(&mut first, b);
            }
        }
        for &b in waiting {
            // Channels wait while a loop runs again from its head, or from the next block on.
            let (source, next) = match blocks[b].exit.target() {
                Some(head) if head <= b => (head, head),
                _ => (b, b + 1),
            };
            let around = in_loop[source].then(|| find(&mut first, source));
            starts[b] = around.unwrap_or(next).min(next);
        }
    }
    starts
}

/// The representative of the set that `b` is in (union-find, with path compression).
fn find(first: &mut [usize], b: usize) -> usize {
    let mut root = b;
    while first[root] != root {
        root = first[root];
    }
    let mut at = b;
    while first[at] != root {
        at = std::mem::replace(&mut first[at], root);
    }
    root
}

fn target_label(inst: &Inst) -> Option<Label> {
    inst.operands.iter().find_map(|o| match o {
        Operand::Label(l) => Some(*l),
        _ => None,
    })
}

/// Splits the object into blocks and decides its branches.
///
/// # Errors
/// Control flow that is not supported.
pub fn build(object: &Object, target: &Platform) -> Result<Cfg, CfgError> {
    let mut places = Places {
        label_at: vec![usize::MAX; object.labels.len()],
        routine_at: vec![usize::MAX; object.labels.len()],
        starts: vec![0],
    };
    for (i, inst) in object.insts.iter().enumerate() {
        if let (Opcode::Label | Opcode::Subroutine, Some(l)) = (inst.op, target_label(inst)) {
            places.label_at[l.as_u32() as usize] = i;
            if object.labels[l].kind == LabelKind::Subroutine {
                if i != 0 {
                    places.starts.push(i);
                }
                places.routine_at[l.as_u32() as usize] = places.starts.len() - 1;
            }
        }
    }
    let mut graph = Cfg {
        blocks: Vec::new(),
        routines: Vec::with_capacity(places.starts.len()),
        bottom_up: Vec::new(),
    };
    for (n, &start) in places.starts.iter().enumerate() {
        let end = places.starts.get(n + 1).copied();
        let end = end.unwrap_or(object.insts.len());
        let first = graph.blocks.len();
        for mut block in routine(object, target, &places, start..end)? {
            if let Exit::Branch { target, .. } | Exit::Diverge { target, .. } = &mut block.exit {
                *target += first;
            }
            if let Exit::Diverge { jip, .. } = &mut block.exit {
                *jip += first;
            }
            block.join_jip = block.join_jip.map(|jip| jip + first);
            graph.blocks.push(block);
        }
        graph.routines.push(first..graph.blocks.len());
    }
    graph.bottom_up = bottom_up(&graph, &places)?;
    Ok(graph)
}

/// The routines, callees before their callers: Kahn's algorithm.
fn bottom_up(graph: &Cfg, places: &Places) -> Result<Vec<usize>, CfgError> {
    let count = graph.routines.len();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    // By routine: its calls of routines that are not in the order yet.
    let mut open = vec![0; count];
    for (r, blocks) in graph.routines.iter().enumerate() {
        for callee in graph.blocks[blocks.clone()].iter().filter_map(|b| b.call) {
            callers[callee].push(r);
            open[r] += 1;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|&r| open[r] == 0).collect();
    let mut next = 0;
    while let Some(&r) = order.get(next) {
        next += 1;
        for &caller in &callers[r] {
            open[caller] -= 1;
            if open[caller] == 0 {
                order.push(caller);
            }
        }
    }
    match open.iter().position(|&calls| calls > 0) {
        Some(r) => Err(CfgError::Unsupported {
            inst: places.starts[r],
            what: "a subroutine that calls itself",
        }),
        None => Ok(order),
    }
}

/// Positions of labels.
struct Places {
    /// By label: the index of its instruction, and of the routine that it begins.
    label_at: Vec<usize>,
    routine_at: Vec<usize>,
    /// First instruction of each routine.
    starts: Vec<usize>,
}

/// The blocks of a routine, numbered from 0 on.
fn routine(
    object: &Object,
    target: &Platform,
    places: &Places,
    insts: Range<usize>,
) -> Result<Vec<LogicalBlock>, CfgError> {
    let start = insts.start as u32;
    let mut blocks = split(object, places, insts)?;
    if blocks.last().is_none_or(|last| last.exit.falls_through()) {
        // Falling off the end is a return.
        let at = blocks.last().map_or(start, |last| last.insts.end);
        blocks.push(LogicalBlock::empty(at, Exit::Ret));
    }
    regions::end(&mut blocks, object);
    for (b, block) in blocks.iter_mut().enumerate() {
        // A branch to the next block is none.
        if block.exit.target() == Some(b + 1) {
            block.exit = Exit::Fall;
        }
    }
    if blocks.iter().any(|b| b.exit.target() == Some(0)) {
        for block in &mut blocks {
            if let Exit::Branch { target, .. } | Exit::Diverge { target, .. } = &mut block.exit {
                *target += 1;
            }
        }
        blocks.insert(0, LogicalBlock::empty(start, Exit::Fall));
    }
    let masked = target.needs(Erratum::NoMaskPredicated);
    decide(&mut blocks, object, masked);
    Ok(blocks)
}

/// The blocks of a routine before branches are decided: `Diverge` for SIMD gotos, `Branch` for scalar ones.
fn split(
    object: &Object,
    places: &Places,
    insts: Range<usize>,
) -> Result<Vec<LogicalBlock>, CfgError> {
    let firsts = first_insts(object, insts.clone())?;
    let mut blocks = Vec::with_capacity(firsts.len() + 1);
    for (b, &first) in firsts.iter().enumerate() {
        let end = firsts.get(b + 1).copied().unwrap_or(insts.end);
        let (exit, call) = exit_of(object, places, &insts, &firsts, end - 1)?;
        blocks.push(LogicalBlock {
            insts: first as u32..end as u32,
            call,
            ..LogicalBlock::empty(first as u32, exit)
        });
    }
    unite_returns(object, insts, &mut blocks)?;
    Ok(blocks)
}

/// True if an operation is the first one of a block.
pub(crate) fn starts_block(op: Opcode) -> bool {
    matches!(op, Opcode::Label | Opcode::Subroutine)
}

/// True if an operation is the last one of a block.
pub(crate) fn ends_block(op: Opcode) -> bool {
    use Opcode::{Call, FRet, Goto, Jmp, Ret};
    matches!(op, Goto | Jmp | Ret | FRet | Call)
}

/// The first instruction of each block of a routine.
fn first_insts(object: &Object, insts: Range<usize>) -> Result<Vec<usize>, CfgError> {
    let begin = insts.start;
    // By instruction, counted from the routine's first: true if a block begins there.
    let mut starts = vec![false; insts.len() + 1];
    starts[0] = true;
    for i in insts.clone() {
        let op = object.insts[i].op;
        if op == Opcode::SwitchJmp {
            return Err(CfgError::Unsupported {
                inst: i,
                what: "an indexed jump",
            });
        }
        starts[i - begin] |= starts_block(op);
        starts[i - begin + 1] |= ends_block(op);
    }
    Ok(insts.filter(|&i| starts[i - begin]).collect())
}

/// A branch that is not decided yet: divergent if its predicate and width allow it.
fn branch(inst: usize, target: usize, predicated: bool, may_diverge: bool) -> Exit {
    match predicated && may_diverge {
        true => Exit::Diverge {
            inst,
            target,
            predicated,
            jip: 0,
        },
        false => Exit::Branch {
            inst: Some(inst),
            target,
            predicated,
        },
    }
}

/// The exit of the block that ends in instruction `last`, and the routine that it calls. `firsts` are the blocks'
/// first instructions.
fn exit_of(
    object: &Object,
    places: &Places,
    insts: &Range<usize>,
    firsts: &[usize],
    last: usize,
) -> Result<(Exit, Option<usize>), CfgError> {
    let inst = &object.insts[last];
    let predicated = inst.pred.is_some();
    let label = target_label(inst);
    let unsupported = |what| Err(CfgError::Unsupported { inst: last, what });
    let exit = match inst.op {
        Opcode::Goto | Opcode::Jmp => {
            let at = label.map_or(usize::MAX, |l| places.label_at[l.as_u32() as usize]);
            if at == usize::MAX {
                let label = label.map_or(String::new(), |l| object.labels[l].name.to_string());
                return Err(CfgError::NoLabel { inst: last, label });
            }
            if !insts.contains(&at) {
                return unsupported("a jump out of its subroutine");
            }
            let target = firsts.partition_point(|&f| f <= at) - 1;
            let may_diverge = inst.op == Opcode::Goto && inst.exec.size > 1;
            branch(last, target, predicated, may_diverge)
        }
        Opcode::Call => {
            let to = label.map_or(usize::MAX, |l| places.routine_at[l.as_u32() as usize]);
            if to == usize::MAX || predicated {
                return unsupported("a call under a predicate or of no subroutine");
            }
            return Ok((Exit::Fall, Some(to)));
        }
        Opcode::Ret | Opcode::FRet => Exit::Ret,
        _ => Exit::Fall,
    };
    Ok((exit, None))
}

/// Makes returns branch to one at the end of the routine, since channels may wait after them.
fn unite_returns(
    object: &Object,
    insts: Range<usize>,
    blocks: &mut Vec<LogicalBlock>,
) -> Result<(), CfgError> {
    let end = insts.end as u32;
    let returns: Vec<usize> = (0..blocks.len())
        .filter(|&b| blocks[b].exit == Exit::Ret)
        .collect();
    let single = matches!(returns[..], [b] if b + 1 == blocks.len())
        && object.insts[insts].last().is_some_and(|i| i.pred.is_none());
    if returns.is_empty() || single {
        return Ok(());
    }
    let exit_block = blocks.len();
    let last = |block: &LogicalBlock| block.insts.end as usize - 1;
    // The results of a function are read by one of its returns, which becomes the common one.
    let mut lasts = returns.iter().map(|&b| last(&blocks[b]));
    let is_function = lasts.clone().any(|i| object.insts[i].op == Opcode::FRet);
    let common = match lasts.rfind(|&i| object.insts[i].pred.is_none()) {
        Some(kept) if is_function => kept as u32..kept as u32 + 1,
        None if is_function => {
            return Err(CfgError::Unsupported {
                inst: last(&blocks[returns[0]]),
                what: "a function that returns under predicates alone",
            });
        }
        _ => end..end,
    };
    for b in returns {
        let last = last(&blocks[b]);
        let inst = &object.insts[last];
        blocks[b].exit = branch(last, exit_block, inst.pred.is_some(), inst.exec.size > 1);
        if common.start == last as u32 {
            blocks[b].insts.end = common.start;
        }
    }
    blocks.push(LogicalBlock {
        insts: common,
        ..LogicalBlock::empty(end, Exit::Ret)
    });
    Ok(())
}

/// Makes gotos scalar or SIMD, places joins, and finds the block that each goes to if no channel is active.
///
/// A scalar jump must not pass a join where channels may wait: it becomes a SIMD goto, and its target
/// a join. If it leaves a loop, channels wait while the loop runs again, so that earlier blocks are visited again. With
/// `masked` none jumps ahead where channels may wait.
fn decide(blocks: &mut [LogicalBlock], object: &Object, masked: bool) {
    let count = blocks.len();
    let starts = starts_of_waiting(blocks);
    let is_jmp = |inst: Option<usize>| inst.is_some_and(|i| object.insts[i].op == Opcode::Jmp);
    // By block: the first block that runs while channels wait at its join, if it has one.
    let mut joins: Vec<Option<usize>> = vec![None; count];
    let park = |joins: &mut [Option<usize>], b: usize, at: usize| {
        if let Some(join) = joins.get_mut(at) {
            *join = Some(join.map_or(starts[b], |from| from.min(starts[b])));
        }
    };
    for (b, block) in blocks.iter().enumerate() {
        if let (Exit::Diverge { .. }, Some(at)) = (block.exit, block.exit.waits_at(b)) {
            park(&mut joins, b, at);
        }
    }
    loop {
        let mut opening: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        for (at, from) in joins.iter().enumerate() {
            if let Some(from) = from {
                opening[*from].push(at);
            }
        }
        let mut again = false;
        let mut waiting: BTreeSet<usize> = BTreeSet::new();
        for b in 0..count {
            waiting.extend(&opening[b]);
            if waiting.first() == Some(&b) {
                waiting.pop_first();
            }
            blocks[b].join = joins[b].is_some();
            blocks[b].join_jip = waiting.first().copied().filter(|_| joins[b].is_some());
            let nearest = waiting.first().copied();
            match &mut blocks[b].exit {
                Exit::Diverge { target, jip, .. } => {
                    let at = if *target > b { *target } else { b + 1 };
                    *jip = nearest.map_or(at, |w| w.min(at));
                }
                Exit::Branch {
                    inst,
                    target,
                    predicated,
                } if *target > b && !is_jmp(*inst) => {
                    let (target, predicated) = (*target, *predicated);
                    let near = nearest.filter(|&w| masked || w <= target);
                    if let (Some(near), Some(inst)) = (near, *inst) {
                        let jip = near.min(target);
                        blocks[b].exit = Exit::Diverge {
                            inst,
                            target,
                            predicated,
                            jip,
                        };
                        again |=
                            joins[target].is_none_or(|from| starts[b] < from) && starts[b] <= b;
                        park(&mut joins, b, target);
                        waiting.insert(target);
                    }
                }
                _ => {}
            }
        }
        if !again {
            break;
        }
    }
}
