//! Live ranges of cells, as spans of code.
//!
//! Takes the accesses of every block, and follows the cells in the batches of [`crate::liveness`]. Guarantees for each
//! cell the spans in which the thread carries its contents, on the linear graph, and those in which an active channel
//! wants some of them on its own way, on the logical graph. Where only the first holds, the contents are of channels
//! that wait, or that go past code which they do not execute.

use std::ops::Range;

use cranelift_entity::EntityRef;
use smallvec::SmallVec;

use crate::cfg::Cfg;
use crate::func::{Cell, Function};
use crate::liveness::{Accesses, Batch, Graph, Item, Solver, Worklist, bit_of_cell};
use crate::ssa::Placer;

/// Positions, ascending, from one to before another. An instruction has two: it reads at the even one and writes at the
/// odd one.
pub type Spans = SmallVec<[Range<u32>; 1]>;

/// The live ranges of one cell.
#[derive(Clone, Debug, Default)]
pub struct CellRanges {
    /// Where the thread carries contents.
    pub carried: Spans,
    /// Where an active channel wants contents.
    pub wanted: Spans,
}

/// By cell: its live ranges, given those of [`locals`].
pub fn of(
    func: &Function,
    cfg: &Cfg,
    accesses: &Accesses,
    (mut solver, batches): (Solver, &[Batch]),
    mut placer: Placer,
    locals: Vec<CellRanges>,
) -> Vec<CellRanges> {
    let mut ranges = locals;
    let mut touched = Worklist::new(cfg.blocks.len());
    for batch in batches {
        solver.solve(batch);
        placer.flow(func, &solver, batch, accesses);
        let mut walk = Walk {
            cfg,
            accesses,
            batch,
            solver: &solver,
            carried: Toggles::new(),
            wanted: Toggles::new(),
            events: Vec::new(),
        };
        walk.blocks(func, &placer, &mut touched, &mut ranges);
    }
    ranges
}

/// The ranges of cells that are local to a block: from the first access to the last.
pub fn locals(func: &Function, graph: &Graph) -> Vec<CellRanges> {
    let (global, accesses) = (&graph.global, graph.accesses);
    let mut ranges = vec![CellRanges::default(); func.cells.len()];
    let mut last_block = vec![usize::MAX; func.cells.len()];
    for (b, list) in accesses.blocks.iter().enumerate() {
        for a in &accesses.list[list.start as usize..list.end as usize] {
            let c = a.cell.index();
            if global[c] {
                continue;
            }
            let at = 2 * a.inst + u32::from(!a.kind.is_read());
            let spans = &mut ranges[c].wanted;
            match spans.last_mut().filter(|_| last_block[c] == b) {
                Some(span) => span.end = at + 1,
                None => spans.push(at..at + 1),
            }
            last_block[c] = b;
        }
    }
    for cell in &mut ranges {
        cell.carried = cell.wanted.clone();
    }
    ranges
}

/// Live cells of a batch at the current position, with the start of each one's span.
struct Toggles {
    live: u64,
    /// By live bit: the position from which it is live.
    since: [u32; 64],
}

impl Toggles {
    fn new() -> Toggles {
        Toggles {
            live: 0,
            since: [0; 64],
        }
    }

    fn set(&mut self, at: u32, live: u64, mut ended: impl FnMut(u32, Range<u32>)) {
        let mut changed = self.live ^ live;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            changed &= changed - 1;
            let since = &mut self.since[bit as usize];
            match self.live >> bit & 1 {
                0 => *since = at,
                _ => ended(bit, *since..at),
            }
        }
        self.live = live;
    }
}

/// Cells that are live from a position on.
struct Event {
    at: u32,
    carried: u64,
    wanted: u64,
}

/// The walk over the blocks of one batch.
struct Walk<'a> {
    cfg: &'a Cfg,
    accesses: &'a Accesses,
    batch: &'a Batch,
    solver: &'a Solver<'a>,
    carried: Toggles,
    wanted: Toggles,
    /// Events of the current block, the last first.
    events: Vec<Event>,
}

impl Walk<'_> {
    /// Visits the blocks in which cells of the batch are live or accessed, which it puts in order in `touched`.
    fn blocks(
        &mut self,
        func: &Function,
        placer: &Placer,
        touched: &mut Worklist,
        ranges: &mut [CellRanges],
    ) {
        let mut cells = [Cell::from_u32(0); 64];
        for &(cell, bits) in &self.batch.cells {
            cells[bit_of_cell(bits) as usize] = cell;
        }
        let accessing = self.batch.items.iter().map(|item| item.block);
        let live = self.solver.touched().iter().copied();
        live.chain(placer.touched())
            .chain(accessing)
            .for_each(|b| touched.push(b));
        let last_first: Vec<u32> = std::iter::from_fn(|| touched.pop()).collect();
        let mut items = &self.batch.items[..];
        let mut end = 0;
        for b in last_first.into_iter().rev() {
            let count = items.partition_point(|item| item.block <= b);
            let (of_block, rest) = items.split_at(count);
            items = rest;
            let insts = self.cfg.blocks[b as usize].insts.clone();
            if insts.is_empty() {
                continue;
            }
            if end != 2 * insts.start {
                self.events.push(Event {
                    at: end,
                    carried: 0,
                    wanted: 0,
                });
                self.apply(&cells, ranges);
            }
            end = 2 * insts.end;
            let carried = placer.live_out(func, self.solver, self.batch, b as usize);
            self.block(of_block, b as usize, 2 * insts.start, carried);
            self.apply(&cells, ranges);
        }
        self.events.push(Event {
            at: end,
            carried: 0,
            wanted: 0,
        });
        self.apply(&cells, ranges);
    }

    /// Enters the events of the block, in turn.
    fn apply(&mut self, cells: &[Cell; 64], ranges: &mut [CellRanges]) {
        for event in self.events.drain(..).rev() {
            let of = |bit: u32| cells[bit as usize].index();
            let carried = |bit, span| ranges[of(bit)].carried.push(span);
            self.carried.set(event.at, event.carried, carried);
            let wanted = |bit, span| ranges[of(bit)].wanted.push(span);
            self.wanted.set(event.at, event.wanted, wanted);
        }
    }

    /// Finds the events of a block with some items, from position `start` on, backward.
    fn block(&mut self, mut items: &[Item], b: usize, start: u32, mut carried: u64) {
        let inst = |item: &Item| self.accesses.list[item.access as usize].inst;
        let mut state = self.solver.wanted_after(b);
        while let Some(last) = items.last() {
            let i = inst(last);
            let (before, of_inst) = items.split_at(items.partition_point(|item| inst(item) < i));
            items = before;
            let (mut read, mut written) = (0, 0);
            let wanted = self.batch.cells_in(state.own);
            let after = (carried, wanted);
            for item in of_inst.iter().rev() {
                let access = &self.accesses.list[item.access as usize];
                let cells = self.batch.cells_in(item.bits);
                let is_read = access.kind.is_read();
                if is_read || self.solver.kept[item.access as usize] {
                    read |= cells;
                }
                if !is_read {
                    written |= cells;
                }
                state.step(access.kind, item.bits);
            }
            // Contents that nobody reads take their place when they are written.
            self.events.push(Event {
                at: 2 * i + 2,
                carried,
                wanted,
            });
            self.events.push(Event {
                at: 2 * i + 1,
                carried: after.0 | written,
                wanted: after.1 | written,
            });
            carried = carried & !written | read;
            self.events.push(Event {
                at: 2 * i,
                carried,
                wanted: self.batch.cells_in(state.own),
            });
        }
        let wanted = self.batch.cells_in(state.own);
        self.events.push(Event {
            at: start,
            carried,
            wanted,
        });
    }
}
