//! Which writes must keep what was in a cell before.
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

use crate::cfg::{Cfg, Exit, ParkedSpan};
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

/// Dense numbers for the cells that live across blocks; the others never leave theirs.
struct Globals {
    index: Vec<u32>,
    count: usize,
}

const LOCAL: u32 = u32::MAX;

impl Globals {
    fn find(accesses: &[Vec<Access>], cells: usize) -> Globals {
        let mut index = vec![LOCAL; cells];
        let mut count = 0;
        let mut covered = vec![(usize::MAX, 0u64); cells];
        for (b, list) in accesses.iter().enumerate() {
            for a in list {
                let c = a.cell.as_u32() as usize;
                if covered[c].0 != b {
                    covered[c] = (b, 0);
                }
                let exposed = match a.kind {
                    AccessKind::ReadOwn => a.mask & !covered[c].1 != 0,
                    // Only what a NoMask write covers is certainly this block's own.
                    AccessKind::ReadWhole => true,
                    AccessKind::WriteAll | AccessKind::WriteOwn => {
                        covered[c].1 |= a.mask;
                        false
                    }
                    AccessKind::WriteSome => false,
                };
                if exposed && index[c] == LOCAL {
                    index[c] = count;
                    count += 1;
                }
            }
        }
        Globals {
            index,
            count: count as usize,
        }
    }
}

/// One mask a global cell, for one block.
type Masks = Vec<u64>;

struct State<'a> {
    globals: &'a Globals,
    own: Masks,
    whole: Masks,
    /// The same for local cells, by cell; reset by `touched`.
    local: Vec<(u64, u64)>,
    touched: Vec<u32>,
}

impl State<'_> {
    fn get(&self, cell: Cell) -> (u64, u64) {
        let c = cell.as_u32() as usize;
        match self.globals.index[c] {
            LOCAL => self.local[c],
            g => (self.own[g as usize], self.whole[g as usize]),
        }
    }

    fn set(&mut self, cell: Cell, (own, whole): (u64, u64)) {
        let c = cell.as_u32() as usize;
        match self.globals.index[c] {
            LOCAL => {
                self.touched.push(c as u32);
                self.local[c] = (own, whole);
            }
            g => {
                self.own[g as usize] = own;
                self.whole[g as usize] = whole;
            }
        }
    }

    fn step(&mut self, a: &Access) {
        let (own, whole) = self.get(a.cell);
        let next = match a.kind {
            AccessKind::ReadOwn => (own | a.mask, whole),
            AccessKind::ReadWhole => (own | a.mask, whole | a.mask),
            AccessKind::WriteAll => (own & !a.mask, whole & !a.mask),
            AccessKind::WriteOwn => (own & !a.mask, whole),
            AccessKind::WriteSome => (own, whole),
        };
        if next != (own, whole) {
            self.set(a.cell, next);
        }
    }

    fn reset_local(&mut self) {
        for c in self.touched.drain(..) {
            self.local[c as usize] = (0, 0);
        }
    }
}

/// What the analysis finds.
pub struct Kept {
    /// For each block, one flag an access: whether a write keeps the old contents. False for reads.
    pub writes: Vec<Vec<bool>>,
    /// Cells, as bits, whose contents anybody may want at the end of each block: its channels, those
    /// that wait, or a look across channels. What else the hardware carries along is of no use.
    pub wanted_out: Vec<Vec<u64>>,
    /// The same at the start of each block, behind its join.
    pub wanted_in: Vec<Vec<u64>>,
}

/// Analyses a function. `full` is the mask of all that a cell holds.
pub fn kept(cfg: &Cfg, accesses: &[Vec<Access>], cells: usize, full: impl Fn(Cell) -> u64) -> Kept {
    let blocks = cfg.blocks.len();
    let globals = Globals::find(accesses, cells);
    let width = globals.count;
    let mut own_in: Vec<Masks> = vec![vec![0; width]; blocks];
    let mut whole_in: Vec<Masks> = vec![vec![0; width]; blocks];
    let linear = linear_succs(cfg);
    let mut state = State {
        globals: &globals,
        own: vec![0; width],
        whole: vec![0; width],
        local: vec![(0, 0); cells],
        touched: Vec::new(),
    };
    let load = |state: &mut State, b: usize, own_in: &[Masks], whole_in: &[Masks]| {
        state.own.fill(0);
        state.whole.fill(0);
        for s in cfg.logical_succs(b) {
            merge(&mut state.own, &own_in[s]);
        }
        for &s in &linear[b] {
            merge(&mut state.whole, &whole_in[s]);
        }
    };
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    for (b, succs) in linear.iter().enumerate() {
        let later = cfg.logical_succs(b).chain(succs.iter().copied());
        for s in later.chain(cfg.blocks[b].join_jip) {
            dependents[s].push(b);
        }
    }
    // Sweeps from the end, over the blocks behind which something changed.
    let mut pending = vec![true; blocks];
    while pending.contains(&true) {
        for b in (0..blocks).rev() {
            if !std::mem::take(&mut pending[b]) {
                continue;
            }
            load(&mut state, b, &own_in, &whole_in);
            for a in accesses[b].iter().rev() {
                state.step(a);
            }
            state.reset_local();
            if let Some(jip) = cfg.blocks[b].join_jip {
                merge(&mut state.whole, &whole_in[jip]);
            }
            if state.own != own_in[b] || state.whole != whole_in[b] {
                own_in[b].copy_from_slice(&state.own);
                whole_in[b].copy_from_slice(&state.whole);
                for &d in &dependents[b] {
                    pending[d] = true;
                }
            }
        }
    }
    let parked = parked(cfg, &own_in, width);
    let mut result = Vec::with_capacity(blocks);
    for b in 0..blocks {
        load(&mut state, b, &own_in, &whole_in);
        let mut flags = vec![false; accesses[b].len()];
        for (i, a) in accesses[b].iter().enumerate().rev() {
            let (own, whole) = state.get(a.cell);
            let waiting = match globals.index[a.cell.as_u32() as usize] {
                LOCAL => false,
                g => parked[b][g as usize / 64] >> (g % 64) & 1 == 1,
            };
            flags[i] = match a.kind {
                AccessKind::ReadOwn | AccessKind::ReadWhole => false,
                // What waiting channels had in the mask itself is overwritten on purpose.
                AccessKind::WriteAll => {
                    (own | whole) & !a.mask != 0 || waiting && full(a.cell) & !a.mask != 0
                }
                AccessKind::WriteOwn => own & !a.mask != 0 || whole != 0 || waiting,
                AccessKind::WriteSome => own | whole != 0 || waiting,
            };
            state.step(a);
        }
        state.reset_local();
        result.push(flags);
    }
    let waiting_out = parked_at_end(cfg, &own_in, width);
    let mut numbers = vec![0; width];
    for (c, &g) in globals
        .index
        .iter()
        .enumerate()
        .filter(|(_, g)| **g != LOCAL)
    {
        numbers[g as usize] = c;
    }
    let spread = |own: &[u64], whole: &[u64], waiting: &[u64]| {
        let mut set = vec![0u64; cells.div_ceil(64)];
        for g in 0..width {
            if own[g] | whole[g] != 0 || waiting[g / 64] >> (g % 64) & 1 == 1 {
                set[numbers[g] / 64] |= 1 << (numbers[g] % 64);
            }
        }
        set
    };
    let mut wanted_out = Vec::with_capacity(blocks);
    let mut wanted_in = Vec::with_capacity(blocks);
    for b in 0..blocks {
        load(&mut state, b, &own_in, &whole_in);
        wanted_out.push(spread(&state.own, &state.whole, &waiting_out[b]));
        wanted_in.push(spread(&own_in[b], &whole_in[b], &parked[b]));
    }
    Kept {
        writes: result,
        wanted_out,
        wanted_in,
    }
}

fn merge(into: &mut [u64], from: &[u64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a |= b;
    }
}

/// Linear successors of each block's end, in terms of logical blocks.
fn linear_succs(cfg: &Cfg) -> Vec<Vec<usize>> {
    (cfg.blocks.iter().enumerate())
        .map(|(b, block)| match block.exit {
            Exit::Diverge {
                target,
                jip,
                predicated,
                ..
            } => {
                let mut succs = vec![jip];
                if target <= b {
                    succs.push(target);
                } else if predicated {
                    succs.push(b + 1);
                }
                succs
            }
            _ => cfg.logical_succs(b).collect(),
        })
        .collect()
}

/// For each block, the set of global cells some waiting channel may want while it runs.
fn parked(cfg: &Cfg, own_in: &[Masks], width: usize) -> Vec<Vec<u64>> {
    waiting(cfg, own_in, width, |span| span.from)
}

/// The same at the end of each block: channels that its own branch sends away wait, too.
fn parked_at_end(cfg: &Cfg, own_in: &[Masks], width: usize) -> Vec<Vec<u64>> {
    waiting(cfg, own_in, width, |span| span.from.min(span.source))
}

/// Of all that wait at one block, the spans end there: together they are one span.
fn waiting(
    cfg: &Cfg,
    own_in: &[Masks],
    width: usize,
    from: impl Fn(&ParkedSpan) -> usize,
) -> Vec<Vec<u64>> {
    let words = width.div_ceil(64);
    let mut sets = vec![vec![0u64; words]; cfg.blocks.len()];
    let mut first: Vec<usize> = (0..cfg.blocks.len()).collect();
    for span in cfg.parked_spans() {
        first[span.at] = first[span.at].min(from(&span));
    }
    let mut live = vec![0u64; words];
    for (at, &from) in first.iter().enumerate().filter(|(at, from)| **from < *at) {
        live.fill(0);
        for (g, mask) in own_in[at].iter().enumerate() {
            live[g / 64] |= u64::from(*mask != 0) << (g % 64);
        }
        for set in &mut sets[from..at] {
            merge(set, &live);
        }
    }
    sets
}
