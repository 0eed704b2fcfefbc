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
    fn empty(at: u32, exit: Exit) -> LogicalBlock {
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
        let backward: Vec<(usize, usize)> = (self.blocks.iter().enumerate())
            .filter_map(|(b, block)| match block.exit {
                Exit::Branch { target, .. } | Exit::Diverge { target, .. } if target <= b => {
                    Some((b, target))
                }
                _ => None,
            })
            .collect();
        let mut spans = Vec::new();
        for (b, block) in self.blocks.iter().enumerate() {
            let Exit::Diverge { target, .. } = block.exit else {
                continue;
            };
            let (at, mut low, from) = if target > b {
                (target, b + 1, b)
            } else {
                (b + 1, target, target)
            };
            // A loop that is left from inside runs again while the leavers wait.
            let mut reach = from;
            loop {
                let lower = backward
                    .iter()
                    .filter(|&&(latch, head)| {
                        latch >= reach && latch < at && head <= reach && head < low
                    })
                    .map(|&(_, head)| head)
                    .min();
                match lower {
                    Some(head) => {
                        low = head;
                        reach = head;
                    }
                    None => break,
                }
            }
            spans.push(ParkedSpan {
                source: b,
                from: low.min(at),
                at,
            });
        }
        spans
    }
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
fn decide(blocks: &mut [LogicalBlock], object: &Object) {
    let count = blocks.len();
    let mut latches: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (b, block) in blocks.iter().enumerate() {
        match block.exit {
            Exit::Branch { target, .. } | Exit::Diverge { target, .. } if target <= b => {
                latches[target].push(b)
            }
            _ => {}
        }
    }
    let is_jmp = |inst: Option<usize>| inst.is_some_and(|i| object.insts[i].op == Opcode::Jmp);
    let mut waiting: BTreeSet<usize> = BTreeSet::new();
    for b in 0..count {
        if waiting.first() == Some(&b) {
            waiting.pop_first();
            blocks[b].join = true;
            blocks[b].join_jip = waiting.first().copied();
        }
        for &latch in &latches[b] {
            match &mut blocks[latch].exit {
                Exit::Diverge { jip, .. } if latch + 1 < count => {
                    *jip = latch + 1;
                    waiting.insert(latch + 1);
                }
                _ => {
                    if let Some(join) = first_join_after_loop(blocks, &waiting, b, latch, &is_jmp) {
                        waiting.insert(join);
                    }
                }
            }
            // Channels that left one of those loops may wait here, too.
            let end = overlapping_end(&latches, b, latch);
            for (from, block) in blocks.iter().enumerate().take(end + 1).skip(latch + 1) {
                match block.exit {
                    Exit::Branch { target, inst, .. } if target > from && !is_jmp(inst) => {
                        waiting.insert(target);
                    }
                    Exit::Diverge { target, .. } if target > from => {
                        waiting.insert(target);
                    }
                    Exit::Diverge { .. } if from + 1 < count => {
                        waiting.insert(from + 1);
                    }
                    _ => {}
                }
            }
        }
        let (inst, target, predicated, uniform) = match blocks[b].exit {
            Exit::Branch {
                inst,
                target,
                predicated,
            } => (inst, target, predicated, true),
            Exit::Diverge {
                inst,
                target,
                predicated,
                ..
            } => (Some(inst), target, predicated, false),
            _ => continue,
        };
        if target <= b || is_jmp(inst) {
            continue;
        }
        let crosses = waiting.first().is_some_and(|&w| w <= target);
        if let (true, Some(inst)) = (crosses || !uniform, inst) {
            waiting.insert(target);
            let jip = *waiting.first().expect("the target waits");
            blocks[b].exit = Exit::Diverge {
                inst,
                target,
                predicated,
                jip,
            };
        }
    }
}

/// The last block of the loops that reach into the loop `head..=latch` from behind it, and of those
/// that reach into them: execution may come back from there, so that they are one loop with several
/// entries.
fn overlapping_end(latches: &[Vec<usize>], head: usize, latch: usize) -> usize {
    let mut end = latch;
    let mut block = head + 1;
    while block <= end {
        end = latches[block]
            .iter()
            .fold(end, |end, &latch| end.max(latch));
        block += 1;
    }
    end
}

/// The join nearest behind the loop `head..=latch` that a jump out of it makes necessary.
fn first_join_after_loop(
    blocks: &[LogicalBlock],
    waiting: &BTreeSet<usize>,
    head: usize,
    latch: usize,
    is_jmp: &impl Fn(Option<usize>) -> bool,
) -> Option<usize> {
    let mut joins = waiting.clone();
    for (b, block) in blocks.iter().enumerate().take(latch).skip(head) {
        if joins.first() == Some(&b) {
            joins.pop_first();
        }
        let (inst, target, uniform) = match block.exit {
            Exit::Branch { inst, target, .. } => (inst, target, true),
            Exit::Diverge { inst, target, .. } => (Some(inst), target, false),
            _ => continue,
        };
        if target <= b || is_jmp(inst) || (uniform && joins.first().is_none_or(|&j| j >= target)) {
            continue;
        }
        joins.insert(target);
    }
    if joins.first() == Some(&latch) {
        joins.pop_first();
    }
    joins.first().copied()
}
