//! SSA construction on the linear graph.
//!
//! Takes blocks whose reads and writes name cells. Guarantees a value for every write and, for every read, the value
//! that reaches it; a block that several reach has a parameter. Parameters are
//! placed on the iterated dominance frontier of a cell's writes (Cytron et al.), only where the cell is live, in
//! the batches of cells that [`crate::liveness`] solves: a cell that is local to a block needs none.
//! A read that no write reaches is of [`Value::UNDEF`].
//!
//! The frontiers are never stored, since for nested loops their size is quadratic.
//! A join is in the frontier of the blocks on the path up the dominator tree from its
//! predecessors to its own dominator; the walk there ends as soon as it has found a write of each
//! live cell. Joins deep in the tree come first (Sreedhar and Gao), so that parameters, which are
//! writes for other joins, are known, except those of joins at the same depth.
//!
//! Contents that no channel wants at the end of a block are not passed on: the linear graph has paths that
//! no channel takes from end to end, along which old contents would stay live in vain.

use std::cmp::Reverse;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};

use crate::dominators::Dominators;
use crate::func::{Block, Cell, Def, Function, Inst, Routine, Value, ValueData};
use crate::liveness::{Accesses, Batch, Item, Solver, Worklist, bit_of_cell};

/// The origin of a block of the linear graph.
#[derive(Clone, Copy)]
pub enum Origin {
    /// The logical block of that number.
    Body(usize),
    /// The join before the logical block of that number.
    Join(usize),
    /// A critical edge that the block splits.
    Split,
}

/// Placement of block parameters, one batch of cells after the other; batches are independent.
pub struct Placer<'a> {
    origins: &'a [Origin],
    /// By logical block: the linear block with its instructions.
    bodies: Vec<Block>,
    doms: &'a Dominators,
    entry: Vec<Cell>,
    /// Subroutines by their entry, and by the block that returns.
    entered: SecondaryMap<Block, Option<Routine>>,
    left: SecondaryMap<Block, Option<Routine>>,
    /// By block, a bit for each cell of the batch: live at its start, and written in it.
    live: Vec<u64>,
    written: Vec<u64>,
    touched: Vec<Block>,
    work: Worklist,
    /// By block: the last search that visited it.
    seen: Vec<u32>,
    searches: u32,
}

impl<'a> Placer<'a> {
    pub fn new(func: &Function, doms: &'a Dominators, origins: &'a [Origin]) -> Placer<'a> {
        let count = func.blocks.len();
        let body = |(b, origin): (usize, &Origin)| match origin {
            Origin::Body(_) => Some(Block::new(b)),
            Origin::Join(_) | Origin::Split => None,
        };
        let mut entered = SecondaryMap::new();
        let mut left = SecondaryMap::new();
        for (r, routine) in func.routines.iter().skip(1) {
            entered[routine.blocks.start] = Some(r);
            if let Some(exit) = routine.exit.expand() {
                left[exit] = Some(r);
            }
        }
        Placer {
            entered,
            left,
            origins,
            bodies: origins.iter().enumerate().filter_map(body).collect(),
            doms,
            entry: func.entry.iter().map(|&(cell, _)| cell).collect(),
            live: vec![0; count],
            written: vec![0; count],
            touched: Vec::new(),
            work: Worklist::new(count),
            seen: vec![0; count],
            searches: 0,
        }
    }

    /// Finds the cells of a batch that was just solved that are live at the start of each block.
    pub fn flow(&mut self, func: &Function, solver: &Solver, batch: &Batch, accesses: &Accesses) {
        for b in self.touched.drain(..) {
            self.live[b.index()] = 0;
            self.written[b.index()] = 0;
        }
        for items in batch.items.chunk_by(|a, b| a.block == b.block) {
            let b = self.bodies[items[0].block as usize];
            // Unreachable blocks have no instructions.
            if !func.blocks[b].insts.is_empty() {
                self.uses(b, items, solver, batch, accesses);
            }
        }
        for end in &solver.at_ends {
            let b = self.bodies[end.block as usize];
            if self.doms.is_reachable(b) {
                self.live[b.index()] |= end.reads & !self.written[b.index()];
                self.written[b.index()] |= end.writes;
                self.touched.push(b);
            }
        }
        self.spread(func, solver, batch);
    }

    /// The cells that are live at the end of a logical block.
    pub fn live_out(&self, func: &Function, solver: &Solver, batch: &Batch, l: usize) -> u64 {
        let b = self.bodies[l];
        let succs = func.blocks[b].succs.iter();
        match succs.fold(0, |all, edge| all | self.live[edge.to.index()]) {
            0 => 0,
            live => self.passed(func, solver, batch, b, live),
        }
    }

    /// Logical blocks at whose start cells are live, and those that access them. A block may be there twice.
    pub fn touched(&self) -> impl Iterator<Item = u32> + '_ {
        let logical = |b: &Block| match self.origins[b.index()] {
            Origin::Body(l) => Some(l as u32),
            Origin::Join(_) | Origin::Split => None,
        };
        self.touched.iter().filter_map(logical)
    }

    /// Gives blocks and routines their parameters for the cells of a batch that was just solved. Each argument of a
    /// parameter is the parameter's own value until [`rename`].
    pub fn place(
        &mut self,
        func: &mut Function,
        solver: &Solver,
        batch: &Batch,
        accesses: &Accesses,
    ) {
        self.flow(func, solver, batch, accesses);
        let mut cells = [None; 64];
        for &(cell, bits) in &batch.cells {
            let bit = bit_of_cell(bits);
            cells[bit as usize] = Some(cell);
            if self.entry.contains(&cell) {
                self.touched.push(Block::from_u32(0));
                self.written[0] |= 1 << bit;
            }
        }
        self.pass(func, (solver, batch), &cells);
        for (b, placed) in self.joins(func) {
            for (bit, cell) in in_bits(placed, &cells) {
                let value = func.values.push(ValueData {
                    cell: cell.into(),
                    def: Def::Param(b),
                });
                func.blocks[b].params.push((cell, value));
                for p in func.blocks[b].preds.clone() {
                    let arg = match self.passed(func, solver, batch, p, bit) {
                        0 => Value::UNDEF,
                        _ => value,
                    };
                    for edge in func.blocks[p].succs.iter_mut().filter(|e| e.to == b) {
                        edge.args.push(arg);
                    }
                }
            }
        }
    }

    /// Makes a parameter of each cell that is live-in to a subroutine, and a result of each that is live at its end.
    fn pass(
        &mut self,
        func: &mut Function,
        (solver, batch): (&Solver, &Batch),
        cells: &[Option<Cell>; 64],
    ) {
        for &b in &self.touched {
            let Some(routine) = self.entered[b] else {
                continue;
            };
            let live = std::mem::take(&mut self.live[b.index()]);
            let live = live & batch.cells_in(solver.passed_to(routine.index()));
            self.written[b.index()] |= live;
            for (_, cell) in in_bits(live, cells) {
                let value = func.values.push(ValueData {
                    cell: cell.into(),
                    def: Def::Entry,
                });
                func.routines[routine].params.push((cell, value));
            }
        }
        for end in solver.at_ends.iter().filter(|end| end.writes == 0) {
            let b = self.bodies[end.block as usize];
            if let Some(routine) = self.left[b] {
                let results = in_bits(end.reads, cells).map(|(_, cell)| (cell, Value::UNDEF));
                func.routines[routine].results.extend(results);
            }
        }
    }

    /// The joins that need parameters, with the bits of the cells.
    fn joins(&mut self, func: &Function) -> Vec<(Block, u64)> {
        let is_join = |b: &Block| {
            self.live[b.index()] != 0
                && func.blocks[*b].preds.len() >= 2
                && self.doms.is_reachable(*b)
        };
        let mut joins: Vec<(Block, u64)> =
            (self.touched.iter().copied().filter(is_join).map(|b| (b, 0))).collect();
        joins.sort_unstable_by_key(|&(b, _)| (Reverse(self.doms.depth(b)), b));
        joins.dedup();
        for alike in joins.chunk_by_mut(|a, b| self.doms.depth(a.0) == self.doms.depth(b.0)) {
            let mut again = true;
            while again {
                again = false;
                for (b, placed) in alike.iter_mut() {
                    let more = self.writes_before(func, *b, self.live[b.index()] & !*placed);
                    *placed |= more;
                    again |= more & !self.written[b.index()] != 0;
                    self.written[b.index()] |= more;
                }
            }
        }
        joins.retain(|&(_, placed)| placed != 0);
        joins
    }

    /// The cells of `wanted` that are written on the paths up the dominator tree from a join's predecessors to its
    /// dominator.
    fn writes_before(&mut self, func: &Function, join: Block, wanted: u64) -> u64 {
        self.searches += 1;
        let stop = self.doms.idom(join);
        let mut found = 0;
        for &p in func.blocks[join]
            .preds
            .iter()
            .filter(|p| self.doms.is_reachable(**p))
        {
            let mut runner = Some(p).filter(|_| Some(p) != stop);
            // An earlier path of this search went on from there.
            while let Some(at) = runner.filter(|_| found != wanted)
                && std::mem::replace(&mut self.seen[at.index()], self.searches) != self.searches
            {
                found |= self.written[at.index()] & wanted;
                runner = self.doms.idom(at).filter(|_| self.doms.idom(at) != stop);
            }
        }
        found
    }

    /// Enters the upward-exposed reads of a block and its writes, both from its items.
    fn uses(
        &mut self,
        b: Block,
        items: &[Item],
        solver: &Solver,
        batch: &Batch,
        accesses: &Accesses,
    ) {
        let (mut used, mut written) = (0, 0);
        let inst = |item: &Item| accesses.list[item.access as usize].inst;
        for of_inst in items.chunk_by(|a, b| inst(a) == inst(b)) {
            let before = written;
            for item in of_inst {
                let bits = batch.cells_in(item.bits);
                let read = accesses.list[item.access as usize].kind.is_read();
                if read || solver.kept[item.access as usize] {
                    used |= bits & !before;
                }
                if !read {
                    written |= bits;
                }
            }
        }
        self.live[b.index()] = used;
        self.written[b.index()] = written;
        self.touched.push(b);
    }

    /// The cells of a set that block `b` passes on.
    fn passed(&self, func: &Function, solver: &Solver, batch: &Batch, b: Block, cells: u64) -> u64 {
        match self.origins[b.index()] {
            Origin::Body(l) => solver.wanted_out(batch, l, cells),
            Origin::Join(l) => solver.wanted_in(batch, l, cells),
            Origin::Split => {
                let before = func.blocks[b].preds[0];
                self.passed(func, solver, batch, before, cells)
            }
        }
    }

    /// Solves liveness on the linear graph, backward with a worklist.
    fn spread(&mut self, func: &Function, solver: &Solver, batch: &Batch) {
        for i in 0..self.touched.len() {
            if self.live[self.touched[i].index()] != 0 {
                self.work.push(self.touched[i].as_u32());
            }
        }
        while let Some(b) = self.work.pop() {
            let live = self.live[b as usize];
            for &p in &func.blocks[Block::from_u32(b)].preds {
                let before = self.live[p.index()];
                let passed = live & !self.written[p.index()] & !before;
                if passed == 0 {
                    continue;
                }
                let passed = self.passed(func, solver, batch, p, passed);
                if passed != 0 {
                    if before == 0 {
                        self.touched.push(p);
                    }
                    self.live[p.index()] = before | passed;
                    self.work.push(p.as_u32());
                }
            }
        }
    }
}

/// The cells whose bits are in a set, each with its bit.
fn in_bits(mut bits: u64, cells: &[Option<Cell>; 64]) -> impl Iterator<Item = (u64, Cell)> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some((1 << at, cells[at as usize]))
    })
    .filter_map(|(bit, cell)| Some((bit, cell?)))
}

/// Gives every read and write its value, in a walk over the dominator tree. Before, reads and the `old` of writes
/// that keep contents are [`Value::UNDEF`]; `old` is `None` where nothing is kept.
pub fn rename(func: &mut Function, doms: &Dominators) {
    let count = func.blocks.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for b in 0..count {
        if let Some(d) = doms.idom(Block::new(b)) {
            children[d.index()].push(b);
        }
    }
    func.values.reserve(func.write_pool.len());
    let mut current: Vec<Value> = vec![Value::UNDEF; func.cells.len()];
    let mut undo: Vec<(Cell, Value)> = Vec::new();
    // Depth first over the dominator tree; leaving a block undoes its changes of `current`.
    enum Step {
        Enter(usize),
        Leave(usize),
    }
    let entries = func.routines.values().rev();
    let mut steps: Vec<Step> = entries
        .map(|routine| Step::Enter(routine.blocks.start.index()))
        .collect();
    let mut begins: SecondaryMap<Block, Option<Routine>> = SecondaryMap::new();
    let mut ends: SecondaryMap<Block, Option<Routine>> = SecondaryMap::new();
    for (r, routine) in &func.routines {
        begins[routine.blocks.start] = Some(r);
        if let Some(exit) = routine.exit.expand() {
            ends[exit] = Some(r);
        }
    }
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(mark) => {
                for (cell, value) in undo.drain(mark..).rev() {
                    current[cell.index()] = value;
                }
            }
            Step::Enter(b) => {
                steps.push(Step::Leave(undo.len()));
                let block = Block::new(b);
                let params = begins[block].map(|r| match r.index() {
                    0 => &func.entry[..],
                    _ => &func.routines[r].params[..],
                });
                for &(cell, value) in params.unwrap_or_default() {
                    undo.push((cell, current[cell.index()]));
                    current[cell.index()] = value;
                }
                rename_block(func, block, &mut current, &mut undo);
                if let Some(r) = ends[block] {
                    for (cell, value) in &mut func.routines[r].results {
                        *value = current[cell.index()];
                    }
                }
                steps.extend(children[b].iter().rev().map(|&c| Step::Enter(c)));
            }
        }
    }
}

/// Removes parameters that have no contents: all their arguments are undefined, or parameters without contents.
pub fn drop_undefined(func: &mut Function) {
    let is_made = |data: &ValueData| matches!(data.def, Def::Entry | Def::Inst(_));
    // By value: true if it may have contents.
    let mut defined: SecondaryMap<Value, bool> = SecondaryMap::new();
    defined.resize(func.values.len());
    for (value, data) in &func.values {
        defined[value] = is_made(data);
    }
    let mut again = true;
    while again {
        again = false;
        for edge in func.blocks.values().flat_map(|block| &block.succs) {
            let params = &func.blocks[edge.to].params;
            for (&arg, &(_, param)) in edge.args.iter().zip(params) {
                again |= defined[arg] && !std::mem::replace(&mut defined[param], true);
            }
        }
    }
    let mut params = func.blocks.values().flat_map(|block| &block.params);
    if params.all(|&(_, value)| defined[value]) {
        return;
    }
    let known = |value: Value| match defined[value] {
        true => value,
        false => Value::UNDEF,
    };
    for b in func.blocks.keys() {
        for e in 0..func.blocks[b].succs.len() {
            let edge = &func.blocks[b].succs[e];
            let args = edge.args.iter().zip(&func.blocks[edge.to].params);
            let kept = args.filter(|&(_, &(_, param))| defined[param]);
            let args = kept.map(|(&arg, _)| known(arg)).collect();
            func.blocks[b].succs[e].args = args;
        }
    }
    for block in func.blocks.values_mut() {
        block.params.retain(|&(_, value)| defined[value]);
    }
    for read in &mut func.read_pool {
        read.value = known(read.value);
    }
    for write in &mut func.write_pool {
        write.old = write.old.expand().filter(|&old| defined[old]).into();
    }
    for routine in func.routines.values_mut() {
        for (_, value) in &mut routine.results {
            *value = known(*value);
        }
    }
}

fn rename_block(
    func: &mut Function,
    b: Block,
    current: &mut [Value],
    undo: &mut Vec<(Cell, Value)>,
) {
    let mut define = |current: &mut [Value], cell: Cell, value: Value| {
        undo.push((cell, current[cell.index()]));
        current[cell.index()] = value;
    };
    for i in 0..func.blocks[b].params.len() {
        let (cell, value) = func.blocks[b].params[i];
        define(current, cell, value);
    }
    for inst in func.blocks[b].insts.clone() {
        let data = func.insts[inst as usize].clone();
        for r in &mut func.read_pool[data.reads.start as usize..data.reads.end as usize] {
            r.value = current[r.cell.index()];
        }
        for w in &mut func.write_pool[data.writes.start as usize..data.writes.end as usize] {
            let before = current[w.cell.index()];
            w.old = if w.old.is_some() && !before.is_undef() {
                before.into()
            } else {
                PackedOption::default()
            };
            w.new = func.values.push(ValueData {
                cell: w.cell.into(),
                def: Def::Inst(Inst::from_u32(inst)),
            });
            define(current, w.cell, w.new);
        }
    }
    let values = &func.values;
    for arg in func.blocks[b].succs.iter_mut().flat_map(|e| &mut e.args) {
        if let Some(cell) = values[*arg].cell.expand() {
            *arg = current[cell.index()];
        }
    }
}
