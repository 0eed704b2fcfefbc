//! Liveness of cells: decides which writes keep the old contents of the bytes that they do not write.
//!
//! Takes the accesses of every block. Guarantees that a write keeps old contents exactly if they are live for one of
//! three readers:
//!
//! 1. the same channels later on (*own* liveness, on the logical graph, byte by byte);
//! 2. channels that wait at a join while this block runs (*waiting* liveness: own liveness at that join);
//! 3. a later read across channels, regardless of their mask (*whole* liveness, on the linear graph; only a write of
//!    all channels ends it).
//!
//! A write that keeps nothing is a full definition. Otherwise the live range of every masked write would reach back
//! to the function's entry.
//!
//! Cells that are local to a block are solved in one backward walk over it. The others are solved by backward data
//! flow with a worklist, in batches of 64 bits, a bit for each group of a cell's bytes that no access tells apart. A
//! batch visits only the blocks where a bit of it is live, so that the work is proportional to the result and no block
//! has a set of all cells.
//!
//! With subroutines a batch is solved in two passes over the acyclic call graph, as interprocedural data flow by
//! summaries (Sharir and Pnueli's functional approach). Callees first, each routine gets an `Effect`: its
//! upward-exposed reads, the bits that it overwrites on every path, and those that it may write; a call has that
//! effect. Then, callers first, the bits live after a subroutine's calls are live at its end, if it writes part of
//! their cells. Contents of channels that wait while a caller calls are to be kept by the whole call: at the callee's
//! end they are live across channels. Only the effect connects a subroutine's entry with its calls, so that bits live
//! in one caller are not live in another.

use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr, Not, Range};

use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::{SmallVec, smallvec};

use crate::cfg::{Cfg, Exit};
use crate::func::Cell;

/// Parts of a cell: bytes of a register cell, channels of a flag cell.
pub type Mask = u128;

/// An instruction's access of part of a cell. Reads of an instruction come before its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub inst: u32,
    pub cell: Cell,
    pub mask: Mask,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Each active channel reads its own part.
    ReadOwn,
    /// Reads parts of other channels, or without a mask.
    ReadWhole,
    /// Writes all of the mask, regardless of the execution mask, or all of it that has contents.
    WriteAll,
    /// Each active channel writes its own part.
    WriteOwn,
    /// May write some of the mask.
    WriteSome,
}

impl AccessKind {
    pub fn is_read(self) -> bool {
        matches!(self, AccessKind::ReadOwn | AccessKind::ReadWhole)
    }
}

/// Accesses of a function in the order of the code, and their ranges by block.
#[derive(Debug, PartialEq, Eq)]
pub struct Accesses {
    pub list: Vec<Access>,
    pub blocks: Vec<Range<u32>>,
}

impl Accesses {
    fn of(&self, block: usize) -> &[Access] {
        let Range { start, end } = self.blocks[block];
        &self.list[start as usize..end as usize]
    }
}

/// A set of bits: of a batch, or a [`Mask`].
pub trait Bits:
    Copy + Default + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
}

impl Bits for u64 {}
impl Bits for Mask {}

/// Live bits at some point: for the same channels, and across channels.
#[derive(Clone, Copy, Default)]
pub struct State<B = u64> {
    pub own: B,
    whole: B,
}

impl<B: Bits> State<B> {
    /// Turns the state after an access into the one before it.
    pub fn step(&mut self, kind: AccessKind, bits: B) {
        match kind {
            AccessKind::ReadOwn => self.own = self.own | bits,
            AccessKind::ReadWhole => {
                self.own = self.own | bits;
                self.whole = self.whole | bits;
            }
            AccessKind::WriteAll => {
                self.own = self.own & !bits;
                self.whole = self.whole & !bits;
            }
            AccessKind::WriteOwn => self.own = self.own & !bits,
            AccessKind::WriteSome => {}
        }
    }

    /// True if a write of `bits` keeps the other bits of the cell, whose state after the write this is. `waiting` is
    /// true if waiting channels want some of the cell, `all` if the write covers it.
    fn keeps(self, kind: AccessKind, bits: B, waiting: bool, all: bool) -> bool {
        let State { own, whole } = self;
        let any = |bits: B| bits != B::default();
        match kind {
            AccessKind::ReadOwn | AccessKind::ReadWhole => false,
            // A NoMask write overwrites contents of waiting channels on purpose.
            AccessKind::WriteAll => any((own | whole) & !bits) || waiting && !all,
            AccessKind::WriteOwn => any(own & !bits) || any(whole) || waiting,
            AccessKind::WriteSome => any(own | whole) || waiting,
        }
    }
}

/// A block's access to a cell of a batch.
#[derive(Clone, Copy)]
pub struct Item {
    /// Index in [`Accesses::list`].
    pub access: u32,
    pub block: u32,
    pub bits: u64,
}

/// Cells that are solved together, in 64 bits.
pub struct Batch {
    /// Cells with their bits.
    pub cells: Vec<(Cell, u64)>,
    pub items: Vec<Item>,
    /// Bits of the cells with several bits.
    wide: Vec<u64>,
    /// The highest bit of each cell, which stands for the cell where its bits are not told apart.
    highest: u64,
}

impl Batch {
    /// Extends `bits` to all bits of their cells.
    fn whole_cells(&self, mut bits: u64) -> u64 {
        for &cell in &self.wide {
            if bits & cell != 0 {
                bits |= cell;
            }
        }
        bits
    }

    /// The highest bit of each cell that has a bit of `bits`. The bits of a cell are neighbours, so that those below the
    /// highest carry into it.
    pub fn cells_in(&self, bits: u64) -> u64 {
        let below = !self.highest;
        (((bits & below) + below) | bits) & self.highest
    }
}

/// The bit that stands for a cell with these bits.
pub fn bit_of_cell(bits: u64) -> u32 {
    bits.ilog2()
}

/// Reversed edges, as lists in one array.
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The sources of each of `count` targets.
    fn new(count: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Lists {
        let mut ends = vec![0u32; count + 1];
        for (_, to) in edges.clone() {
            ends[to + 1] += 1;
        }
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        let mut next = ends.clone();
        let mut items = vec![0; ends[count] as usize];
        for (from, to) in edges {
            items[next[to] as usize] = from as u32;
            next[to] += 1;
        }
        Lists { ends, items }
    }

    fn of(&self, to: usize) -> &[u32] {
        &self.items[self.ends[to] as usize..self.ends[to + 1] as usize]
    }
}

/// A set of bits for each place, which ranges of places are added to: a segment tree.
struct Spread {
    tree: Vec<u64>,
    dirty: Vec<u32>,
}

impl Spread {
    fn new(places: usize) -> Spread {
        Spread {
            tree: vec![0; 2 * places],
            dirty: Vec::new(),
        }
    }

    fn add(&mut self, places: Range<usize>, bits: u64) {
        let half = self.tree.len() / 2;
        let (mut from, mut to) = (places.start + half, places.end + half);
        let mut put = |node: usize| {
            self.tree[node] |= bits;
            self.dirty.push(node as u32);
        };
        while from < to {
            if from & 1 == 1 {
                put(from);
                from += 1;
            }
            if to & 1 == 1 {
                to -= 1;
                put(to);
            }
            from /= 2;
            to /= 2;
        }
    }

    fn at(&self, place: usize) -> u64 {
        if self.dirty.is_empty() {
            return 0;
        }
        let mut node = place + self.tree.len() / 2;
        let mut bits = 0;
        while node > 0 {
            bits |= self.tree[node];
            node /= 2;
        }
        bits
    }

    fn clear(&mut self) {
        for node in self.dirty.drain(..) {
            self.tree[node as usize] = 0;
        }
    }
}

/// A worklist of blocks that gives the last of the function first: a bit for each block, and a summary bit for each
/// word of these that is not 0.
pub struct Worklist {
    words: Vec<u64>,
    summary: Vec<u64>,
    /// Upper bound of the summary words that are not 0.
    last: usize,
}

impl Worklist {
    pub fn new(blocks: usize) -> Worklist {
        let words = blocks.div_ceil(64).max(1);
        Worklist {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
            last: 0,
        }
    }

    pub fn push(&mut self, block: u32) {
        let word = block as usize / 64;
        self.words[word] |= 1 << (block % 64);
        self.summary[word / 64] |= 1 << (word % 64);
        self.last = self.last.max(word / 64);
    }

    pub fn pop(&mut self) -> Option<u32> {
        while self.summary[self.last] == 0 {
            self.last = self.last.checked_sub(1)?;
        }
        let word = self.last * 64 + self.summary[self.last].ilog2() as usize;
        let bit = self.words[word].ilog2();
        self.words[word] &= !(1 << bit);
        if self.words[word] == 0 {
            self.summary[self.last] &= !(1 << (word % 64));
        }
        Some(word as u32 * 64 + bit)
    }
}

/// Bits that end liveness in a block, going backward.
#[derive(Clone, Copy, Default)]
struct Kill {
    own: u64,
    whole: u64,
}

/// A routine's accesses of its callers' cells, as if it were one instruction.
#[derive(Clone, Copy, Default)]
struct Effect {
    reads: State,
    kill: Kill,
    writes: u64,
}

/// A routine's part in a batch.
#[derive(Clone, Default)]
struct Part {
    /// Items of the batch that belong to the routine.
    items: Range<usize>,
    effect: Effect,
    /// Live bits at its end.
    exit: State,
    /// Blocks that end in a call with an effect, with the callees.
    sites: Vec<(u32, u32)>,
}

/// A call's access of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallAccess {
    /// The instruction.
    pub inst: u32,
    pub cell: Cell,
    pub kind: CallKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    Read,
    /// Keeps old contents if `kept`.
    Write {
        kept: bool,
    },
}

/// Reads and writes at the end of a block: of the call there, or of the return. Each cell has its highest bit.
#[derive(Clone, Copy)]
pub struct AtEnd {
    pub block: u32,
    pub reads: u64,
    pub writes: u64,
}

/// The calls of a graph.
struct Calls {
    /// By block: its routine; the routine that it calls, or [`NONE`]; its routine again if the block returns.
    routine: Vec<u32>,
    callee: Vec<u32>,
    leaves: Vec<u32>,
    /// By routine: the first block, the block that returns, and the blocks that call it.
    entry: Vec<u32>,
    exit: Vec<u32>,
    callers: Vec<Vec<u32>>,
    /// By routine: its rank in the order with callees first; and the inverse.
    rank: Vec<u32>,
    by_rank: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Calls {
    fn new(cfg: &Cfg) -> Calls {
        let (blocks, count) = (cfg.blocks.len(), cfg.routines.len());
        let mut calls = Calls {
            routine: vec![0; blocks],
            callee: vec![NONE; blocks],
            leaves: vec![NONE; blocks],
            entry: vec![0; count],
            exit: vec![NONE; count],
            callers: vec![Vec::new(); count],
            rank: vec![NONE; count],
            by_rank: Vec::with_capacity(count),
        };
        for (r, range) in cfg.routines.iter().enumerate() {
            calls.entry[r] = range.start as u32;
            for b in range.clone() {
                let block = &cfg.blocks[b];
                calls.routine[b] = r as u32;
                if let Some(callee) = block.call {
                    calls.callee[b] = callee as u32;
                    calls.callers[callee].push(b as u32);
                }
                if block.exit == Exit::Ret && r != 0 {
                    calls.leaves[b] = r as u32;
                    calls.exit[r] = b as u32;
                }
            }
        }
        for (rank, &r) in cfg.bottom_up.iter().enumerate() {
            calls.rank[r] = rank as u32;
            calls.by_rank.push(r as u32);
        }
        calls
    }

    fn any(&self) -> bool {
        self.entry.len() > 1
    }
}

/// The graphs and accesses that all batches are solved on.
pub struct Graph<'a> {
    calls: Calls,
    /// By cell: true if several routines access it.
    shared: Vec<bool>,
    /// By cell: false if it is local to a block.
    pub global: Vec<bool>,
    pub accesses: &'a Accesses,
    /// Mask bits of each cell.
    sizes: &'a SecondaryMap<Cell, u32>,
    logical: Vec<SmallVec<[u32; 2]>>,
    linear: Vec<SmallVec<[u32; 2]>>,
    logical_preds: Lists,
    linear_preds: Lists,
    /// Joins that go to a block if no channel is active.
    skip_preds: Lists,
    /// By block: the first block that runs while channels wait at it, and the first at whose end they wait.
    waits_from: Vec<(u32, u32)>,
    /// The last instruction of each block.
    last: Vec<u32>,
}

impl<'a> Graph<'a> {
    /// The graph of that many cells.
    pub fn new(
        cfg: &Cfg,
        accesses: &'a Accesses,
        sizes: &'a SecondaryMap<Cell, u32>,
        cells: usize,
    ) -> Graph<'a> {
        let count = cfg.blocks.len();
        let numbers = |list: &mut dyn Iterator<Item = usize>| list.map(|b| b as u32).collect();
        let logical: Vec<SmallVec<[u32; 2]>> = (0..count)
            .map(|b| numbers(&mut cfg.logical_succs(b)))
            .collect();
        let linear: Vec<SmallVec<[u32; 2]>> = (0..count).map(|b| linear_succs(cfg, b)).collect();
        let backward = |succs: &[SmallVec<[u32; 2]>]| {
            let edges = succs.iter().enumerate();
            Lists::new(
                count,
                edges.flat_map(|(b, list)| list.iter().map(move |&s| (b, s as usize))),
            )
        };
        let skips = cfg.blocks.iter().enumerate();
        let skips = skips.filter_map(|(b, block)| Some((b, block.join_jip?)));
        let mut waits_from: Vec<(u32, u32)> = (0..count as u32).map(|b| (b, b)).collect();
        for span in cfg.waiting_spans().iter().filter(|span| span.at < count) {
            let (inside, end) = &mut waits_from[span.at];
            *inside = (*inside).min(span.from as u32);
            *end = (*end).min(span.from.min(span.source) as u32);
        }
        let calls = Calls::new(cfg);
        let mut global = globals(accesses, cells);
        let mut shared = Vec::new();
        if calls.any() {
            shared = shared_cells(&calls, accesses, cells);
            for (global, shared) in global.iter_mut().zip(&shared) {
                *global |= shared;
            }
        }
        Graph {
            calls,
            shared,
            global,
            accesses,
            sizes,
            logical_preds: backward(&logical),
            linear_preds: backward(&linear),
            skip_preds: Lists::new(count, skips),
            logical,
            linear,
            waits_from,
            last: (cfg.blocks.iter())
                .map(|block| block.insts.end.saturating_sub(1))
                .collect(),
        }
    }

    /// Decides the writes of cells that are local to a block, in the form of [`Solver::kept`], and makes batches of the
    /// other cells.
    pub fn split(&self) -> (Vec<bool>, Vec<Batch>) {
        (
            self.locals(&self.global),
            batches(self.accesses, &self.global, self.sizes),
        )
    }

    /// True if several routines access the cell.
    pub fn is_shared(&self, cell: Cell) -> bool {
        self.shared.get(cell.index()).is_some_and(|&shared| shared)
    }

    /// By access: true if a write of a cell that is local to its block keeps old contents.
    fn locals(&self, global: &[bool]) -> Vec<bool> {
        let mut kept = vec![false; self.accesses.list.len()];
        let mut states = vec![State::<Mask>::default(); global.len()];
        let mut touched = Vec::new();
        for b in 0..self.accesses.blocks.len() {
            let first = self.accesses.blocks[b].start as usize;
            for (i, a) in self.accesses.of(b).iter().enumerate().rev() {
                let c = a.cell.index();
                if global[c] {
                    continue;
                }
                kept[first + i] = states[c].keeps(a.kind, a.mask, false, true);
                states[c].step(a.kind, a.mask);
                touched.push(c);
            }
            for c in touched.drain(..) {
                states[c] = State::default();
            }
        }
        kept
    }
}

/// The solver of batches, one after the other in the same arrays.
pub struct Solver<'a> {
    graph: &'a Graph<'a>,
    parts: Vec<Part>,
    /// Ranks of the routines that have a part in the batch.
    ranks: BTreeSet<u32>,
    /// States of the search for paths through a subroutine, in place of `live_in`.
    through: Vec<State>,
    /// Accesses of calls and returns, of the batch.
    pub at_ends: Vec<AtEnd>,
    /// Accesses of calls, of all batches that were solved.
    pub call_accesses: Vec<CallAccess>,
    /// By block: live bits of the batch at its start, after its join.
    live_in: Vec<State>,
    kill: Vec<Kill>,
    touched: Vec<u32>,
    work: Worklist,
    waiting: Spread,
    waiting_at_end: Spread,
    /// By access: true if a write keeps old contents. Writes of batches not yet solved have false.
    pub kept: Vec<bool>,
}

impl<'a> Solver<'a> {
    /// A solver that adds to the writes known to keep old contents, by access.
    pub fn new(graph: &'a Graph<'a>, kept: Vec<bool>) -> Solver<'a> {
        let count = graph.last.len();
        Solver {
            graph,
            parts: vec![Part::default(); graph.calls.entry.len()],
            ranks: BTreeSet::new(),
            through: vec![State::default(); count],
            at_ends: Vec::new(),
            call_accesses: Vec::new(),
            live_in: vec![State::default(); count],
            kill: vec![Kill::default(); count],
            touched: Vec::new(),
            work: Worklist::new(count),
            waiting: Spread::new(count),
            waiting_at_end: Spread::new(count),
            kept,
        }
    }

    /// Solves a batch: live bits, and the writes that keep old contents.
    pub fn solve(&mut self, batch: &Batch) {
        for b in self.touched.drain(..) {
            self.live_in[b as usize] = State::default();
            self.kill[b as usize] = Kill::default();
        }
        self.waiting.clear();
        self.waiting_at_end.clear();
        if self.graph.calls.any() {
            self.effects(batch);
            self.flow_into_callees(batch);
        } else {
            for items in batch.items.chunk_by(|a, b| a.block == b.block) {
                self.transfer(items);
            }
            self.flow_own(0);
            self.flow_whole(0);
            self.park();
        }
        for items in batch.items.chunk_by(|a, b| a.block == b.block) {
            self.decide(batch, items);
        }
    }

    fn flow_own(&mut self, from: usize) {
        self.flow(from, |s| s.own, |s, bits| s.own |= bits, |k| k.own, false);
    }

    fn flow_whole(&mut self, from: usize) {
        self.flow(
            from,
            |s| s.whole,
            |s, bits| s.whole |= bits,
            |k| k.whole,
            true,
        );
    }

    /// Enters the live bits of waiting channels in all blocks that run meanwhile.
    fn park(&mut self) {
        for &at in &self.touched {
            let own = self.live_in[at as usize].own;
            let (inside, end) = self.graph.waits_from[at as usize];
            if own != 0 && end < at {
                self.waiting.add(inside as usize..at as usize, own);
                self.waiting_at_end.add(end as usize..at as usize, own);
            }
        }
    }

    /// Finds the effect of each routine, callees first, and the bits live by its own reads.
    fn effects(&mut self, batch: &Batch) {
        for &rank in &self.ranks {
            self.parts[self.graph.calls.by_rank[rank as usize] as usize] = Part::default();
        }
        self.ranks.clear();
        self.at_ends.clear();
        let routine = |item: &Item| self.graph.calls.routine[item.block as usize];
        let mut from = 0;
        for items in batch.items.chunk_by(|a, b| routine(a) == routine(b)) {
            let r = routine(&items[0]) as usize;
            self.parts[r].items = from..from + items.len();
            self.ranks.insert(self.graph.calls.rank[r]);
            from += items.len();
        }
        let mut next = 0;
        while let Some(rank) = self.ranks.range(next..).next().copied() {
            next = rank + 1;
            let r = self.graph.calls.by_rank[rank as usize] as usize;
            self.effect(batch, r);
            let Effect { reads, writes, .. } = self.parts[r].effect;
            if r == 0 || reads.own | reads.whole | writes == 0 {
                continue;
            }
            for at in 0..self.graph.calls.callers[r].len() {
                let b = self.graph.calls.callers[r][at];
                let caller = self.graph.calls.routine[b as usize] as usize;
                self.parts[caller].sites.push((b, r as u32));
                self.ranks.insert(self.graph.calls.rank[caller]);
            }
        }
    }

    /// Finds the effect of one routine, when those of its callees are known.
    fn effect(&mut self, batch: &Batch, r: usize) {
        let first = self.touched.len();
        let mut writes = 0;
        for &(b, callee) in &self.parts[r].sites {
            let effect = self.parts[callee as usize].effect;
            self.live_in[b as usize] = effect.reads;
            self.kill[b as usize] = effect.kill;
            self.touched.push(b);
            writes |= effect.writes;
        }
        let items = &batch.items[self.parts[r].items.clone()];
        for items in items.chunk_by(|a, b| a.block == b.block) {
            self.transfer(items);
        }
        self.flow_own(first);
        self.flow_whole(first);
        if r == 0 {
            return;
        }
        for item in items {
            if !self.graph.accesses.list[item.access as usize]
                .kind
                .is_read()
            {
                writes |= item.bits;
            }
        }
        let mut reads = self.live_in[self.graph.calls.entry[r] as usize];
        // Cells of this routine alone that are not live from call to call are no part of the effect.
        let shared = batch
            .cells
            .iter()
            .filter(|(c, _)| self.graph.shared[c.index()]);
        let others = shared.fold(0, |all, &(_, bits)| all | bits);
        // Contents of inactive channels need not survive from one call to the next, as around a loop.
        reads.whole &= others | reads.own;
        writes &= others | batch.whole_cells(reads.own);
        self.parts[r].effect = Effect {
            reads,
            kill: self.killed(r, writes),
            writes,
        };
    }

    /// The bits that every path through a routine overwrites: those not live at its entry if live at its end.
    fn killed(&mut self, r: usize, bits: u64) -> Kill {
        let (entry, exit) = (self.graph.calls.entry[r] as usize, self.graph.calls.exit[r]);
        if exit == NONE || bits == 0 {
            return Kill {
                own: bits,
                whole: bits,
            };
        }
        let kill = self.kill[exit as usize];
        std::mem::swap(&mut self.live_in, &mut self.through);
        let touched = std::mem::replace(&mut self.touched, vec![exit]);
        self.live_in[exit as usize] = State {
            own: bits & !kill.own,
            whole: bits & !kill.whole,
        };
        self.flow_own(0);
        self.flow_whole(0);
        let State { own, whole } = self.live_in[entry];
        for b in std::mem::replace(&mut self.touched, touched) {
            self.live_in[b as usize] = State::default();
        }
        std::mem::swap(&mut self.live_in, &mut self.through);
        Kill {
            own: bits & !own,
            whole: bits & !whole,
        }
    }

    /// Finds the live bits at the end of each routine, callers first: for the same channels, then, since these say which
    /// channels wait, across channels.
    fn flow_into_callees(&mut self, batch: &Batch) {
        let order: Vec<u32> = (self.ranks.iter().rev())
            .map(|&rank| self.graph.calls.by_rank[rank as usize])
            .collect();
        for &r in &order {
            if let Some(seed) = self.seed(r, |s| s.own, |k| k.own, |s, bits| s.own |= bits) {
                self.flow_own(seed);
            }
            for at in 0..self.parts[r as usize].sites.len() {
                let (b, callee) = self.parts[r as usize].sites[at];
                let own = self.live_out(b as usize).own;
                let part = &mut self.parts[callee as usize];
                part.exit.own |= own & batch.whole_cells(part.effect.writes);
            }
        }
        self.park();
        for &r in &order {
            if let Some(seed) = self.seed(r, |s| s.whole, |k| k.whole, |s, bits| s.whole |= bits) {
                self.flow_whole(seed);
            }
            for at in 0..self.parts[r as usize].sites.len() {
                let (b, callee) = self.parts[r as usize].sites[at];
                let whole = self.live_out(b as usize).whole;
                let waiting = batch.whole_cells(self.waiting.at(b as usize));
                let part = &mut self.parts[callee as usize];
                part.exit.whole |= (whole | waiting) & batch.whole_cells(part.effect.writes);
            }
        }
        for &r in &order {
            for at in 0..self.parts[r as usize].sites.len() {
                let (b, callee) = self.parts[r as usize].sites[at];
                self.call(batch, b as usize, callee as usize);
            }
            let State { own, whole } = self.parts[r as usize].exit;
            let exit = self.graph.calls.exit[r as usize];
            if own | whole != 0 && exit != NONE {
                self.at_ends.push(AtEnd {
                    block: exit,
                    reads: batch.cells_in(own | whole),
                    writes: 0,
                });
            }
        }
    }

    /// Enters the live bits at a routine's end in its last block; gives the index of that block in `touched`.
    fn seed(
        &mut self,
        r: u32,
        get: impl Fn(&State) -> u64,
        kill: impl Fn(&Kill) -> u64,
        add: impl Fn(&mut State, u64),
    ) -> Option<usize> {
        let exit = self.graph.calls.exit[r as usize];
        let bits = get(&self.parts[r as usize].exit);
        if exit == NONE || bits == 0 {
            return None;
        }
        let bits = bits & !kill(&self.kill[exit as usize]);
        add(&mut self.live_in[exit as usize], bits);
        self.touched.push(exit);
        Some(self.touched.len() - 1)
    }

    /// Enters the reads and writes of a call at the end of a block.
    fn call(&mut self, batch: &Batch, b: usize, callee: usize) {
        let Effect {
            reads,
            kill,
            writes,
        } = self.parts[callee].effect;
        let State { own, whole } = self.live_out(b);
        let waiting = self.waiting.at(b);
        let inst = self.graph.last[b];
        let mut end = AtEnd {
            block: b as u32,
            reads: 0,
            writes: 0,
        };
        for &(cell, bits) in &batch.cells {
            let bit = 1 << bit_of_cell(bits);
            let mut add = |kind| self.call_accesses.push(CallAccess { inst, cell, kind });
            if (reads.own | reads.whole) & bits != 0 {
                add(CallKind::Read);
                end.reads |= bit;
            }
            if writes & bits != 0 && (own | whole | waiting) & bits != 0 {
                let kept = (own & !kill.own | whole & !kill.whole) & bits != 0
                    || waiting & bits != 0 && bits & !kill.whole != 0;
                add(CallKind::Write { kept });
                end.writes |= bit;
                end.reads |= if kept { bit } else { 0 };
            }
        }
        self.at_ends.push(end);
    }

    /// Enters the transfer function of a block, from its items.
    fn transfer(&mut self, items: &[Item]) {
        let b = items[0].block as usize;
        // The effect of a call at the end is entered already.
        let (mut generated, mut kill) = (self.live_in[b], self.kill[b]);
        for item in items.iter().rev() {
            let kind = self.graph.accesses.list[item.access as usize].kind;
            generated.step(kind, item.bits);
            match kind {
                AccessKind::WriteAll => {
                    kill.own |= item.bits;
                    kill.whole |= item.bits;
                }
                AccessKind::WriteOwn => kill.own |= item.bits,
                _ => {}
            }
        }
        self.live_in[b] = generated;
        self.kill[b] = kill;
        self.touched.push(b as u32);
    }

    /// Propagates own or whole liveness backward to the fixpoint, from `touched[from..]`.
    fn flow(
        &mut self,
        from: usize,
        get: impl Fn(&State) -> u64,
        add: impl Fn(&mut State, u64),
        kill: impl Fn(&Kill) -> u64,
        linear: bool,
    ) {
        for &b in &self.touched[from..] {
            if get(&self.live_in[b as usize]) != 0 {
                self.work.push(b);
            }
        }
        while let Some(b) = self.work.pop() {
            let bits = get(&self.live_in[b as usize]);
            let (preds, skips) = if linear {
                (
                    &self.graph.linear_preds,
                    self.graph.skip_preds.of(b as usize),
                )
            } else {
                (&self.graph.logical_preds, &[][..])
            };
            let preds = preds.of(b as usize).iter();
            // Contents of channels that do not run end with a round of a loop.
            let own = self.live_in[b as usize].own;
            let around = if linear { bits & own } else { bits };
            let through = preds.map(|&p| {
                let bits = if p >= b { around } else { bits };
                (p, bits & !kill(&self.kill[p as usize]))
            });
            for (p, bits) in through.chain(skips.iter().map(|&p| (p, bits))) {
                let state = &mut self.live_in[p as usize];
                if bits & !get(state) != 0 {
                    if state.own | state.whole == 0 {
                        self.touched.push(p);
                    }
                    add(state, bits);
                    self.work.push(p);
                }
            }
        }
    }

    /// Live bits at the end of a block.
    fn live_out(&self, b: usize) -> State {
        if let Some(part) = self.parts.get(self.graph.calls.leaves[b] as usize) {
            return part.exit;
        }
        let own = self.graph.logical[b].iter();
        let whole = self.graph.linear[b].iter();
        State {
            own: own.fold(0, |all, &s| all | self.live_in[s as usize].own),
            whole: whole.fold(0, |all, &s| {
                let State { own, whole } = self.live_in[s as usize];
                all | if s as usize <= b { whole & own } else { whole }
            }),
        }
    }

    /// Blocks at whose start bits of the batch are live, and those with items. A block may be there twice.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Live bits after the last instruction of a block, which may be a call.
    pub fn wanted_after(&self, b: usize) -> State {
        self.live_out(b)
    }

    /// Bits that calls of a routine pass to it: those that it, or a callee of it, reads or may leave as they were.
    pub fn passed_to(&self, routine: usize) -> u64 {
        let Effect { reads, writes, .. } = self.parts[routine].effect;
        reads.own | reads.whole | writes
    }

    /// Bits that are live for the same channels at the start of a block, after its join.
    pub fn own_in(&self, b: usize) -> u64 {
        self.live_in[b].own
    }

    /// Decides the writes of a block, from its items.
    fn decide(&mut self, batch: &Batch, items: &[Item]) {
        let b = items[0].block as usize;
        let mut state = self.live_out(b);
        if let Some(callee) = self.parts.get(self.graph.calls.callee[b] as usize) {
            let Effect { reads, kill, .. } = callee.effect;
            state.own = state.own & !kill.own | reads.own;
            state.whole = state.whole & !kill.whole | reads.whole;
        }
        let waiting = self.waiting.at(b);
        for item in items.iter().rev() {
            let access = &self.graph.accesses.list[item.access as usize];
            if !access.kind.is_read() {
                let at = batch.cells.partition_point(|(cell, _)| *cell < access.cell);
                let bits = batch.cells[at].1;
                let of_cell = State {
                    own: state.own & bits,
                    whole: state.whole & bits,
                };
                let all = full(self.graph.sizes[access.cell]) & !access.mask == 0;
                let waits = waiting & bits != 0;
                self.kept[item.access as usize] = of_cell.keeps(access.kind, item.bits, waits, all);
            }
            state.step(access.kind, item.bits);
        }
    }

    /// The cells of a set that are live at the end of the block: for its channels, for waiting ones, or across channels.
    /// The hardware carries others along in vain.
    pub fn wanted_out(&self, batch: &Batch, b: usize, cells: u64) -> u64 {
        let State { own, whole } = self.live_out(b);
        wanted(batch, own | whole, cells, || self.waiting_at_end.at(b))
    }

    /// The cells of a set that are live at the start of the block, after its join.
    pub fn wanted_in(&self, batch: &Batch, b: usize, cells: u64) -> u64 {
        let State { own, whole } = self.live_in[b];
        wanted(batch, own | whole, cells, || self.waiting.at(b))
    }
}

/// The cells of a set that are live, or wanted by waiting channels, which are asked for last since that takes longest.
fn wanted(batch: &Batch, live: u64, cells: u64, waiting: impl Fn() -> u64) -> u64 {
    let live = batch.cells_in(live);
    if cells & !live == 0 {
        return cells;
    }
    cells & (live | batch.cells_in(waiting()))
}

/// By cell: true if several routines access it.
fn shared_cells(calls: &Calls, accesses: &Accesses, cells: usize) -> Vec<bool> {
    let mut first = vec![NONE; cells];
    let mut shared = vec![false; cells];
    for (b, &routine) in calls.routine.iter().enumerate() {
        for access in accesses.of(b) {
            let c = access.cell.index();
            shared[c] |= first[c] != NONE && first[c] != routine;
            first[c] = routine;
        }
    }
    shared
}

/// The mask of a whole cell.
fn full(size: u32) -> Mask {
    Mask::MAX >> (Mask::BITS - size.clamp(1, Mask::BITS))
}

/// Cells that are live across the end of some block; the others never leave theirs.
fn globals(accesses: &Accesses, cells: usize) -> Vec<bool> {
    let mut global = vec![false; cells];
    let mut covered = vec![(usize::MAX, Mask::default()); cells];
    for b in 0..accesses.blocks.len() {
        for a in accesses.of(b) {
            let c = a.cell.index();
            if covered[c].0 != b {
                covered[c] = (b, 0);
            }
            match a.kind {
                AccessKind::ReadOwn => global[c] |= a.mask & !covered[c].1 != 0,
                // Another block may have written it, unless a NoMask write covers it.
                AccessKind::ReadWhole => global[c] = true,
                AccessKind::WriteAll | AccessKind::WriteOwn => covered[c].1 |= a.mask,
                AccessKind::WriteSome => {}
            }
        }
    }
    global
}

/// Batches of the global cells, in order, each filled up to 64 bits.
fn batches(accesses: &Accesses, global: &[bool], sizes: &SecondaryMap<Cell, u32>) -> Vec<Batch> {
    let groups = groups(accesses, global, sizes);
    let mut batches: Vec<Batch> = Vec::new();
    let mut place = vec![(0u32, 0u32); global.len()];
    let mut room = 0;
    for (c, list) in groups.iter().enumerate().filter(|(c, _)| global[*c]) {
        let need = list.len() as u32;
        if need > room {
            room = 64;
            batches.push(Batch {
                cells: Vec::new(),
                items: Vec::new(),
                wide: Vec::new(),
                highest: 0,
            });
        }
        let (last, first) = (batches.len() - 1, 64 - room);
        let bits = (u64::MAX >> (64 - need)) << first;
        batches[last].cells.push((Cell::new(c), bits));
        batches[last].highest |= 1 << bit_of_cell(bits);
        if need > 1 {
            batches[last].wide.push(bits);
        }
        place[c] = (last as u32, first);
        room -= need;
    }
    for b in 0..accesses.blocks.len() {
        let start = accesses.blocks[b].start;
        for (i, a) in accesses.of(b).iter().enumerate() {
            let c = a.cell.index();
            if !global[c] {
                continue;
            }
            let (batch, first) = place[c];
            let touched = groups[c].iter().enumerate();
            let bits = touched
                .filter(|(_, group)| *group & a.mask != 0)
                .fold(0, |bits, (i, _)| bits | 1 << (first + i as u32));
            batches[batch as usize].items.push(Item {
                access: start + i as u32,
                block: b as u32,
                bits,
            });
        }
    }
    batches
}

/// Maximum number of groups of a cell: those of a batch.
const MAX_GROUPS: usize = 64;

/// Turns writes that cover a group of bytes only in part, as only a cell of more than `MAX_GROUPS` bytes can have
/// them, into writes of some of it.
pub fn coarsen(accesses: &mut Accesses, sizes: &SecondaryMap<Cell, u32>) {
    let large: Vec<bool> = (sizes.values())
        .map(|&size| size as usize > MAX_GROUPS)
        .collect();
    if !large.contains(&true) {
        return;
    }
    let groups = groups(accesses, &large, sizes);
    for a in accesses.list.iter_mut().filter(|a| !a.kind.is_read()) {
        let list = &groups[a.cell.index()];
        let in_part = |group: &Mask| group & a.mask != 0 && group & !a.mask != 0;
        if list.len() == MAX_GROUPS && list.iter().any(in_part) {
            a.kind = AccessKind::WriteSome;
        }
    }
}

/// For each of some cells, the groups of its bytes that every access covers as a whole or not at all; at most
/// [`MAX_GROUPS`].
fn groups(
    accesses: &Accesses,
    some: &[bool],
    sizes: &SecondaryMap<Cell, u32>,
) -> Vec<SmallVec<[Mask; 2]>> {
    let mut groups: Vec<SmallVec<[Mask; 2]>> = vec![SmallVec::new(); some.len()];
    for a in accesses.list.iter().filter(|a| some[a.cell.index()]) {
        let list = &mut groups[a.cell.index()];
        match list[..] {
            [] => *list = smallvec![full(sizes[a.cell])],
            [only] if only == a.mask => continue,
            _ => {}
        }
        let mut seen = 0;
        for i in 0..list.len() {
            let group = list[i];
            seen |= group;
            let (inside, outside) = (group & a.mask, group & !a.mask);
            if inside != 0 && outside != 0 && list.len() < MAX_GROUPS {
                list[i] = inside;
                list.push(outside);
            }
        }
        let rest = a.mask & !seen;
        if rest != 0 && list.len() < MAX_GROUPS {
            list.push(rest);
        } else if let Some(last) = list.last_mut() {
            *last |= rest;
        }
    }
    groups
}

/// Linear successors of a block, as logical blocks.
fn linear_succs(cfg: &Cfg, b: usize) -> SmallVec<[u32; 2]> {
    let exit = cfg.blocks[b].exit;
    match exit {
        Exit::Diverge { target, jip, .. } => {
            let other = if target <= b {
                Some(target)
            } else {
                exit.falls_through().then_some(b + 1)
            };
            let all = [jip].into_iter().chain(other);
            all.map(|s| s as u32).collect()
        }
        _ => cfg.logical_succs(b).map(|s| s as u32).collect(),
    }
}
