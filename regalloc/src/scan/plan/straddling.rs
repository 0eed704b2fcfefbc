//! Edges of the control flow graph that go over a position of the code.
//!
//! Takes edges as pairs of positions, and finds those of which one end is before a position and the other behind it:
//! an interval tree, a binary tree over the edges in the order of their lower ends with the greatest upper end below
//! each node. Time is near the number of edges found.

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
    /// In the order of their lower ends.
    edges: Vec<Edge>,
    /// A complete binary tree, the root at 1: the greatest upper end.
    highs: Vec<u32>,
}

impl Straddling {
    pub fn new(mut edges: Vec<Edge>) -> Straddling {
        edges.sort_unstable_by_key(|edge| (edge.low(), edge.high(), edge.from));
        let leaves = edges.len().next_power_of_two();
        let mut highs = vec![0; 2 * leaves];
        for (high, edge) in highs[leaves..].iter_mut().zip(&edges) {
            *high = edge.high();
        }
        for n in (1..leaves).rev() {
            highs[n] = highs[2 * n].max(highs[2 * n + 1]);
        }
        Straddling { edges, highs }
    }

    /// Visits the edges of which one end is at a position or before it, and the other after it.
    pub fn over(&self, at: u32, mut visit: impl FnMut(Edge)) {
        let count = self.edges.partition_point(|edge| edge.low() <= at);
        self.below(1, self.highs.len() / 2, count, at, &mut visit);
    }

    /// Of the node's leaves, `width` of them, the first `count` begin low enough.
    fn below(&self, n: usize, width: usize, count: usize, at: u32, visit: &mut impl FnMut(Edge)) {
        if count == 0 || self.highs[n] <= at {
            return;
        }
        if width == 1 {
            return visit(self.edges[n - self.highs.len() / 2]);
        }
        let half = width / 2;
        self.below(2 * n, half, count.min(half), at, visit);
        self.below(2 * n + 1, half, count.saturating_sub(half), at, visit);
    }
}
