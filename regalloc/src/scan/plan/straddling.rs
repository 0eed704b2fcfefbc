//! Edges of the control flow graph that lead out of a stretch of code, or into it.
//!
//! Takes edges as pairs of positions, and finds those of which one end is in a stretch and the other is not: two
//! priority search trees, binary trees over the edges in the order of one end with the furthest other ends below each
//! node. Time is near the number of edges found: edges whose other ends are all at one position, or in code that is not
//! wanted, are left out at once.

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
    /// By position: the number of edges whose end in question is before it.
    ranks: Vec<u32>,
    /// A complete binary tree, the root at 1: how far the other ends reach, and how far those that are elsewhere do.
    reach: Vec<(u32, u32)>,
}

impl Straddling {
    /// Takes edges between so many positions.
    pub fn new(edges: &[Edge], positions: usize) -> Straddling {
        Straddling {
            by_low: Tree::new(edges, positions, Edge::low, Edge::high),
            by_high: Tree::new(edges, positions, Edge::high, |edge| !edge.low()),
        }
    }

    /// Visits the edges of which the lower end is in a stretch, first and last position, and the upper one behind it,
    /// at a position that is wanted. `wanted` is true for code, first and last position, that has such a position.
    pub fn below(
        &self,
        (first, last): (u32, u32),
        wanted: impl Fn(u32, u32) -> bool,
        visit: impl FnMut(Edge),
    ) {
        self.by_low.find((first, last), last, wanted, visit);
    }

    /// Visits the edges of which the upper end is in a stretch, and the lower one ahead of it, at a position that is
    /// wanted.
    pub fn above(
        &self,
        (first, last): (u32, u32),
        wanted: impl Fn(u32, u32) -> bool,
        visit: impl FnMut(Edge),
    ) {
        let wanted = |near: u32, far: u32| wanted(!far, !near);
        self.by_high.find((first, last), !first, wanted, visit);
    }
}

impl Tree {
    fn new(
        edges: &[Edge],
        positions: usize,
        end: impl Fn(&Edge) -> u32,
        reach: impl Fn(&Edge) -> u32,
    ) -> Tree {
        let mut edges = edges.to_vec();
        edges.sort_unstable_by_key(|edge| (end(edge), reach(edge), edge.from));
        let mut ranks = Vec::with_capacity(positions + 1);
        for (n, edge) in edges.iter().enumerate() {
            ranks.resize(end(edge) as usize + 1, n as u32);
        }
        ranks.resize(positions + 1, edges.len() as u32);
        let leaves = edges.len().next_power_of_two();
        let mut tree = vec![(0, 0); 2 * leaves];
        for (node, edge) in tree[leaves..].iter_mut().zip(&edges) {
            *node = (reach(edge), 0);
        }
        for n in (1..leaves).rev() {
            let (a, b) = (tree[2 * n], tree[2 * n + 1]);
            let (most, least) = if a.0 < b.0 { (b, a) } else { (a, b) };
            let other = if most.0 == least.0 { least.1 } else { least.0 };
            tree[n] = (most.0, most.1.max(other));
        }
        Tree {
            edges,
            ranks,
            reach: tree,
        }
    }

    /// Visits the edges with their end in a stretch that reach beyond something, to where it is wanted.
    fn find(
        &self,
        (first, last): (u32, u32),
        beyond: u32,
        wanted: impl Fn(u32, u32) -> bool,
        mut visit: impl FnMut(Edge),
    ) {
        let leaves = self.reach.len() / 2;
        let leaf = |at: u32| leaves + self.ranks[at as usize] as usize;
        let (mut low, mut high) = (leaf(first), leaf(last + 1));
        while low < high {
            if low % 2 == 1 {
                self.visit(low, beyond, &wanted, &mut visit);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.visit(high, beyond, &wanted, &mut visit);
            }
            low /= 2;
            high /= 2;
        }
    }

    fn visit(
        &self,
        n: usize,
        beyond: u32,
        wanted: &impl Fn(u32, u32) -> bool,
        visit: &mut impl FnMut(Edge),
    ) {
        let (reach, elsewhere) = self.reach[n];
        let near = if elsewhere > beyond {
            beyond + 1
        } else {
            reach
        };
        if reach <= beyond || !wanted(near, reach) {
            return;
        }
        let leaves = self.reach.len() / 2;
        if elsewhere > beyond {
            self.visit(2 * n, beyond, wanted, visit);
            self.visit(2 * n + 1, beyond, wanted, visit);
        } else {
            self.visit_all(n, leaves, beyond, visit);
        }
    }

    /// Visits the edges below a node that reach beyond something.
    fn visit_all(&self, n: usize, leaves: usize, beyond: u32, visit: &mut impl FnMut(Edge)) {
        if self.reach[n].0 <= beyond {
            return;
        }
        if n >= leaves {
            return visit(self.edges[n - leaves]);
        }
        self.visit_all(2 * n, leaves, beyond, visit);
        self.visit_all(2 * n + 1, leaves, beyond, visit);
    }
}
