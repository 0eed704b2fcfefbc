//! SSA construction on the linear graph.
//!
//! Takes blocks whose reads and writes name cells and gives every write a value and every read the
//! value that reaches it; where several reach a block, the block gets a parameter. Parameters are
//! placed on the iterated dominance frontier of a cell's writes, and only where the cell is live.
//! What no write reaches is [`Value::UNDEF`].

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::func::{Block, Cell, Def, Function, Inst, Value, ValueData};

/// A dense set of cells.
#[derive(Clone, PartialEq)]
struct CellSet(Vec<u64>);

impl CellSet {
    fn new(cells: usize) -> CellSet {
        CellSet(vec![0; cells.div_ceil(64)])
    }

    fn insert(&mut self, c: Cell) -> bool {
        let (w, b) = (c.index() / 64, c.index() % 64);
        let fresh = self.0[w] >> b & 1 == 0;
        self.0[w] |= 1 << b;
        fresh
    }

    fn contains(&self, c: Cell) -> bool {
        self.0[c.index() / 64] >> (c.index() % 64) & 1 == 1
    }
}

/// Fills in every value of the function. Reads and the `old` of writes hold [`Value::UNDEF`] where
/// a value is to be found, and `None` where nothing is kept.
///
/// `wanted` gives the cells whose contents anybody wants at the end of a block, where that is known
/// (a bit a cell). Others are not passed on: the linear graph has ways that no channel takes from
/// end to end, and along these old contents would be carried for nobody.
pub fn construct<'a>(func: &mut Function, wanted: impl Fn(Block) -> Option<&'a Vec<u64>>) {
    let graph = petgraph_of(func);
    let doms = simple_fast(&graph, NodeIndex::new(0));
    let live_in = liveness(func, &wanted);
    place_params(func, &doms, &live_in);
    rename(func, &doms, &wanted);
}

/// The linear graph, blocks as node numbers.
pub fn petgraph_of(func: &Function) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(func.blocks.len(), func.blocks.len() * 2);
    for _ in func.blocks.keys() {
        graph.add_node(());
    }
    for (b, data) in &func.blocks {
        for edge in &data.succs {
            graph.add_edge(
                NodeIndex::new(b.index()),
                NodeIndex::new(edge.to.index()),
                (),
            );
        }
    }
    graph
}

fn liveness<'a>(
    func: &Function,
    wanted: &impl Fn(Block) -> Option<&'a Vec<u64>>,
) -> PrimaryMap<Block, CellSet> {
    let cells = func.cells.len();
    let mut used = PrimaryMap::new();
    let mut defined = PrimaryMap::new();
    for b in func.blocks.keys() {
        let (mut uses, mut defs) = (CellSet::new(cells), CellSet::new(cells));
        for inst in func.block_insts(b) {
            for r in func.reads(inst) {
                if !defs.contains(r.cell) {
                    uses.insert(r.cell);
                }
            }
            for w in func.writes(inst) {
                if w.old.is_some() && !defs.contains(w.cell) {
                    uses.insert(w.cell);
                }
                defs.insert(w.cell);
            }
        }
        used.push(uses);
        defined.push(defs);
    }
    let mut live: PrimaryMap<Block, CellSet> = used.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for b in func.blocks.keys().rev() {
            for edge in &func.blocks[b].succs {
                for w in 0..live[b].0.len() {
                    let mask = wanted(b).map_or(u64::MAX, |set| set[w]);
                    let new = live[edge.to].0[w] & mask & !defined[b].0[w] & !live[b].0[w];
                    if new != 0 {
                        live[b].0[w] |= new;
                        changed = true;
                    }
                }
            }
        }
    }
    live
}

fn place_params(
    func: &mut Function,
    doms: &Dominators<NodeIndex>,
    live_in: &PrimaryMap<Block, CellSet>,
) {
    let frontier = dominance_frontiers(func, doms);
    let mut writers: Vec<Vec<Block>> = vec![Vec::new(); func.cells.len()];
    for b in func.blocks.keys() {
        for inst in func.block_insts(b) {
            for w in func.writes(inst) {
                let list = &mut writers[w.cell.index()];
                if list.last() != Some(&b) {
                    list.push(b);
                }
            }
        }
    }
    for &(cell, _) in &func.entry {
        writers[cell.index()].push(Block::from_u32(0));
    }
    let mut placed = vec![u32::MAX; func.blocks.len()];
    for (c, mut work) in writers.into_iter().enumerate() {
        let cell = Cell::new(c);
        while let Some(b) = work.pop() {
            for &f in &frontier[b.index()] {
                if placed[f.index()] != c as u32 && live_in[f].contains(cell) {
                    placed[f.index()] = c as u32;
                    let value = func.values.push(ValueData {
                        cell: cell.into(),
                        def: Def::Param(f),
                    });
                    func.blocks[f].params.push((cell, value));
                    work.push(f);
                }
            }
        }
    }
}

/// By Cooper, Harvey and Kennedy's walk up the dominator tree from each join's predecessors.
fn dominance_frontiers(func: &Function, doms: &Dominators<NodeIndex>) -> Vec<Vec<Block>> {
    let mut frontier = vec![Vec::new(); func.blocks.len()];
    for (b, data) in &func.blocks {
        if data.preds.len() < 2 {
            continue;
        }
        let Some(stop) = doms.immediate_dominator(NodeIndex::new(b.index())) else {
            continue;
        };
        for &p in &data.preds {
            let mut runner = NodeIndex::new(p.index());
            // Predecessors that cannot be reached have no dominator and take no part.
            if doms.immediate_dominator(runner).is_none() && runner.index() != 0 {
                continue;
            }
            while runner != stop {
                if frontier[runner.index()].last() != Some(&b) {
                    frontier[runner.index()].push(b);
                }
                match doms.immediate_dominator(runner) {
                    Some(up) => runner = up,
                    None => break,
                }
            }
        }
    }
    frontier
}

fn rename<'a>(
    func: &mut Function,
    doms: &Dominators<NodeIndex>,
    wanted: &impl Fn(Block) -> Option<&'a Vec<u64>>,
) {
    let count = func.blocks.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for b in 1..count {
        if let Some(d) = doms.immediate_dominator(NodeIndex::new(b)) {
            children[d.index()].push(b);
        }
    }
    let mut current: Vec<Value> = vec![Value::UNDEF; func.cells.len()];
    let mut undo: Vec<(Cell, Value)> = Vec::new();
    for &(cell, value) in &func.entry {
        current[cell.index()] = value;
    }
    // Depth first over the dominator tree: enter a block, later restore what it changed.
    enum Step {
        Enter(usize),
        Leave(usize),
    }
    let mut steps = vec![Step::Enter(0)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(mark) => {
                for (cell, value) in undo.drain(mark..).rev() {
                    current[cell.index()] = value;
                }
            }
            Step::Enter(b) => {
                steps.push(Step::Leave(undo.len()));
                let set = wanted(Block::new(b));
                rename_block(func, Block::new(b), &mut current, &mut undo, set);
                steps.extend(children[b].iter().rev().map(|&c| Step::Enter(c)));
            }
        }
    }
}

fn rename_block(
    func: &mut Function,
    b: Block,
    current: &mut [Value],
    undo: &mut Vec<(Cell, Value)>,
    wanted: Option<&Vec<u64>>,
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
    for s in 0..func.blocks[b].succs.len() {
        let to = func.blocks[b].succs[s].to;
        let passed = |cell: Cell| {
            wanted.is_none_or(|set| set[cell.index() / 64] >> (cell.index() % 64) & 1 == 1)
        };
        let value = |cell: Cell| {
            if passed(cell) {
                current[cell.index()]
            } else {
                Value::UNDEF
            }
        };
        let args = func.blocks[to]
            .params
            .iter()
            .map(|&(cell, _)| value(cell))
            .collect();
        func.blocks[b].succs[s].args = args;
    }
}
