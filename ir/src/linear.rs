//! The linear graph: the blocks in the order in which the hardware runs them.
//!
//! Takes the logical graph, its branches decided ([`crate::cfg`]). Guarantees blocks of the IR without values in which
//! a join is a block of its own, a critical edge is split by a block, and a block that cannot be reached is empty.

use std::collections::HashMap;
use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};
use foldhash::fast::FixedState;
use smallvec::{SmallVec, smallvec};

use crate::cfg::{Cfg, Exit};
use crate::func::{Block, BlockData, Edge, Inst, Routine, RoutineData, Term};
use crate::ssa::Origin;

/// The blocks of a function and its routines.
pub struct Linear {
    pub blocks: PrimaryMap<Block, BlockData>,
    pub routines: PrimaryMap<Routine, RoutineData>,
    /// By block: its origin in the logical graph.
    pub origins: Vec<Origin>,
}

/// A block of the linear graph before critical edges are split: blocks are counted without splits.
struct Unsplit {
    insts: Range<u32>,
    term: Term,
    origin: Origin,
}

/// Lays out the linear graph: joins as blocks of their own, critical edges split.
pub fn lay_out(graph: &Cfg) -> Linear {
    let unsplit = unsplit(graph);
    let splits = critical_edges(&unsplit);
    // A split block stands directly before its target.
    let mut placed = Vec::with_capacity(unsplit.len());
    let mut split_at: HashMap<(usize, usize), Block, FixedState> = HashMap::default();
    let mut count = 0;
    for (b, sources) in splits.iter().enumerate() {
        for &source in sources {
            split_at.insert((source, b), Block::new(count));
            count += 1;
        }
        placed.push(Block::new(count));
        count += 1;
    }
    let mut linear = Linear {
        blocks: PrimaryMap::with_capacity(count),
        routines: PrimaryMap::new(),
        origins: Vec::with_capacity(count),
    };
    for (b, block) in unsplit.into_iter().enumerate() {
        for _ in &splits[b] {
            let at = block.insts.start;
            linear.push(at..at, Term::Jump(placed[b]), Origin::Split);
        }
        let by_split = |to: Block| {
            let split = split_at.get(&(b, to.index())).copied();
            split.unwrap_or(placed[to.index()])
        };
        let term = with_blocks(block.term, by_split, |to| placed[to.index()]);
        linear.push(block.insts, term, block.origin);
    }
    linear.make_routines(graph);
    linear.drop_unreachable();
    let edges: Vec<(Block, Block)> = (linear.blocks.iter())
        .flat_map(|(b, data)| data.succs.iter().map(move |e| (b, e.to)))
        .collect();
    for (from, to) in edges {
        linear.blocks[to].preds.push(from);
    }
    linear
}

/// The blocks of the program and its joins, in order.
fn unsplit(graph: &Cfg) -> Vec<Unsplit> {
    // The number of each block's join, or of the block if it has none.
    let mut entry = Vec::with_capacity(graph.blocks.len());
    let mut count = 0;
    for block in &graph.blocks {
        entry.push(Block::new(count));
        count += 1 + usize::from(block.join);
    }
    let mut unsplit = Vec::with_capacity(count);
    for (b, block) in graph.blocks.iter().enumerate() {
        if block.join {
            let at = block.insts.start;
            unsplit.push(Unsplit {
                insts: at..at,
                term: Term::Join {
                    jip: block.join_jip.map(|jip| entry[jip]),
                    next: Block::new(unsplit.len() + 1),
                },
                origin: Origin::Join(b),
            });
        }
        let term = match block.exit {
            Exit::Fall => Term::Jump(entry[b + 1]),
            Exit::Branch {
                inst: Some(inst),
                target,
                predicated: true,
            } => Term::Branch {
                inst: Inst::new(inst),
                taken: entry[target],
                next: entry[b + 1],
            },
            Exit::Branch { target, .. } => Term::Jump(entry[target]),
            Exit::Diverge {
                inst,
                target,
                jip,
                predicated,
            } => Term::Goto {
                inst: Inst::new(inst),
                uip: entry[target],
                jip: entry[jip],
                next: (predicated && target > b).then(|| entry[b + 1]),
                backward: target <= b,
            },
            Exit::Ret => Term::Ret,
        };
        unsplit.push(Unsplit {
            insts: block.insts.clone(),
            term,
            origin: Origin::Body(b),
        });
    }
    unsplit
}

/// Sources of the critical edges to each block, the one that falls through to it first.
fn critical_edges(blocks: &[Unsplit]) -> Vec<Vec<usize>> {
    let succs: Vec<SmallVec<[Block; 2]>> =
        (blocks.iter().map(|block| successors(block.term))).collect();
    let mut pred_count = vec![0u32; blocks.len()];
    for s in succs.iter().flatten() {
        pred_count[s.index()] += 1;
    }
    let mut splits: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (b, list) in succs.iter().enumerate() {
        // Moves of an edge may not stand before a terminator that reads a predicate.
        let reads = matches!(blocks[b].term, Term::Branch { .. } | Term::Goto { .. });
        let is_critical = |s: &&Block| (list.len() > 1 || reads) && pred_count[s.index()] > 1;
        for s in list.iter().filter(is_critical) {
            match s.index() == b + 1 {
                true => splits[s.index()].insert(0, b),
                false => splits[s.index()].push(b),
            }
        }
    }
    splits
}

/// A terminator with its blocks replaced: those that execution goes to, and the one at which channels wait.
fn with_blocks(term: Term, to: impl Fn(Block) -> Block, wait: impl Fn(Block) -> Block) -> Term {
    match term {
        Term::Jump(next) => Term::Jump(to(next)),
        Term::Branch { inst, taken, next } => Term::Branch {
            inst,
            taken: to(taken),
            next: to(next),
        },
        Term::Goto {
            inst,
            uip,
            jip,
            next,
            backward,
        } => Term::Goto {
            inst,
            // Execution goes to the target of a backward goto. Channels of a forward goto wait at the join itself;
            // only execution goes there by a split block.
            uip: if backward { to(uip) } else { wait(uip) },
            jip: to(jip),
            next: next.map(to),
            backward,
        },
        Term::Join { jip, next } => Term::Join {
            jip: jip.map(&to),
            next: to(next),
        },
        Term::Ret => Term::Ret,
    }
}

impl Linear {
    /// Makes the routines, from the logical blocks of each.
    fn make_routines(&mut self, graph: &Cfg) {
        let of_logical = |block: &Origin| match *block {
            Origin::Body(l) | Origin::Join(l) => Some(l),
            Origin::Split => None,
        };
        let mut start = Block::new(0);
        for (r, blocks) in graph.routines.iter().enumerate() {
            let mut end = start;
            let mut exit = PackedOption::default();
            for (b, origin) in self.origins.iter().enumerate().skip(start.index()) {
                match of_logical(origin) {
                    Some(l) if l >= blocks.end => break,
                    Some(l) if r > 0 && graph.blocks[l].exit == Exit::Ret => {
                        exit = Block::new(b).into();
                    }
                    _ => {}
                }
                end = Block::new(b + 1);
            }
            self.routines.push(RoutineData {
                blocks: start..end,
                params: Vec::new(),
                results: Vec::new(),
                exit,
            });
            start = end;
        }
    }

    /// Blocks that cannot be reached become empty returns, so that they define no values and pass no arguments.
    fn drop_unreachable(&mut self) {
        let mut seen = vec![false; self.blocks.len()];
        let mut work: Vec<Block> = Vec::new();
        for routine in self.routines.values() {
            seen[routine.blocks.start.index()] = true;
            work.push(routine.blocks.start);
        }
        while let Some(b) = work.pop() {
            for edge in &self.blocks[b].succs {
                if !std::mem::replace(&mut seen[edge.to.index()], true) {
                    work.push(edge.to);
                }
            }
        }
        for routine in self.routines.values_mut() {
            routine.exit = routine.exit.expand().filter(|b| seen[b.index()]).into();
        }
        for (_, data) in self.blocks.iter_mut().filter(|(b, _)| !seen[b.index()]) {
            data.insts = 0..0;
            data.term = Term::Ret;
            data.succs.clear();
        }
    }

    fn push(&mut self, insts: Range<u32>, term: Term, origin: Origin) {
        self.origins.push(origin);
        let succs = successors(term)
            .into_iter()
            .map(|to| Edge {
                to,
                args: SmallVec::new(),
            })
            .collect();
        self.blocks.push(BlockData {
            insts,
            term,
            succs,
            preds: SmallVec::new(),
            params: Vec::new(),
        });
    }
}

/// Blocks that execution may go to by a terminator.
pub fn successors(term: Term) -> SmallVec<[Block; 2]> {
    let mut list: SmallVec<[Block; 2]> = match term {
        Term::Jump(to) => smallvec![to],
        Term::Branch { taken, next, .. } => smallvec![taken, next],
        Term::Goto {
            uip,
            jip,
            backward: true,
            ..
        } => smallvec![uip, jip],
        Term::Goto { jip, next, .. } => next.into_iter().chain([jip]).collect(),
        Term::Join { jip, next } => [next].into_iter().chain(jip).collect(),
        Term::Ret => smallvec![],
    };
    if list.len() == 2 && list[0] == list[1] {
        list.pop();
    }
    list
}
