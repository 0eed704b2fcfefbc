//! The linear graph: the blocks that the hardware runs, one behind the other.
//!
//! Takes the logical graph with what is decided of its branches ([`crate::cfg`]) and gives blocks of the IR without
//! values: a join is a block of its own, a critical edge has a block in which moves for its end have a place, and what
//! nothing leads to is empty.

use std::collections::HashMap;

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
    /// Where each block comes from.
    pub origins: Vec<Origin>,
}

/// Lays out the linear graph: joins as blocks of their own, critical edges split.
pub fn lay_out(graph: &Cfg) -> Linear {
    // Number the blocks of the program first, without splits.
    let mut entry = Vec::with_capacity(graph.blocks.len());
    let mut body = Vec::with_capacity(graph.blocks.len());
    let mut count = 0u32;
    for block in &graph.blocks {
        entry.push(count);
        count += u32::from(block.join);
        body.push(count);
        count += 1;
    }
    let to = |b: usize| Block::from_u32(entry[b]);
    let mut plain: Vec<(std::ops::Range<u32>, Term)> = Vec::with_capacity(count as usize);
    let mut sources = Vec::with_capacity(count as usize);
    for (b, block) in graph.blocks.iter().enumerate() {
        if block.join {
            let at = block.insts.start;
            let next = Block::from_u32(body[b]);
            plain.push((
                at..at,
                Term::Join {
                    jip: block.join_jip.map(to),
                    next,
                },
            ));
            sources.push(Origin::Join(b));
        }
        let last = |i: usize| Inst::new(i);
        let term = match block.exit {
            Exit::Fall => Term::Jump(to(b + 1)),
            Exit::Branch {
                inst: Some(i),
                target,
                predicated: true,
            } => Term::Branch {
                inst: last(i),
                taken: to(target),
                next: to(b + 1),
            },
            Exit::Branch { target, .. } => Term::Jump(to(target)),
            Exit::Diverge {
                inst,
                target,
                jip,
                predicated,
            } => Term::Goto {
                inst: last(inst),
                uip: to(target),
                jip: to(jip),
                next: (predicated && target > b).then(|| to(b + 1)),
                backward: target <= b,
            },
            Exit::Ret => Term::Ret,
        };
        plain.push((block.insts.clone(), term));
        sources.push(Origin::Body(b));
    }
    let succs: Vec<SmallVec<[Block; 2]>> =
        plain.iter().map(|(_, term)| successors(*term)).collect();
    let mut pred_count = vec![0u32; plain.len()];
    for s in succs.iter().flatten() {
        pred_count[s.index()] += 1;
    }
    // A split block for each critical edge stands before its target, the one that is fallen into
    // first, so that falling through still works.
    let mut splits: Vec<Vec<usize>> = vec![Vec::new(); plain.len()];
    for (b, list) in succs.iter().enumerate() {
        // A branch that reads a predicate must not be where moves for its successor go, either.
        let reads = matches!(plain[b].1, Term::Branch { .. } | Term::Goto { .. });
        for s in list
            .iter()
            .filter(|s| (list.len() > 1 || reads) && pred_count[s.index()] > 1)
        {
            if s.index() == b + 1 {
                splits[s.index()].insert(0, b);
            } else {
                splits[s.index()].push(b);
            }
        }
    }
    let mut placed = vec![Block::from_u32(0); plain.len()];
    let mut split_at: HashMap<(usize, usize), Block, FixedState> = HashMap::default();
    let mut next = 0;
    for b in 0..plain.len() {
        for &p in &splits[b] {
            split_at.insert((p, b), Block::from_u32(next));
            next += 1;
        }
        placed[b] = Block::from_u32(next);
        next += 1;
    }
    let remap = |from: usize, to: Block| {
        split_at
            .get(&(from, to.index()))
            .copied()
            .unwrap_or(placed[to.index()])
    };
    let mut linear = Linear {
        blocks: PrimaryMap::with_capacity(next as usize),
        routines: PrimaryMap::new(),
        origins: Vec::with_capacity(next as usize),
    };
    for (b, (insts, term)) in plain.into_iter().enumerate() {
        for _ in &splits[b] {
            let jump = Term::Jump(placed[b]);
            linear.push(insts.start..insts.start, jump, Origin::Split);
        }
        let term = match term {
            Term::Jump(t) => Term::Jump(remap(b, t)),
            Term::Branch { inst, taken, next } => Term::Branch {
                inst,
                taken: remap(b, taken),
                next: remap(b, next),
            },
            Term::Goto {
                inst,
                uip,
                jip,
                next,
                backward,
            } => Term::Goto {
                inst,
                // Channels wait at the join itself; only execution takes the way round by a split.
                uip: if backward {
                    remap(b, uip)
                } else {
                    placed[uip.index()]
                },
                jip: remap(b, jip),
                next: next.map(|n| remap(b, n)),
                backward,
            },
            Term::Join { jip, next } => Term::Join {
                jip: jip.map(|j| remap(b, j)),
                next: remap(b, next),
            },
            Term::Ret => Term::Ret,
        };
        linear.push(insts, term, sources[b]);
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

impl Linear {
    /// The routines, by the blocks that their graphs became.
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

    /// Blocks that nothing leads to become empty ends, so that they define and pass on nothing.
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

    fn push(&mut self, insts: std::ops::Range<u32>, term: Term, origin: Origin) {
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

/// Where execution may go from a block that ends so.
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
