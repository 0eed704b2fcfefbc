//! Liveness of virtual registers at the boundaries of blocks.
//!
//! Takes a function in SSA form. Guarantees for each block the registers that are live-in and live-out. Each use is
//! followed back to the definition (Boissinot et al., "Computing Liveness Sets for SSA-Form Programs": by variable), so
//! that time and space are proportional to the result. Registers that are live within one block only do not appear.

use std::ops::AddAssign;

use crate::func::{Block, Function};
use crate::graph::Graph;
use crate::inst::{Inst, VReg};

/// No block: the register is not defined.
const NONE: u32 = u32::MAX;

/// Live-in and live-out registers of all blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Lists,
    live_out: Lists,
}

/// Registers live at the end of each block: the sum of their amounts, and those that the block itself mentions. The space
/// is near the length of the code; lists of all live registers would take blocks times registers.
pub struct Ends<T> {
    sums: Vec<T>,
    mentioned: Lists,
}

impl<T: Copy + Default + AddAssign> Ends<T> {
    /// Sums of the amounts of the registers that have one. A register is not followed beyond a block whose sum is full, so
    /// that time is near the length of the code however many registers live.
    pub fn new(
        func: &Function,
        graph: &Graph,
        amount: impl Fn(VReg) -> Option<T>,
        is_full: impl Fn(&T) -> bool,
    ) -> Self {
        let blocks = func.blocks.len();
        let mut sums = vec![T::default(); blocks];
        let mut mentioned = Vec::new();
        let uses = Uses::new(func, |v| amount(v).is_some());
        uses.follow(
            graph,
            |_, _| {},
            |block, v| {
                let sum = &mut sums[block.as_u32() as usize];
                *sum += amount(v).unwrap_or_default();
                !is_full(sum)
            },
            |block, v| mentioned.push((block, v)),
        );
        Ends {
            sums,
            mentioned: Lists::new(blocks, &mentioned),
        }
    }

    /// The sum over all registers that are live-out.
    pub fn sum(&self, block: Block) -> T {
        self.sums[block.as_u32() as usize]
    }

    /// Live-out registers that the block reads or defines.
    pub fn mentioned(&self, block: Block) -> &[VReg] {
        self.mentioned.of(block)
    }
}

/// Lists of registers by block, in one array.
#[derive(Clone, Debug)]
struct Lists {
    /// By block: the start of its list; then the end of the last list.
    starts: Vec<u32>,
    all: Vec<VReg>,
}

impl Lists {
    /// Lists in the order of the pairs.
    fn new(blocks: usize, pairs: &[(Block, VReg)]) -> Lists {
        let mut starts = vec![0u32; blocks + 1];
        for (block, _) in pairs {
            starts[block.as_u32() as usize + 1] += 1;
        }
        for b in 0..blocks {
            starts[b + 1] += starts[b];
        }
        let mut next = starts.clone();
        let mut all = vec![VReg::NOTHING; pairs.len()];
        for &(block, v) in pairs {
            let at = &mut next[block.as_u32() as usize];
            all[*at as usize] = v;
            *at += 1;
        }
        Lists { starts, all }
    }

    fn of(&self, block: Block) -> &[VReg] {
        let b = block.as_u32() as usize;
        &self.all[self.starts[b] as usize..self.starts[b + 1] as usize]
    }
}

impl Liveness {
    pub fn new(func: &Function, graph: &Graph) -> Liveness {
        Liveness::of(func, graph, |_| true)
    }

    /// Liveness of the registers for which `wanted` is true, as if no others existed. It saves time and space where
    /// many others are live over many blocks.
    pub fn of(func: &Function, graph: &Graph, wanted: impl Fn(VReg) -> bool) -> Liveness {
        let (mut live_in, mut live_out) = (Vec::new(), Vec::new());
        Uses::new(func, wanted).follow(
            graph,
            |block, v| live_in.push((block, v)),
            |block, v| {
                live_out.push((block, v));
                true
            },
            |_, _| {},
        );
        let blocks = func.blocks.len();
        Liveness {
            live_in: Lists::new(blocks, &live_in),
            live_out: Lists::new(blocks, &live_out),
        }
    }

    /// Live-in registers of `block`, ascending, without its parameters, which it defines.
    pub fn live_in(&self, block: Block) -> &[VReg] {
        self.live_in.of(block)
    }

    /// Live-out registers of `block`, ascending. Arguments of its edges are uses at its end, and not live-out by that.
    pub fn live_out(&self, block: Block) -> &[VReg] {
        self.live_out.of(block)
    }
}

/// Where registers are defined and read.
struct Uses {
    /// By register: the block that defines it.
    def: Vec<u32>,
    /// Upward-exposed uses, sorted by register, each block once.
    uses: Vec<(VReg, Block)>,
}

impl Uses {
    fn new(func: &Function, wanted: impl Fn(VReg) -> bool) -> Uses {
        let def = definitions(func);
        let uses = by_register(func.regs.len(), &uses(func, &def, wanted));
        Uses { def, uses }
    }

    /// Follows each register from its uses to its definition. Calls `live_in` and `live_out` with each block in which it
    /// is that, and `mentioned` with those of the latter that read or define it. A register is followed beyond a block if
    /// `live_out` says so.
    fn follow(
        &self,
        graph: &Graph,
        mut live_in: impl FnMut(Block, VReg),
        mut live_out: impl FnMut(Block, VReg) -> bool,
        mut mentioned: impl FnMut(Block, VReg),
    ) {
        // By block: the register last found live-in, and the one last found live-out.
        let mut starts = vec![VReg::NOTHING; graph.blocks()];
        let mut ends = starts.clone();
        let mut stack = Vec::new();
        for uses in self.uses.chunk_by(|a, b| a.0 == b.0) {
            let v = uses[0].0;
            let def = self.def[v.as_u32() as usize];
            for &(_, block) in uses {
                stack.push(block);
                while let Some(block) = stack.pop() {
                    let start = &mut starts[block.as_u32() as usize];
                    if std::mem::replace(start, v) == v {
                        continue;
                    }
                    live_in(block, v);
                    for &pred in graph.preds(block) {
                        let end = &mut ends[pred.as_u32() as usize];
                        if std::mem::replace(end, v) == v {
                            continue;
                        }
                        let goes_on = live_out(pred, v);
                        if def == pred.as_u32() {
                            mentioned(pred, v);
                        } else if goes_on {
                            stack.push(pred);
                        }
                    }
                }
            }
            for &(_, block) in uses {
                if ends[block.as_u32() as usize] == v {
                    mentioned(block, v);
                }
            }
        }
    }
}

/// Uses in the order of blocks, sorted by register (a counting sort) without duplicates.
fn by_register(regs: usize, found: &[(VReg, Block)]) -> Vec<(VReg, Block)> {
    let mut at = vec![0u32; regs + 1];
    for (v, _) in found {
        at[v.as_u32() as usize + 1] += 1;
    }
    for v in 0..regs {
        at[v + 1] += at[v];
    }
    let mut all = vec![(VReg::NOTHING, Block::from_u32(0)); found.len()];
    for &(v, block) in found {
        let at = &mut at[v.as_u32() as usize];
        all[*at as usize] = (v, block);
        *at += 1;
    }
    all.dedup();
    all
}

/// Upward-exposed uses of wanted registers, in the order of blocks.
fn uses(func: &Function, def: &[u32], wanted: impl Fn(VReg) -> bool) -> Vec<(VReg, Block)> {
    let mut uses = Vec::new();
    for (block, data) in func.blocks.iter() {
        let mut seen = |v: VReg| {
            if def[v.as_u32() as usize] != block.as_u32() && wanted(v) {
                uses.push((v, block));
            }
        };
        for inst in &data.insts {
            uses_of(func, inst, &mut seen);
        }
        term_uses(func, block, seen);
    }
    uses
}

/// By register: the number of the block that defines it; the entry defines inputs.
fn definitions(func: &Function) -> Vec<u32> {
    let mut def = vec![NONE; func.regs.len()];
    for &(v, _) in &func.inputs {
        def[v.as_u32() as usize] = 0;
    }
    for (block, data) in func.blocks.iter() {
        for &v in &data.params {
            def[v.as_u32() as usize] = block.as_u32();
        }
        for inst in &data.insts {
            func.visit_definitions(inst, |v, _| def[v.as_u32() as usize] = block.as_u32());
        }
    }
    def
}

/// Calls `f` with each register that an instruction reads, old contents included.
pub fn uses_of(func: &Function, inst: &Inst, mut f: impl FnMut(VReg)) {
    func.visit(inst, |v, role| match role.is_def() {
        true => role.old().into_iter().for_each(&mut f),
        false => f(v),
    });
}

/// Calls `f` with each register that the terminator of a block reads: predicate and arguments.
pub fn term_uses(func: &Function, block: Block, mut f: impl FnMut(VReg)) {
    let data = &func.blocks[block];
    if let Some(v) = data.term.pred().and_then(|p| p.flag.as_virt()) {
        f(v);
    }
    for edge in &data.succs {
        edge.args.iter().copied().for_each(&mut f);
    }
}
