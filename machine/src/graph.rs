//! The graph of a function's blocks: predecessors, reverse postorder, dominators.
//!
//! Arrays by block number. The algorithm for dominators is Lengauer and Tarjan's with path compression: the time is
//! nearly linear on every graph. They are computed at the first question, since most passes need the order only.

use std::ops::Range;
use std::sync::OnceLock;

use crate::func::{Block, Function};

/// No block: no parent, or unreachable.
const NONE: u32 = u32::MAX;

/// The graph of a function's blocks at the time of construction.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Predecessors of all blocks, in the order of the blocks; one with two edges is listed twice.
    preds: Vec<Block>,
    /// By block: the start of its list in `preds`; then the end of the last list.
    starts: Vec<u32>,
    /// Reachable blocks, each after its predecessors except by back edges.
    order: Vec<Block>,
    /// By block: its index in `order`.
    place: Vec<u32>,
    walk: Walk,
    dominators: OnceLock<Dominators>,
}

#[derive(Clone, Debug)]
struct Dominators {
    /// Immediate dominators.
    idom: Vec<u32>,
    /// By block: the times at which a walk over the dominator tree enters and leaves it.
    tree: Vec<Range<u32>>,
}

impl Graph {
    pub fn new(func: &Function) -> Graph {
        let count = func.blocks.len();
        let mut starts = vec![0u32; count + 1];
        for edge in func.blocks.values().flat_map(|data| &data.succs) {
            starts[edge.to.as_u32() as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut preds = vec![Block::from_u32(0); starts[count] as usize];
        for (block, data) in func.blocks.iter() {
            for edge in &data.succs {
                let at = &mut next[edge.to.as_u32() as usize];
                preds[*at as usize] = block;
                *at += 1;
            }
        }
        let (walk, mut order) = Walk::new(func);
        order.reverse();
        let mut place = vec![NONE; count];
        for (i, block) in order.iter().enumerate() {
            place[block.as_u32() as usize] = i as u32;
        }
        Graph {
            preds,
            starts,
            order,
            place,
            walk,
            dominators: OnceLock::new(),
        }
    }

    /// True if the function has these blocks and edges.
    pub fn is_of(&self, func: &Function) -> bool {
        let graph = Graph::new(func);
        (&graph.preds, &graph.starts, &graph.order) == (&self.preds, &self.starts, &self.order)
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.place.len()
    }

    pub fn preds(&self, block: Block) -> &[Block] {
        let b = block.as_u32() as usize;
        &self.preds[self.starts[b] as usize..self.starts[b + 1] as usize]
    }

    /// Reachable blocks, in reverse postorder.
    pub fn order(&self) -> &[Block] {
        &self.order
    }

    pub fn is_reached(&self, block: Block) -> bool {
        self.place[block.as_u32() as usize] != NONE
    }

    /// The block's index in [`Graph::order`].
    pub fn place(&self, block: Block) -> Option<usize> {
        let place = self.place[block.as_u32() as usize];
        (place != NONE).then_some(place as usize)
    }

    /// The immediate dominator; none for the entry.
    pub fn idom(&self, block: Block) -> Option<Block> {
        let idom = self.dominators().idom[block.as_u32() as usize];
        (idom != NONE).then(|| Block::from_u32(idom))
    }

    /// True if every path from the entry to `block` leads through `over`; a block dominates itself. False if either
    /// is unreachable.
    pub fn dominates(&self, over: Block, block: Block) -> bool {
        let tree = &self.dominators().tree;
        let over = &tree[over.as_u32() as usize];
        over.contains(&tree[block.as_u32() as usize].start)
    }

    /// Preorder numbers in the dominator tree of the blocks that `block` dominates, its own first. Empty if it is
    /// unreachable.
    pub fn dominated(&self, block: Block) -> Range<u32> {
        self.dominators().tree[block.as_u32() as usize].clone()
    }

    fn dominators(&self) -> &Dominators {
        self.dominators.get_or_init(|| Dominators::new(self))
    }
}

impl Dominators {
    fn new(graph: &Graph) -> Dominators {
        let walk = &graph.walk;
        let mut dominators = Dominators {
            idom: vec![NONE; graph.place.len()],
            tree: vec![0..0; graph.place.len()],
        };
        // Vertices are preorder numbers from here on.
        let count = walk.preorder.len();
        let mut forest = Forest {
            path: Vec::new(),
            ancestor: vec![NONE; count],
            label: (0..count as u32).collect(),
            semi: (0..count as u32).collect(),
        };
        let mut idom = vec![0u32; count];
        // By vertex: the vertices whose semidominator it is, as linked lists.
        let mut bucket = vec![NONE; count];
        let mut next = vec![NONE; count];
        for w in (1..count).rev() {
            let parent = walk.parent[w] as usize;
            for &pred in graph.preds(walk.preorder[w]) {
                let v = walk.number[pred.as_u32() as usize];
                if v != NONE {
                    let u = forest.eval(v);
                    forest.semi[w] = forest.semi[w].min(forest.semi[u as usize]);
                }
            }
            let semi = forest.semi[w] as usize;
            next[w] = bucket[semi];
            bucket[semi] = w as u32;
            forest.ancestor[w] = parent as u32;
            let mut v = std::mem::replace(&mut bucket[parent], NONE);
            while v != NONE {
                let u = forest.eval(v);
                let nearer = forest.semi[u as usize] < forest.semi[v as usize];
                idom[v as usize] = if nearer { u } else { parent as u32 };
                v = next[v as usize];
            }
        }
        for w in 1..count {
            if idom[w] != forest.semi[w] {
                idom[w] = idom[idom[w] as usize];
            }
            let block = walk.preorder[w].as_u32() as usize;
            dominators.idom[block] = walk.preorder[idom[w] as usize].as_u32();
        }
        // Preorder numbers of the tree without walking it: sizes from the leaves up, then each
        // child's place in its parent's range. A dominator's preorder number is the smaller.
        let mut size = vec![1u32; count];
        for w in (1..count).rev() {
            size[idom[w] as usize] += size[w];
        }
        let mut free = vec![1u32; count];
        let mut start = vec![0u32; count];
        for w in 0..count {
            if w > 0 {
                let above = idom[w] as usize;
                start[w] = start[above] + free[above];
                free[above] += size[w];
            }
            // Unreachable blocks keep an empty range at 0.
            let first = start[w] + 1;
            dominators.tree[walk.preorder[w].as_u32() as usize] = first..first + size[w];
        }
        dominators
    }
}

/// By block: its loop depth, counted by the back edges around it.
pub fn depths(func: &Function) -> Vec<u32> {
    let mut change = vec![0i64; func.blocks.len() + 1];
    for (b, block) in func.blocks.iter() {
        for edge in block.succs.iter().filter(|e| e.to <= b) {
            change[edge.to.as_u32() as usize] += 1;
            change[b.as_u32() as usize + 1] -= 1;
        }
    }
    let mut depth = 0;
    change
        .iter()
        .map(|c| {
            depth += c;
            depth as u32
        })
        .collect()
}

/// A depth-first search from the entry.
#[derive(Clone, Debug)]
struct Walk {
    preorder: Vec<Block>,
    /// By block: its preorder number.
    number: Vec<u32>,
    /// By preorder number: the parent in the search tree.
    parent: Vec<u32>,
}

impl Walk {
    /// The search, and the blocks in postorder.
    fn new(func: &Function) -> (Walk, Vec<Block>) {
        let count = func.blocks.len();
        let mut walk = Walk {
            preorder: Vec::with_capacity(count),
            number: vec![NONE; count],
            parent: Vec::with_capacity(count),
        };
        let mut postorder = Vec::with_capacity(count);
        if count == 0 {
            return (walk, postorder);
        }
        // Blocks on the current path, with the next successor to visit.
        let mut stack = Vec::new();
        walk.enter(func.entry(), NONE, &mut stack);
        while let Some((block, n)) = stack.last_mut() {
            let (from, at) = (*block, *n);
            match func.blocks[from].succs.get(at) {
                Some(edge) => {
                    *n += 1;
                    if walk.number[edge.to.as_u32() as usize] == NONE {
                        let parent = walk.number[from.as_u32() as usize];
                        walk.enter(edge.to, parent, &mut stack);
                    }
                }
                None => {
                    postorder.push(from);
                    stack.pop();
                }
            }
        }
        (walk, postorder)
    }

    fn enter(&mut self, block: Block, parent: u32, stack: &mut Vec<(Block, usize)>) {
        self.number[block.as_u32() as usize] = self.preorder.len() as u32;
        self.preorder.push(block);
        self.parent.push(parent);
        stack.push((block, 0));
    }
}

/// The linked part of the search tree, with the least semidominator on each compressed path.
struct Forest {
    /// The current path up, empty between calls.
    path: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
}

impl Forest {
    /// The vertex of least semidominator on the path from `v` to the root of its tree.
    fn eval(&mut self, v: u32) -> u32 {
        let mut at = v;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        // The last vertex of the path is a child of the root already.
        self.path.pop();
        while let Some(v) = self.path.pop() {
            let v = v as usize;
            let above = self.ancestor[v] as usize;
            if self.semi[self.label[above] as usize] < self.semi[self.label[v] as usize] {
                self.label[v] = self.label[above];
            }
            self.ancestor[v] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}
