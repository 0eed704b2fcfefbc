//! Basic blocks of machine code and their loop depths.
//!
//! Takes decoded code of any compiler. A block begins at each branch target and after each branch. Control flow is
//! taken from the branch targets alone, whatever channels are active: only repetition matters here, and that needs a
//! back edge. Loops are those of a depth-first tree (Havlak, "Nesting of Reducible and Irreducible Loops"): an edge
//! to an ancestor makes a loop of all blocks that reach it below that ancestor. Each block is merged into its loop
//! once, so that the time is nearly linear in the number of edges. A subroutine adds the depth of its deepest call.

use smallvec::SmallVec;

use crate::inst::{Inst, Op, Target};

/// The absent block.
const NONE: u32 = u32::MAX;
/// Maximum loop depth that counts, callers' loops included. Recursion ends here.
pub(super) const DEPTH_MAX: u32 = 8;

/// The basic blocks of a piece of code.
pub(super) struct Blocks {
    /// Index of each block's first instruction; the last entry is the number of instructions.
    pub starts: Vec<u32>,
    /// Loop depth of each block.
    pub depths: Vec<u32>,
    /// First block of the innermost loop around each block, and the loop around that.
    pub heads: Vec<Option<u32>>,
    pub around: Vec<Option<u32>>,
}

/// Basic blocks and their successors.
struct Graph {
    starts: Vec<u32>,
    succs: Vec<SmallVec<[u32; 3]>>,
    /// Calls: the calling block and the called one.
    calls: Vec<(u32, u32)>,
}

impl Blocks {
    pub fn new(code: &[Inst]) -> Blocks {
        let graph = Graph::new(code);
        let tree = Tree::new(&graph);
        let (heads, around) = tree.heads(&graph);
        let depths = graph.depths(&tree, &heads, &around);
        Blocks {
            starts: graph.starts,
            depths,
            heads,
            around,
        }
    }
}

/// True if execution never falls through to the next instruction.
fn ends(inst: &Inst) -> bool {
    let always = inst.pred.is_none();
    match inst.op {
        Op::Jmpi | Op::Brd | Op::Ret => always,
        _ => inst.msg.is_some_and(|message| message.eot),
    }
}

impl Graph {
    fn new(code: &[Inst]) -> Graph {
        let mut offsets = Vec::with_capacity(code.len());
        let mut offset = 0i64;
        for inst in code {
            offsets.push(offset);
            offset += i64::from(inst.size());
        }
        let place = |at: usize, target: Option<Target>| match target {
            Some(Target::Offset(by)) if !code[at].op.branches_to_place() => {
                let to = offsets[at] + i64::from(by);
                offsets.binary_search(&to).ok()
            }
            _ => None,
        };
        let targets = |at: usize| {
            let inst = &code[at];
            [inst.jip, inst.uip].map(|target| place(at, target))
        };
        let mut leads = vec![false; code.len()];
        for (at, inst) in code.iter().enumerate() {
            leads[at] |= at == 0;
            for to in targets(at).into_iter().flatten() {
                leads[to] = true;
            }
            if (inst.op.is_branch() || ends(inst)) && at + 1 < code.len() {
                leads[at + 1] = true;
            }
        }
        let mut starts = Vec::new();
        let mut block_of = vec![0; code.len()];
        for (at, leads) in leads.iter().enumerate() {
            if *leads {
                starts.push(at as u32);
            }
            block_of[at] = starts.len() as u32 - 1;
        }
        let count = starts.len();
        starts.push(code.len() as u32);
        let mut graph = Graph {
            succs: vec![SmallVec::new(); count],
            calls: Vec::new(),
            starts,
        };
        for block in 0..count {
            let last = graph.starts[block + 1] as usize - 1;
            let inst = &code[last];
            let there = targets(last).into_iter().flatten().map(|to| block_of[to]);
            if matches!(inst.op, Op::Call | Op::Calla) {
                graph.calls.extend(there.map(|to| (block as u32, to)));
            } else {
                graph.succs[block].extend(there);
            }
            if !ends(inst) && block + 1 < count {
                graph.succs[block].push(block as u32 + 1);
            }
        }
        graph
    }

    /// Loop depth of each block, including that of its subroutine's calls.
    fn depths(&self, tree: &Tree, heads: &[Option<u32>], around: &[Option<u32>]) -> Vec<u32> {
        let own = depths(heads, around);
        // Depth that callers add to each routine, as far as it is known.
        let mut base = vec![0u32; self.succs.len()];
        let mut calls: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.succs.len()];
        for &(from, to) in &self.calls {
            calls[tree.root[from as usize] as usize].push((from, to));
        }
        let mut open: Vec<u32> = (0..self.succs.len() as u32).collect();
        while let Some(routine) = open.pop() {
            for &(from, to) in &calls[routine as usize] {
                let callee = tree.root[to as usize];
                let depth = (base[routine as usize] + own[from as usize]).min(DEPTH_MAX);
                if base[callee as usize] < depth {
                    base[callee as usize] = depth;
                    open.push(callee);
                }
            }
        }
        let depth = |(own, root): (&u32, &u32)| (own + base[*root as usize]).min(DEPTH_MAX);
        own.iter().zip(&tree.root).map(depth).collect()
    }
}

/// Depth-first trees that together cover all blocks. The first has its root at the entry, others at called blocks
/// that were not reached, and the rest at blocks that nothing leads to.
struct Tree {
    /// Blocks in preorder.
    order: Vec<u32>,
    /// Preorder number of each block.
    number: Vec<u32>,
    /// Largest preorder number among the descendants of each number.
    last: Vec<u32>,
    /// Root of the tree that each block is in.
    root: Vec<u32>,
}

impl Tree {
    fn new(graph: &Graph) -> Tree {
        let count = graph.succs.len();
        let mut tree = Tree {
            order: Vec::with_capacity(count),
            number: vec![NONE; count],
            last: vec![0; count],
            root: vec![NONE; count],
        };
        let called = graph.calls.iter().map(|(_, to)| *to);
        let roots = std::iter::once(0).chain(called).chain(0..count as u32);
        for root in roots.filter(|root| (*root as usize) < count) {
            if tree.number[root as usize] == NONE {
                tree.grow(graph, root);
            }
        }
        tree
    }

    fn enter(&mut self, block: u32, root: u32) {
        self.number[block as usize] = self.order.len() as u32;
        self.root[block as usize] = root;
        self.order.push(block);
    }

    fn grow(&mut self, graph: &Graph, root: u32) {
        self.enter(root, root);
        let mut path = vec![(root, 0)];
        while let Some((block, next)) = path.last_mut() {
            let (block, edge) = (*block, *next);
            *next += 1;
            match graph.succs[block as usize].get(edge) {
                Some(&to) if self.number[to as usize] == NONE => {
                    self.enter(to, root);
                    path.push((to, 0));
                }
                Some(_) => {}
                None => {
                    let number = self.number[block as usize] as usize;
                    self.last[number] = self.order.len() as u32 - 1;
                    path.pop();
                }
            }
        }
    }

    /// By block: the header of the innermost loop that it is in, itself if it is one, and of the loop around that one. Works on
    /// preorder numbers.
    fn heads(&self, graph: &Graph) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let count = self.order.len();
        let mut preds: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); count];
        for (from, succs) in graph.succs.iter().enumerate() {
            for &to in succs {
                preds[self.number[to as usize] as usize].push(self.number[from]);
            }
        }
        // Header of the innermost loop around each block, not counting a header's own loop.
        let mut head = vec![NONE; count];
        let mut is_head = vec![false; count];
        let mut merged: Vec<u32> = (0..count as u32).collect();
        for at in (0..count as u32).rev() {
            let below = at..=self.last[at as usize];
            let mut open: Vec<u32> = Vec::new();
            for &from in preds[at as usize]
                .iter()
                .filter(|from| below.contains(from))
            {
                is_head[at as usize] = true;
                open.push(find(&mut merged, from));
            }
            while let Some(block) = open.pop() {
                if block == at || head[block as usize] != NONE {
                    continue;
                }
                head[block as usize] = at;
                merged[block as usize] = at;
                for &from in &preds[block as usize] {
                    let from = find(&mut merged, from);
                    if below.contains(&from) {
                        open.push(from);
                    }
                }
            }
        }
        let block = |number: u32| (number != NONE).then(|| self.order[number as usize]);
        let of = |number: u32| {
            let around = head[number as usize];
            match is_head[number as usize] {
                true => (self.order[number as usize].into(), block(around)),
                false if around == NONE => (None, None),
                false => (block(around), block(head[around as usize])),
            }
        };
        self.number.iter().map(|number| of(*number)).unzip()
    }
}

/// Loop depth of each block within its own routine.
fn depths(heads: &[Option<u32>], around: &[Option<u32>]) -> Vec<u32> {
    let mut depths: Vec<Option<u32>> = vec![None; heads.len()];
    let mut path = Vec::new();
    for head in heads.iter().flatten() {
        let mut at = Some(*head);
        while let Some(head) = at.filter(|head| depths[*head as usize].is_none()) {
            path.push(head);
            at = around[head as usize];
        }
        let mut depth = at.and_then(|at| depths[at as usize]).unwrap_or(0);
        while let Some(head) = path.pop() {
            depth += 1;
            depths[head as usize] = Some(depth);
        }
    }
    let of = |head: &Option<u32>| head.and_then(|head| depths[head as usize]).unwrap_or(0);
    heads.iter().map(of).collect()
}

/// Header of the outermost loop found so far that contains the block.
fn find(merged: &mut [u32], mut at: u32) -> u32 {
    while merged[at as usize] != at {
        let above = merged[merged[at as usize] as usize];
        merged[at as usize] = above;
        at = above;
    }
    at
}

#[cfg(test)]
#[path = "tests/loops.rs"]
mod tests;
