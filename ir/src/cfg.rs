//! Control flow: blocks, joins, and how each branch is executed.
//!
//! Takes a vISA instruction list and gives the linear graph that the hardware runs, together with
//! the logical edges it came from. A vISA `goto` becomes a scalar jump where all active channels
//! agree and no waiting channel would be jumped over; otherwise a SIMD `goto`, and its target a
//! join. A join or goto with no channel left goes on at the nearest join ahead where channels may
//! wait.
//!
//! Nothing branches to the first block: where the vISA program does, an empty block goes before it.
//! The last block never falls through: the end of the program is a return.
//!
//! The rules for which goto may be scalar are those of Gen8 and later: see the PRM on `goto` and
//! `join`, "Instruction set reference".

use std::collections::BTreeSet;
use std::ops::Range;

use kiln_frontend::module::{Inst, Label, LabelKind, Object, ObjectKind, Operand};
use kiln_frontend::opcode::Opcode;

use crate::regions;

/// Why an object's control flow cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum CfgError {
    #[error("instruction {inst}: branch to label {label}, which stands nowhere")]
    NoLabel { inst: usize, label: String },
    #[error("instruction {inst}: {what} is not supported yet")]
    Unsupported { inst: usize, what: &'static str },
}

/// Until there are calls, nothing can return to a caller.
const FUNCTION: &str = "a function";

/// How one block of the vISA program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Fall,
    /// All active channels go; the instruction's predicate, if any, is uniform.
    Branch {
        inst: Option<usize>,
        target: usize,
        predicated: bool,
    },
    /// Each channel for itself.
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

    /// Where channels wait that this branch, the end of block `b`, tells apart from others: at its
    /// target, or behind it those that stay if it goes back.
    fn waits_at(self, b: usize) -> Option<usize> {
        let target = self.target()?;
        Some(if target > b { target } else { b + 1 })
    }

    /// Whether channels may go on at the next block.
    pub fn falls_through(self) -> bool {
        match self {
            Exit::Fall => true,
            Exit::Branch { predicated, .. } | Exit::Diverge { predicated, .. } => predicated,
            Exit::Ret => false,
        }
    }
}

/// A block of the vISA program, in its order.
#[derive(Clone, Debug)]
pub struct LogicalBlock {
    /// Indices of instructions; the branch that ends it included.
    pub insts: Range<u32>,
    pub exit: Exit,
    /// A join stands at its start.
    pub join: bool,
    /// Where the join goes when no channel is active.
    pub join_jip: Option<usize>,
}

impl LogicalBlock {
    /// One without instructions, before instruction `at`.
    pub(crate) fn empty(at: u32, exit: Exit) -> LogicalBlock {
        LogicalBlock {
            insts: at..at,
            exit,
            join: false,
            join_jip: None,
        }
    }
}

/// Channels that leave block `source` wait at block `at` while the blocks `from..at` run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParkedSpan {
    pub source: usize,
    pub from: usize,
    pub at: usize,
}

/// The logical graph with the hardware's way of running it.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub blocks: Vec<LogicalBlock>,
}

impl Cfg {
    /// Logical successors of block `b`.
    pub fn logical_succs(&self, b: usize) -> impl Iterator<Item = usize> {
        let exit = self.blocks[b].exit;
        let next = exit.falls_through().then_some(b + 1);
        next.into_iter().chain(exit.target())
    }

    /// The blocks that may run while channels wait, for each divergent branch.
    pub fn parked_spans(&self) -> Vec<ParkedSpan> {
        let starts = starts_of_waiting(&self.blocks);
        let spans = self.blocks.iter().enumerate();
        spans
            .filter(|(_, block)| matches!(block.exit, Exit::Diverge { .. }))
            .filter_map(|(source, block)| {
                Some(ParkedSpan {
                    source,
                    from: starts[source],
                    at: block.exit.waits_at(source)?,
                })
            })
            .collect()
    }
}

/// For each block that ends in a branch, the first block that may run while channels that branch
/// there wait. A loop that is left from inside runs again while the leavers wait, and so does a loop
/// around its head that is left, too.
fn starts_of_waiting(blocks: &[LogicalBlock]) -> Vec<usize> {
    let count = blocks.len();
    // By where channels wait: only loops that end before are run again meanwhile.
    let mut waiters: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (b, block) in blocks.iter().enumerate() {
        if let Some(at) = block.exit.waits_at(b) {
            waiters[at].push(b);
        }
    }
    // Loops that share a block are one: sets of blocks, each known by its first.
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
            // What runs from there on: all of a loop that is left at its end, or the next block.
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

/// The first block of the set that `b` is in.
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

/// Splits the object into blocks and decides how each branch runs.
pub fn build(object: &Object) -> Result<Cfg, CfgError> {
    if object.kind != ObjectKind::Kernel {
        let ret = object.insts.iter().position(|i| i.op == Opcode::FRet);
        return Err(CfgError::Unsupported {
            inst: ret.unwrap_or(0),
            what: FUNCTION,
        });
    }
    let mut blocks = split(object)?;
    if blocks.last().is_none_or(|last| last.exit.falls_through()) {
        // Falling off the end is a return.
        let at = blocks.last().map_or(0, |last| last.insts.end);
        blocks.push(LogicalBlock::empty(at, Exit::Ret));
    }
    regions::end(&mut blocks, object);
    for (b, block) in blocks.iter_mut().enumerate() {
        // Who goes to the next block and who stays go on there in any case.
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
        blocks.insert(0, LogicalBlock::empty(0, Exit::Fall));
    }
    decide(&mut blocks, object);
    Ok(Cfg { blocks })
}

/// The blocks, every branch still in its vISA form: `Diverge` for SIMD, `Branch` for scalar.
fn split(object: &Object) -> Result<Vec<LogicalBlock>, CfgError> {
    let n = object.insts.len();
    let mut starts = vec![false; n + 1];
    starts[0] = true;
    let mut label_at = vec![usize::MAX; object.labels.len()];
    for (i, inst) in object.insts.iter().enumerate() {
        match inst.op {
            Opcode::Label | Opcode::Subroutine => {
                if let Some(l) = target_label(inst) {
                    label_at[l.as_u32() as usize] = i;
                    if object.labels[l].kind == LabelKind::Subroutine && i != 0 {
                        return Err(CfgError::Unsupported {
                            inst: i,
                            what: "a subroutine",
                        });
                    }
                }
                starts[i] = true;
            }
            Opcode::Goto | Opcode::Jmp | Opcode::Ret => starts[i + 1] = true,
            Opcode::FRet => {
                return Err(CfgError::Unsupported {
                    inst: i,
                    what: FUNCTION,
                });
            }
            Opcode::Call | Opcode::FCall | Opcode::IfCall => {
                return Err(CfgError::Unsupported {
                    inst: i,
                    what: "a call",
                });
            }
            Opcode::SwitchJmp => {
                return Err(CfgError::Unsupported {
                    inst: i,
                    what: "an indexed jump",
                });
            }
            _ => {}
        }
    }
    let firsts: Vec<usize> = (0..n).filter(|&i| starts[i]).collect();
    let block_of = |i: usize| firsts.partition_point(|&f| f <= i) - 1;
    let mut blocks = Vec::with_capacity(firsts.len() + 1);
    let mut returns = Vec::new();
    for (b, &first) in firsts.iter().enumerate() {
        let end = firsts.get(b + 1).copied().unwrap_or(n);
        let last = end - 1;
        let inst = &object.insts[last];
        let predicated = inst.pred.is_some();
        let exit = match inst.op {
            Opcode::Goto | Opcode::Jmp => {
                let label = target_label(inst);
                let at = label.map_or(usize::MAX, |l| label_at[l.as_u32() as usize]);
                if at == usize::MAX {
                    let label = label.map_or(String::new(), |l| object.labels[l].name.to_string());
                    return Err(CfgError::NoLabel { inst: last, label });
                }
                let target = block_of(at);
                if inst.op == Opcode::Jmp || inst.exec.size == 1 || !predicated {
                    Exit::Branch {
                        inst: Some(last),
                        target,
                        predicated,
                    }
                } else {
                    Exit::Diverge {
                        inst: last,
                        target,
                        predicated,
                        jip: 0,
                    }
                }
            }
            Opcode::Ret => {
                returns.push(b);
                Exit::Ret
            }
            _ => Exit::Fall,
        };
        blocks.push(LogicalBlock {
            insts: first as u32..end as u32,
            exit,
            join: false,
            join_jip: None,
        });
    }
    // One return at the end: the others go there, since channels may wait behind them.
    let single = matches!(returns[..], [b] if b + 1 == blocks.len())
        && object.insts.last().is_some_and(|i| i.pred.is_none());
    if !returns.is_empty() && !single {
        let end = n as u32;
        let exit_block = blocks.len();
        for b in returns {
            let last = blocks[b].insts.end as usize - 1;
            let inst = &object.insts[last];
            let predicated = inst.pred.is_some();
            blocks[b].exit = if predicated && inst.exec.size > 1 {
                Exit::Diverge {
                    inst: last,
                    target: exit_block,
                    predicated,
                    jip: 0,
                }
            } else {
                Exit::Branch {
                    inst: Some(last),
                    target: exit_block,
                    predicated,
                }
            };
        }
        blocks.push(LogicalBlock::empty(end, Exit::Ret));
    }
    Ok(blocks)
}

/// Makes gotos scalar or SIMD, places joins, and finds where each goes when no channel is left.
///
/// A scalar jump must not pass a join where channels may wait: it becomes a SIMD goto, and its target
/// a join. One that leaves a loop makes channels wait while the loop runs again, so that earlier
/// blocks have to be looked at again.
fn decide(blocks: &mut [LogicalBlock], object: &Object) {
    let count = blocks.len();
    let starts = starts_of_waiting(blocks);
    let is_jmp = |inst: Option<usize>| inst.is_some_and(|i| object.insts[i].op == Opcode::Jmp);
    // The first block that runs while channels wait at each join.
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
                    if let (Some(jip), Some(inst)) = (nearest.filter(|&w| w <= target), *inst) {
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
