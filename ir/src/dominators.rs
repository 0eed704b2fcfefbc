//! Dominators of the linear graph.
//!
//! Takes blocks and routines. Guarantees a dominator tree for each routine, in arrays. The algorithm is Semi-NCA
//! (Georgiadis): semidominators by a depth-first numbering with path compression, then the nearest common ancestor of
//! the tree's parent and the semidominator. Its time is nearly linear on every graph; the iterative algorithm of Cooper,
//! Harvey and Kennedy walks up long chains for each predecessor of a block that has many, as the exit of a switch.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

use crate::func::{Block, BlockData, Function, Routine, RoutineData};

const NONE: u32 = u32::MAX;

/// Dominator trees of the reachable blocks.
pub struct Dominators {
    /// Reachable blocks, in preorder of the depth-first search from the entries.
    preorder: Vec<Block>,
    /// By block: the immediate dominator; entries and unreachable blocks have none.
    idom: SecondaryMap<Block, Option<Block>>,
    /// By block: the times at which a walk over the dominator tree enters and leaves it. A block dominates those whose
    /// times lie between its own.
    enter: Vec<u32>,
    leave: Vec<u32>,
    /// By block: its depth in the tree.
    depth: Vec<u32>,
}

impl Dominators {
    pub fn new(func: &Function) -> Dominators {
        Dominators::of(&func.blocks, &func.routines)
    }

    /// Dominators of a function's blocks before it is complete.
    pub fn of(
        blocks: &PrimaryMap<Block, BlockData>,
        routines: &PrimaryMap<Routine, RoutineData>,
    ) -> Dominators {
        let entries = routines.values().map(|routine| routine.blocks.start);
        let (preorder, parent, number) = depth_first(blocks, entries);
        let count = preorder.len();
        // Vertices are preorder numbers from here on.
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut ancestor = vec![NONE; count];
        let mut label: Vec<u32> = (0..count as u32).collect();
        let mut path = Vec::new();
        let is_root = |parent: &[u32], w: usize| parent[w] as usize == w;
        for w in (0..count).rev().filter(|&w| !is_root(&parent, w)) {
            for p in &blocks[preorder[w]].preds {
                let v = number[p.index()];
                if v == NONE {
                    continue;
                }
                let u = evaluate(v, &mut ancestor, &mut label, &semi, &mut path);
                semi[w] = semi[w].min(semi[u as usize]);
            }
            ancestor[w] = parent[w];
        }
        let mut idoms = parent;
        for w in 0..count {
            if is_root(&idoms, w) {
                continue;
            }
            let mut up = idoms[w];
            while up > semi[w] {
                up = idoms[up as usize];
            }
            idoms[w] = up;
        }
        let mut idom = SecondaryMap::new();
        idom.resize(blocks.len());
        let mut depth = vec![0; blocks.len()];
        for w in (0..count).filter(|&w| !is_root(&idoms, w)) {
            let up = preorder[idoms[w] as usize];
            idom[preorder[w]] = Some(up);
            depth[preorder[w].index()] = depth[up.index()] + 1;
        }
        let (enter, leave) = times(&preorder, &idoms, blocks.len());
        Dominators {
            preorder,
            idom,
            enter,
            leave,
            depth,
        }
    }

    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block]
    }

    pub fn is_reachable(&self, block: Block) -> bool {
        self.leave[block.index()] != 0
    }

    /// Reachable blocks, dominators before the blocks that they dominate.
    pub fn reachable(&self) -> &[Block] {
        &self.preorder
    }

    /// True if every path from the entry to `b` leads through `a`; false for unreachable blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (a.index(), b.index());
        self.enter[a] <= self.enter[b] && self.leave[b] <= self.leave[a] && self.leave[b] != 0
    }

    /// Number of blocks that strictly dominate the block.
    pub fn depth(&self, block: Block) -> u32 {
        self.depth[block.index()]
    }
}

/// Blocks in preorder; the number of each one's parent (an entry's is its own); the number of each block.
fn depth_first(
    blocks: &PrimaryMap<Block, BlockData>,
    entries: impl Iterator<Item = Block>,
) -> (Vec<Block>, Vec<u32>, Vec<u32>) {
    let mut preorder = Vec::with_capacity(blocks.len());
    let mut parent = Vec::with_capacity(blocks.len());
    let mut number = vec![NONE; blocks.len()];
    let mut stack = Vec::new();
    for entry in entries {
        stack.push((entry, NONE));
        while let Some((b, from)) = stack.pop() {
            if number[b.index()] != NONE {
                continue;
            }
            let n = preorder.len() as u32;
            number[b.index()] = n;
            preorder.push(b);
            parent.push(if from == NONE { n } else { from });
            let later = blocks[b].succs.iter().rev();
            stack.extend(
                later
                    .filter(|e| number[e.to.index()] == NONE)
                    .map(|e| (e.to, n)),
            );
        }
    }
    (preorder, parent, number)
}

/// The vertex of least semidominator on the path from `v` up to the root of its tree; the path is compressed.
fn evaluate(
    v: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    if ancestor[v as usize] == NONE {
        return v;
    }
    path.clear();
    let mut at = v;
    while ancestor[ancestor[at as usize] as usize] != NONE {
        path.push(at);
        at = ancestor[at as usize];
    }
    let root = ancestor[at as usize];
    let mut best = label[at as usize];
    while let Some(at) = path.pop() {
        let own = label[at as usize];
        if semi[best as usize] < semi[own as usize] {
            label[at as usize] = best;
        } else {
            best = own;
        }
        ancestor[at as usize] = root;
    }
    label[v as usize]
}

/// Times at which a walk over the tree enters and leaves each block; parents have smaller numbers than children.
fn times(preorder: &[Block], idoms: &[u32], blocks: usize) -> (Vec<u32>, Vec<u32>) {
    let count = preorder.len();
    let is_root = |w: usize| idoms[w] as usize == w;
    let mut size = vec![1u32; count];
    for w in (0..count).rev().filter(|&w| !is_root(w)) {
        size[idoms[w] as usize] += size[w];
    }
    let mut enter = vec![0; blocks];
    let mut leave = vec![0; blocks];
    // Time of the next child of each block, and of the next tree.
    let mut next = vec![1u32; count];
    let mut tree = 0;
    let mut start = vec![0u32; count];
    for w in 0..count {
        if is_root(w) {
            start[w] = tree;
            tree += size[w];
        } else {
            let up = idoms[w] as usize;
            start[w] = start[up] + next[up];
            next[up] += size[w];
        }
        enter[preorder[w].index()] = start[w];
        leave[preorder[w].index()] = start[w] + size[w];
    }
    (enter, leave)
}
