//! Edges of the control flow graph that lead out of a stretch of code, or into it.
//!
//! Takes edges as pairs of positions, and finds those of which one end is in a stretch and the other is not: two
//! priority search trees, binary trees over the edges in the order of one end with the furthest other end below each
//! node. Time is near the number of edges found.

use std::ops::Range;

#[derive(Clone, Copy)]
pub struct Edge {
    /// The position before the instruction that ends the source, and the first position of the target.
    pub from: u32,
    pub to: u32,
    pub weight: u64,
}

impl Edge {
    fn low(&self) -> u32 {
        self.from.min(self.to)
    }

    fn high(&self) -> u32 {
        self.from.max(self.to)
    }
}

pub struct Straddling {
    by_low: Tree,
    by_high: Tree,
}

/// Edges in the order of one end.
struct Tree {
    edges: Vec<Edge>,
    /// By edge: that end.
    ends: Vec<u32>,
    /// A complete binary tree, the root at 1: how far the other ends reach.
    reach: Vec<u32>,
}

impl Straddling {
    pub fn new(edges: &[Edge]) -> Straddling {
        Straddling {
            by_low: Tree::new(edges, Edge::low, Edge::high),
            by_high: Tree::new(edges, Edge::high, |edge| !edge.low()),
        }
    }

    /// Visits the edges of which the lower end is in a stretch, first and last position, and the upper one behind it.
    pub fn below(&self, (first, last): (u32, u32), visit: impl FnMut(Edge)) {
        self.by_low.find((first, last), last, visit);
    }

    /// Visits the edges of which the upper end is in a stretch, and the lower one ahead of it.
    pub fn above(&self, (first, last): (u32, u32), visit: impl FnMut(Edge)) {
        self.by_high.find((first, last), !first, visit);
    }
}

impl Tree {
    fn new(edges: &[Edge], end: impl Fn(&Edge) -> u32, reach: impl Fn(&Edge) -> u32) -> Tree {
        let mut edges = edges.to_vec();
        edges.sort_unstable_by_key(|edge| (end(edge), reach(edge), edge.from));
        let leaves = edges.len().next_power_of_two();
        let mut tree = vec![0; 2 * leaves];
        for (node, edge) in tree[leaves..].iter_mut().zip(&edges) {
            *node = reach(edge);
        }
        for n in (1..leaves).rev() {
            tree[n] = tree[2 * n].max(tree[2 * n + 1]);
        }
        Tree {
            ends: edges.iter().map(end).collect(),
            edges,
            reach: tree,
        }
    }

    /// Visits the edges with their end in a stretch that reach beyond something.
    fn find(&self, (first, last): (u32, u32), beyond: u32, mut visit: impl FnMut(Edge)) {
        let from = self.ends.partition_point(|&end| end < first);
        let to = from + self.ends[from..].partition_point(|&end| end <= last);
        if from < to {
            self.visit(1, self.reach.len() / 2, from..to, beyond, &mut visit);
        }
    }

    /// Of the node's leaves, `width` of them, those of a range are looked at.
    fn visit(
        &self,
        n: usize,
        width: usize,
        range: Range<usize>,
        beyond: u32,
        visit: &mut impl FnMut(Edge),
    ) {
        if range.is_empty() || self.reach[n] <= beyond {
            return;
        }
        if width == 1 {
            return visit(self.edges[n - self.reach.len() / 2]);
        }
        let half = width / 2;
        let behind = range.start.max(half) - half..range.end.max(half) - half;
        let ahead = range.start.min(half)..range.end.min(half);
        self.visit(2 * n, half, ahead, beyond, visit);
        self.visit(2 * n + 1, half, behind, beyond, visit);
    }
}
