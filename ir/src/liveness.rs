//! Which writes must keep what was in a cell before, and whose contents a block passes on.
//!
//! Takes the accesses of every block and decides, for each write, whether the part of the cell it
//! does not write is still wanted by somebody. Three may want it:
//!
//! 1. the same channels later on (*channel liveness*, on the logical graph, byte by byte);
//! 2. channels that wait at a join while this block runs (*parked* liveness: what is channel-live
//!    at that join);
//! 3. a later read that looks across channels, whatever their mask (*whole* liveness, on the
//!    linear graph; only a NoMask write ends it).
//!
//! A write nobody's old value survives is a full definition, which is what keeps live ranges
//! short: without this, every masked write would reach back to the function's entry.
//!
//! Most cells never leave their block; one walk over each block does these. The others are solved in
//! batches of 64 bits, a bit for each group of a cell's bytes that no access tells apart. A batch
//! visits only the blocks where something of it is live, so that the work grows with what there is to
//! find, and no set of all cells exists for any block.

use std::ops::Range;

use cranelift_entity::EntityRef;
use smallvec::{SmallVec, smallvec};

use crate::cfg::{Cfg, Exit};
use crate::func::Cell;

/// What an instruction does to part of a cell. Reads of an instruction come before its writes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub inst: u32,
    pub cell: Cell,
    /// Bytes of a register cell, channels of a flag cell.
    pub mask: u64,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Each channel reads its own part.
    ReadOwn,
    /// Parts of other channels may be read, or no mask applies.
    ReadWhole,
    /// All of the mask is written whatever the execution mask.
    WriteAll,
    /// Each active channel writes its own part.
    WriteOwn,
    /// Some of the mask may be written.
    WriteSome,
}

impl AccessKind {
    pub fn is_read(self) -> bool {
        matches!(self, AccessKind::ReadOwn | AccessKind::ReadWhole)
    }
}

/// All accesses of a function in the order of the code, and those of each block.
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

/// What is live behind some point: of channels' own, and across channels.
#[derive(Clone, Copy, Default)]
struct State {
    own: u64,
    whole: u64,
}

impl State {
    /// The state before an access, from the one behind it.
    fn step(&mut self, kind: AccessKind, bits: u64) {
        match kind {
            AccessKind::ReadOwn => self.own |= bits,
            AccessKind::ReadWhole => {
                self.own |= bits;
                self.whole |= bits;
            }
            AccessKind::WriteAll => {
                self.own &= !bits;
                self.whole &= !bits;
            }
            AccessKind::WriteOwn => self.own &= !bits,
            AccessKind::WriteSome => {}
        }
    }

    /// Whether a write of `bits` out of what this is the state of keeps the rest. `waiting` says that
    /// channels wait that want some of it, `all` that the write leaves nothing.
    fn keeps(self, kind: AccessKind, bits: u64, waiting: bool, all: bool) -> bool {
        let State { own, whole } = self;
        match kind {
            AccessKind::ReadOwn | AccessKind::ReadWhole => false,
            // What waiting channels had in the mask itself is overwritten on purpose.
            AccessKind::WriteAll => (own | whole) & !bits != 0 || waiting && !all,
            AccessKind::WriteOwn => own & !bits != 0 || whole != 0 || waiting,
            AccessKind::WriteSome => own | whole != 0 || waiting,
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

/// Cells that are solved together.
pub struct Batch {
    /// Each with its bits.
    pub cells: Vec<(Cell, u64)>,
    pub items: Vec<Item>,
    /// The bits of cells that have several.
    wide: Vec<u64>,
}

impl Batch {
    /// Of each cell that has a bit in `bits`, the lowest one.
    pub fn cells_in(&self, mut bits: u64) -> u64 {
        for &cell in &self.wide {
            if bits & cell != 0 {
                bits = bits & !cell | 1 << cell.trailing_zeros();
            }
        }
        bits
    }
}

/// Edges backward, as lists of one array.
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

/// Sets that many neighbouring places have in common, as a segment tree.
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

/// Blocks whose state changed; the last of the function comes first. A bit a block, and a bit for each
/// word of these that is not 0.
pub struct Worklist {
    words: Vec<u64>,
    summary: Vec<u64>,
    /// No word of the summary behind this one has anything.
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

/// What a block does to what is live behind it.
#[derive(Clone, Copy, Default)]
struct Kill {
    own: u64,
    whole: u64,
}

/// Solves one batch after the other; its arrays are shared by all.
pub struct Solver<'a> {
    accesses: &'a Accesses,
    sizes: &'a dyn Fn(Cell) -> u32,
    logical: Vec<SmallVec<[u32; 2]>>,
    linear: Vec<SmallVec<[u32; 2]>>,
    logical_preds: Lists,
    linear_preds: Lists,
    /// Joins that go to a block when no channel is active.
    skip_preds: Lists,
    /// The first block that runs while channels wait at a block, and the first at whose end they do.
    waits_from: Vec<(u32, u32)>,
    /// Of the batch, at the start of each block, behind its join.
    live_in: Vec<State>,
    kill: Vec<Kill>,
    touched: Vec<u32>,
    work: Worklist,
    parked: Spread,
    parked_at_end: Spread,
    /// By access, whether a write keeps the old contents. False for reads.
    pub kept: Vec<bool>,
}

impl<'a> Solver<'a> {
    /// `sizes` gives the mask units that a cell has.
    pub fn new(cfg: &Cfg, accesses: &'a Accesses, sizes: &'a dyn Fn(Cell) -> u32) -> Solver<'a> {
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
        for span in cfg.parked_spans().iter().filter(|span| span.at < count) {
            let (inside, end) = &mut waits_from[span.at];
            *inside = (*inside).min(span.from as u32);
            *end = (*end).min(span.from.min(span.source) as u32);
        }
        Solver {
            accesses,
            sizes,
            logical_preds: backward(&logical),
            linear_preds: backward(&linear),
            skip_preds: Lists::new(count, skips),
            logical,
            linear,
            waits_from,
            live_in: vec![State::default(); count],
            kill: vec![Kill::default(); count],
            touched: Vec::new(),
            work: Worklist::new(count),
            parked: Spread::new(count),
            parked_at_end: Spread::new(count),
            kept: vec![false; accesses.list.len()],
        }
    }

    /// Decides the writes of cells that never leave their block, and makes batches of the others.
    pub fn split(&mut self, cells: usize) -> Vec<Batch> {
        let global = globals(self.accesses, cells);
        self.locals(&global);
        batches(self.accesses, &global, self.sizes)
    }

    fn locals(&mut self, global: &[bool]) {
        let mut states = vec![State::default(); global.len()];
        let mut touched = Vec::new();
        for b in 0..self.accesses.blocks.len() {
            let first = self.accesses.blocks[b].start as usize;
            for (i, a) in self.accesses.of(b).iter().enumerate().rev() {
                let c = a.cell.index();
                if global[c] {
                    continue;
                }
                self.kept[first + i] = states[c].keeps(a.kind, a.mask, false, true);
                states[c].step(a.kind, a.mask);
                touched.push(c);
            }
            for c in touched.drain(..) {
                states[c] = State::default();
            }
        }
    }

    /// Finds what is live of the batch, and which of its writes keep.
    pub fn solve(&mut self, batch: &Batch) {
        for b in self.touched.drain(..) {
            self.live_in[b as usize] = State::default();
            self.kill[b as usize] = Kill::default();
        }
        self.parked.clear();
        self.parked_at_end.clear();
        for items in batch.items.chunk_by(|a, b| a.block == b.block) {
            self.transfer(items);
        }
        self.flow(|s| s.own, |s, bits| s.own |= bits, |k| k.own, false);
        self.flow(|s| s.whole, |s, bits| s.whole |= bits, |k| k.whole, true);
        for &at in &self.touched {
            let own = self.live_in[at as usize].own;
            let (inside, end) = self.waits_from[at as usize];
            if own != 0 && end < at {
                self.parked.add(inside as usize..at as usize, own);
                self.parked_at_end.add(end as usize..at as usize, own);
            }
        }
        for items in batch.items.chunk_by(|a, b| a.block == b.block) {
            self.decide(batch, items);
        }
    }

    /// What a block does, by its items.
    fn transfer(&mut self, items: &[Item]) {
        let b = items[0].block as usize;
        let (mut generated, mut kill) = (State::default(), Kill::default());
        for item in items.iter().rev() {
            let kind = self.accesses.list[item.access as usize].kind;
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

    /// Carries one of the two back against the edges of its graph until nothing changes.
    fn flow(
        &mut self,
        get: impl Fn(&State) -> u64,
        add: impl Fn(&mut State, u64),
        kill: impl Fn(&Kill) -> u64,
        linear: bool,
    ) {
        for &b in &self.touched {
            if get(&self.live_in[b as usize]) != 0 {
                self.work.push(b);
            }
        }
        while let Some(b) = self.work.pop() {
            let bits = get(&self.live_in[b as usize]);
            let (preds, skips) = if linear {
                (&self.linear_preds, self.skip_preds.of(b as usize))
            } else {
                (&self.logical_preds, &[][..])
            };
            let preds = preds.of(b as usize).iter();
            let through = preds.map(|&p| (p, bits & !kill(&self.kill[p as usize])));
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

    fn live_out(&self, b: usize) -> State {
        let own = self.logical[b].iter();
        let whole = self.linear[b].iter();
        State {
            own: own.fold(0, |all, &s| all | self.live_in[s as usize].own),
            whole: whole.fold(0, |all, &s| all | self.live_in[s as usize].whole),
        }
    }

    fn decide(&mut self, batch: &Batch, items: &[Item]) {
        let b = items[0].block as usize;
        let mut state = self.live_out(b);
        let parked = self.parked.at(b);
        for item in items.iter().rev() {
            let access = &self.accesses.list[item.access as usize];
            if !access.kind.is_read() {
                let at = batch.cells.partition_point(|(cell, _)| *cell < access.cell);
                let bits = batch.cells[at].1;
                let of_cell = State {
                    own: state.own & bits,
                    whole: state.whole & bits,
                };
                let all = full((self.sizes)(access.cell)) & !access.mask == 0;
                let waiting = parked & bits != 0;
                self.kept[item.access as usize] =
                    of_cell.keeps(access.kind, item.bits, waiting, all);
            }
            state.step(access.kind, item.bits);
        }
    }

    /// Of those cells the ones whose contents anybody may want at the end of the block: its channels,
    /// those that wait, or a look across channels. What else the hardware carries along is of no use.
    pub fn wanted_out(&self, batch: &Batch, b: usize, cells: u64) -> u64 {
        let State { own, whole } = self.live_out(b);
        wanted(batch, own | whole, cells, || self.parked_at_end.at(b))
    }

    /// The same at the start of the block, behind its join.
    pub fn wanted_in(&self, batch: &Batch, b: usize, cells: u64) -> u64 {
        let State { own, whole } = self.live_in[b];
        wanted(batch, own | whole, cells, || self.parked.at(b))
    }
}

/// Who waits is only asked where nobody else wants a cell.
fn wanted(batch: &Batch, live: u64, cells: u64, parked: impl Fn() -> u64) -> u64 {
    let live = batch.cells_in(live);
    if cells & !live == 0 {
        return cells;
    }
    cells & (live | batch.cells_in(parked()))
}

fn full(size: u32) -> u64 {
    u64::MAX >> (64 - size.clamp(1, 64))
}

/// The cells that live across blocks; the others never leave theirs.
fn globals(accesses: &Accesses, cells: usize) -> Vec<bool> {
    let mut global = vec![false; cells];
    let mut covered = vec![(usize::MAX, 0u64); cells];
    for b in 0..accesses.blocks.len() {
        for a in accesses.of(b) {
            let c = a.cell.index();
            if covered[c].0 != b {
                covered[c] = (b, 0);
            }
            match a.kind {
                AccessKind::ReadOwn => global[c] |= a.mask & !covered[c].1 != 0,
                // Only what a NoMask write covers is certainly this block's own.
                AccessKind::ReadWhole => global[c] = true,
                AccessKind::WriteAll | AccessKind::WriteOwn => covered[c].1 |= a.mask,
                AccessKind::WriteSome => {}
            }
        }
    }
    global
}

/// The global cells in their order, as many in a batch as their bits have room for.
fn batches(accesses: &Accesses, global: &[bool], sizes: &dyn Fn(Cell) -> u32) -> Vec<Batch> {
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
            });
        }
        let (last, first) = (batches.len() - 1, 64 - room);
        let bits = (u64::MAX >> (64 - need)) << first;
        batches[last].cells.push((Cell::new(c), bits));
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

/// For each global cell the groups of its bytes that every access has all of or nothing.
fn groups(
    accesses: &Accesses,
    global: &[bool],
    sizes: &dyn Fn(Cell) -> u32,
) -> Vec<SmallVec<[u64; 2]>> {
    let mut groups: Vec<SmallVec<[u64; 2]>> = vec![SmallVec::new(); global.len()];
    for a in accesses.list.iter().filter(|a| global[a.cell.index()]) {
        let list = &mut groups[a.cell.index()];
        if list.is_empty() {
            *list = smallvec![full(sizes(a.cell))];
        }
        let mut seen = 0;
        for i in 0..list.len() {
            let group = list[i];
            seen |= group;
            let (inside, outside) = (group & a.mask, group & !a.mask);
            if inside != 0 && outside != 0 {
                list[i] = inside;
                list.push(outside);
            }
        }
        if a.mask & !seen != 0 {
            list.push(a.mask & !seen);
        }
    }
    groups
}

/// Linear successors of a block's end, in terms of logical blocks.
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
