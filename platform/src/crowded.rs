//! Positions of the code at which more values live than there are units.
//!
//! Takes the excess of each position, and counts the positions of a range that still have one, while ranges get lower
//! and higher. A segment tree with pending sums over the positions that have an excess at first; a position is looked
//! at alone once, when it has none any more, so that all changes together take time near their number.

/// No position of a range has an excess.
const NONE_OVER: i32 = i32::MAX / 2;
/// The excess of a leaf that stands for no position.
const NO_POSITION: i32 = i32::MIN / 2;

#[derive(Clone, Copy)]
struct Node {
    /// Number of positions that still have an excess.
    over: u32,
    /// The least excess of these.
    least: i32,
    /// The greatest excess of all positions.
    most: i32,
    /// The number still to be added to the nodes below.
    pending: i32,
}

impl Node {
    const EMPTY: Node = Node {
        over: 0,
        least: NONE_OVER,
        most: NO_POSITION,
        pending: 0,
    };

    fn add(&mut self, by: i32) {
        if self.over > 0 {
            self.least += by;
        }
        self.most += by;
        self.pending += by;
    }
}

pub struct Crowded {
    /// By position: the number of positions before it that had an excess at first.
    ranks: Vec<u32>,
    /// A complete binary tree, the root at 1.
    nodes: Vec<Node>,
    leaves: usize,
}

impl Crowded {
    pub fn new(excess: &[i32]) -> Crowded {
        let mut ranks = Vec::with_capacity(excess.len() + 1);
        let mut over: Vec<i32> = Vec::new();
        for &excess in excess {
            ranks.push(over.len() as u32);
            if excess > 0 {
                over.push(excess);
            }
        }
        ranks.push(over.len() as u32);
        let leaves = over.len().next_power_of_two();
        let mut crowded = Crowded {
            ranks,
            nodes: vec![Node::EMPTY; 2 * leaves],
            leaves,
        };
        for (node, excess) in crowded.nodes[leaves..].iter_mut().zip(over) {
            *node = Node {
                over: 1,
                least: excess,
                most: excess,
                pending: 0,
            };
        }
        for n in (1..leaves).rev() {
            crowded.sum(n);
        }
        crowded
    }

    /// Number of positions that still have an excess.
    pub fn total(&self) -> u32 {
        self.nodes[1].over
    }

    /// Number of positions from one to before another that still have an excess.
    pub fn over(&self, from: u32, to: u32) -> u32 {
        let (mut low, mut high) = self.leaves(from, to);
        let mut over = 0;
        while low < high {
            if low % 2 == 1 {
                over += self.nodes[low].over;
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                over += self.nodes[high].over;
            }
            low /= 2;
            high /= 2;
        }
        over
    }

    /// Number of positions from one to before another that had an excess at first.
    pub fn first_over(&self, from: u32, to: u32) -> u32 {
        let (low, high) = self.leaves(from, to);
        high.saturating_sub(low) as u32
    }

    /// Adds to the excess of each position from one to before another.
    pub fn add(&mut self, from: u32, to: u32, by: i32) {
        let (low, high) = self.leaves(from, to);
        if low < high {
            self.add_below(1, self.leaves, (low - self.leaves, high - self.leaves), by);
        }
    }

    /// The greatest excess of a position from one to before another.
    pub fn most(&self, from: u32, to: u32) -> i32 {
        let (low, high) = self.leaves(from, to);
        match low < high {
            true => self.most_below(1, self.leaves, (low - self.leaves, high - self.leaves)),
            false => NO_POSITION,
        }
    }

    fn leaves(&self, from: u32, to: u32) -> (usize, usize) {
        let leaf = |at: u32| self.leaves + self.ranks[at as usize] as usize;
        (leaf(from), leaf(to))
    }

    /// A node with `width` leaves, of which those in the range change.
    fn add_below(&mut self, n: usize, width: usize, (low, high): (usize, usize), by: i32) {
        let node = &mut self.nodes[n];
        let is_whole = low == 0 && high == width;
        if is_whole && node.least + by > 0 {
            node.add(by);
            return;
        }
        if width == 1 {
            node.add(by);
            (node.over, node.least) = (0, NONE_OVER);
            return;
        }
        let pending = std::mem::take(&mut node.pending);
        let half = width / 2;
        for child in [2 * n, 2 * n + 1] {
            self.nodes[child].add(pending);
        }
        if low < half {
            self.add_below(2 * n, half, (low, high.min(half)), by);
        }
        if high > half {
            self.add_below(2 * n + 1, half, (low.max(half) - half, high - half), by);
        }
        self.sum(n);
    }

    fn most_below(&self, n: usize, width: usize, (low, high): (usize, usize)) -> i32 {
        if low == 0 && high == width {
            return self.nodes[n].most;
        }
        let half = width / 2;
        let mut most = NO_POSITION;
        if low < half {
            most = most.max(self.most_below(2 * n, half, (low, high.min(half))));
        }
        if high > half {
            let range = (low.max(half) - half, high - half);
            most = most.max(self.most_below(2 * n + 1, half, range));
        }
        most + self.nodes[n].pending
    }

    fn sum(&mut self, n: usize) {
        let (a, b) = (self.nodes[2 * n], self.nodes[2 * n + 1]);
        self.nodes[n] = Node {
            over: a.over + b.over,
            least: a.least.min(b.least),
            most: a.most.max(b.most),
            pending: 0,
        };
    }
}
