//! Where the values of an adapted function live, and how far it is to their next use.
//!
//! Takes a function as the adapter presents it and leaves, for each block, the values that live at its
//! start and at its end with the distance to their next use from there; for each operand, whether its
//! value dies there; for each value, the positions between which it lives. A position is twice the
//! number of an instruction, and one more behind it. `follow` finds where values live.

use regalloc2::{Block, Function, Inst, OperandKind, OperandPos};

use super::follow::Followed;
use crate::adapter::Adapter;

/// Farther than any use.
pub const FAR: u32 = u32::MAX / 4;
/// A use behind the end of a loop is so much further away than one in it.
pub const BEHIND_LOOP: u32 = 1 << 20;
pub(super) const NONE: u32 = u32::MAX;

/// Lists of one vector, by number.
#[derive(Default)]
pub struct Lists<T> {
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) pool: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    fn new(count: usize) -> Lists<T> {
        Lists {
            ranges: vec![(0, 0); count],
            pool: Vec::new(),
        }
    }

    /// Lists of what has these numbers, in the order in which it comes.
    fn sorted(count: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Lists<T> {
        let mut lists = Lists::new(count);
        let mut total = 0;
        for (n, _) in items.clone() {
            lists.ranges[n as usize].1 += 1;
            total += 1;
        }
        let mut at = 0;
        for range in &mut lists.ranges {
            let len = range.1;
            *range = (at, at);
            at += len;
        }
        lists.pool = vec![T::default(); total];
        for (n, item) in items {
            let end = &mut lists.ranges[n as usize].1;
            lists.pool[*end as usize] = item;
            *end += 1;
        }
        lists
    }

    pub fn of(&self, n: usize) -> &[T] {
        let (from, to) = self.ranges[n];
        &self.pool[from as usize..to as usize]
    }
}

/// A value with the distance to its next use.
#[derive(Clone, Copy, Default)]
pub struct Far {
    pub v: u32,
    pub distance: u32,
}

/// By value: the spans in which it lives, ascending, from a position to before another.
pub type Spans = Lists<(u32, u32)>;

pub struct Lives {
    /// The positions that use each value, in the order of the code: twice the number of an instruction, and
    /// one more if it reads the value late.
    uses: Lists<u32>,
    /// By block, ascending by value: those that live at its start but for its parameters, and at its end,
    /// with what is passed to the next block.
    ins: Lists<Far>,
    outs: Lists<Far>,
    /// The distance of each parameter's first use from the start of its block.
    params: Vec<u32>,
    pub spans: Spans,
    /// By value: something uses it, or it is passed on.
    wanted: Vec<bool>,
    /// By operand: a use after which its value is not wanted, or a definition that is never used.
    dies: Vec<bool>,
    /// By block: loops around it, and values that live at once in it at most.
    pub depth: Vec<u32>,
    pub most: Vec<u32>,
}

impl Lives {
    pub fn new(input: &Adapter) -> Lives {
        let (blocks, values) = (input.num_blocks(), input.num_vregs());
        let mut lives = Lives {
            uses: Lists::default(),
            ins: Lists::default(),
            outs: Lists::new(blocks),
            params: vec![FAR; values],
            spans: Lists::default(),
            wanted: Vec::new(),
            dies: vec![false; input.operand_count()],
            depth: depths(input),
            most: vec![0; blocks],
        };
        lives.follow(input);
        lives.measure(input);
        lives.kill(input);
        lives
    }

    pub fn ins(&self, b: usize) -> &[Far] {
        self.ins.of(b)
    }

    pub fn outs(&self, b: usize) -> &[Far] {
        self.outs.of(b)
    }

    /// Whether an operand is the last that wants its value.
    pub fn dies(&self, operand: u32) -> bool {
        self.dies[operand as usize]
    }

    pub fn is_wanted(&self, v: u32) -> bool {
        self.wanted[v as usize]
    }

    pub fn of_param(&self, v: u32) -> u32 {
        self.params[v as usize]
    }

    /// How far it is from an instruction of a block to the next use of a value behind it.
    pub fn next(&self, v: u32, inst: u32, b: usize, end: u32) -> u32 {
        let uses = self.uses.of(v as usize);
        match uses.get(uses.partition_point(|&u| u / 2 <= inst)) {
            Some(&at) if at < 2 * end => at - 2 * inst,
            _ => {
                let outs = self.outs(b);
                let at = outs.binary_search_by_key(&v, |far| far.v);
                at.map_or(FAR, |at| (2 * (end - inst) + outs[at].distance).min(FAR))
            }
        }
    }

    /// Finds definitions and uses, and where each value lives.
    fn follow(&mut self, input: &Adapter) {
        let (blocks, values) = (input.num_blocks(), input.num_vregs());
        // The block of each definition, and its position.
        let mut defs = vec![(NONE, 0); values];
        let mut uses: Vec<(u32, u32)> = Vec::new();
        // Blocks that use a value and do not define it, each once, and those that pass it on.
        let mut wanted: Vec<(u32, u32)> = Vec::new();
        let mut passed: Vec<(u32, u32)> = Vec::new();
        let mut seen = vec![NONE; values];
        for b in 0..blocks {
            let block = Block::new(b);
            let (first, end) = input.insts_of(b);
            for p in input.block_params(block) {
                defs[p.vreg()] = (b as u32, 2 * first);
            }
            let mut want = |v: usize, defs: &[(u32, u32)]| {
                if defs[v].0 != b as u32 && std::mem::replace(&mut seen[v], b as u32) != b as u32 {
                    wanted.push((v as u32, b as u32));
                }
            };
            for i in first..end {
                for op in input.inst_operands(Inst::new(i as usize)) {
                    let v = op.vreg().vreg();
                    match op.kind() {
                        OperandKind::Use => {
                            let late = u32::from(op.pos() == OperandPos::Late);
                            uses.push((v as u32, 2 * i + late));
                            want(v, &defs);
                        }
                        OperandKind::Def => defs[v] = (b as u32, 2 * i + 1),
                    }
                }
            }
            for s in 0..input.block_succs(block).len() {
                for arg in input.branch_blockparams(block, Inst::invalid(), s) {
                    want(arg.vreg(), &defs);
                    passed.push((arg.vreg() as u32, b as u32));
                }
            }
        }
        self.uses = Lists::sorted(values, uses.iter().copied());
        let wanted = Lists::sorted(values, wanted.iter().copied());
        let passed = Lists::sorted(values, passed.iter().copied());
        let followed = Followed::new(input, &defs, &self.uses, &wanted, &passed);
        self.spans = followed.spans;
        self.wanted = followed.wanted;
        let far = |&(b, v): &(u32, u32)| (b, Far { v, distance: FAR });
        self.ins = Lists::sorted(blocks, followed.lives_in.iter().map(far));
        // They are many, and a vector that grows takes twice what it needs.
        self.outs.pool.reserve_exact(followed.at_ends);
    }

    /// Finds distances: once from the end to the start, and once more for what comes over backward edges.
    fn measure(&mut self, input: &Adapter) {
        let (blocks, values) = (input.num_blocks(), input.num_vregs());
        let has_loops = self.depth.iter().any(|&depth| depth > 0);
        // By value: where it was seen last, and how far its next use is from there.
        let mut seen = vec![NONE; values];
        let mut far = vec![FAR; values];
        let mut out: Vec<u32> = Vec::new();
        for last in [false, true] {
            if !last && !has_loops {
                continue;
            }
            for b in (0..blocks).rev() {
                let here = (b + blocks * usize::from(last)) as u32;
                out.clear();
                let block = Block::new(b);
                for (s, succ) in input.block_succs(block).iter().enumerate() {
                    let leaves = self.depth[succ.index()] < self.depth[b];
                    let more = if leaves { BEHIND_LOOP } else { 0 };
                    let params = input.block_params(*succ);
                    let args = input.branch_blockparams(block, Inst::invalid(), s);
                    let passed = args.iter().zip(params);
                    let passed = passed.map(|(arg, param)| (arg.vreg(), self.params[param.vreg()]));
                    let ins = self.ins(succ.index()).iter();
                    for (v, distance) in ins.map(|f| (f.v as usize, f.distance)).chain(passed) {
                        let distance = (distance + more).min(FAR);
                        if std::mem::replace(&mut seen[v], here) == here {
                            far[v] = far[v].min(distance);
                        } else {
                            far[v] = distance;
                            out.push(v as u32);
                        }
                    }
                }
                if last {
                    // What comes from one block is sorted.
                    if !out.is_sorted() {
                        out.sort();
                    }
                    let from = self.outs.pool.len() as u32;
                    let distance = |v: u32| far[v as usize];
                    let out = out.iter().map(|&v| Far {
                        v,
                        distance: distance(v),
                    });
                    self.outs.pool.extend(out);
                    self.outs.ranges[b] = (from, self.outs.pool.len() as u32);
                }
                let (first, end) = input.insts_of(b);
                for &v in &out {
                    let far = &mut far[v as usize];
                    *far = (2 * (end - first) + *far).min(FAR);
                }
                for i in (first..end).rev() {
                    let ops = input.inst_operands(Inst::new(i as usize)).iter();
                    for op in ops.rev().filter(|op| op.kind() == OperandKind::Use) {
                        let late = u32::from(op.pos() == OperandPos::Late);
                        let v = op.vreg().vreg();
                        seen[v] = here;
                        far[v] = 2 * (i - first) + late;
                    }
                }
                let distance = |v: usize| if seen[v] == here { far[v] } else { FAR };
                for p in input.block_params(block) {
                    self.params[p.vreg()] = distance(p.vreg());
                }
                let (from, to) = self.ins.ranges[b];
                for at in &mut self.ins.pool[from as usize..to as usize] {
                    at.distance = distance(at.v as usize);
                }
            }
        }
    }

    /// Finds which operands are the last that want their values, from each block's end to its start, and how many
    /// values live at once in it, at most. Values that live are marked by the block's number.
    fn kill(&mut self, input: &Adapter) {
        let mut live = vec![NONE; input.num_vregs()];
        for b in 0..self.most.len() {
            let mark = b as u32;
            let outs = self.outs.of(b);
            for far in outs {
                live[far.v as usize] = mark;
            }
            let mut count = outs.len() as u32;
            let mut most = count;
            let (first, end) = input.insts_of(b);
            for i in (first..end).rev() {
                let start = input.operands_from(i) as usize;
                let ops = input.inst_operands(Inst::new(i as usize));
                for (k, op) in ops.iter().enumerate() {
                    if op.kind() == OperandKind::Def {
                        let v = op.vreg().vreg();
                        let is_live = std::mem::replace(&mut live[v], NONE) == mark;
                        self.dies[start + k] = !is_live;
                        most = most.max(count + u32::from(!is_live));
                        count -= u32::from(is_live);
                    }
                }
                for (k, op) in ops.iter().enumerate() {
                    if op.kind() == OperandKind::Use {
                        self.dies[start + k] = live[op.vreg().vreg()] != mark;
                    }
                }
                for op in ops.iter().filter(|op| op.kind() == OperandKind::Use) {
                    let v = op.vreg().vreg();
                    if std::mem::replace(&mut live[v], mark) != mark {
                        count += 1;
                    }
                }
                most = most.max(count);
            }
            self.most[b] = most;
        }
    }
}

/// How many loops each block is in, by the backward edges around it.
fn depths(input: &Adapter) -> Vec<u32> {
    let blocks = input.num_blocks();
    let mut change = vec![0i32; blocks + 1];
    for b in 0..blocks {
        for succ in input.block_succs(Block::new(b)) {
            if succ.index() <= b {
                change[succ.index()] += 1;
                change[b + 1] -= 1;
            }
        }
    }
    let mut depth = 0;
    change.pop();
    (change.iter())
        .map(|c| {
            depth += c;
            depth as u32
        })
        .collect()
}
