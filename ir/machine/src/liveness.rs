//! Liveness of virtual registers at the boundaries of blocks.
//!
//! Takes a function in SSA form. Guarantees for each block the registers that are live-in and live-out. Each use is
//! followed back to the definition (Boissinot et al., "Computing Liveness Sets for SSA-Form Programs": by variable), so
//! that time and space are proportional to the result. Registers that are live within one block only do not appear.

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
        let def = definitions(func);
        let uses = by_register(func.regs.len(), &uses(func, &def, wanted));
        let (live_in, live_out) = follow(graph, &def, &uses);
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

type Pairs = Vec<(Block, VReg)>;

/// Live-in and live-out pairs by the uses, which are sorted by register.
fn follow(graph: &Graph, def: &[u32], uses: &[(VReg, Block)]) -> (Pairs, Pairs) {
    let (mut live_in, mut live_out) = (Vec::new(), Vec::new());
    // By block: the register last found live-in, and the one last found live-out.
    let mut starts = vec![VReg::NOTHING; graph.blocks()];
    let mut ends = starts.clone();
    let mut stack = Vec::new();
    for &(v, block) in uses {
        stack.push(block);
        while let Some(block) = stack.pop() {
            let start = &mut starts[block.as_u32() as usize];
            if std::mem::replace(start, v) == v {
                continue;
            }
            live_in.push((block, v));
            for &pred in graph.preds(block) {
                let end = &mut ends[pred.as_u32() as usize];
                if std::mem::replace(end, v) == v {
                    continue;
                }
                live_out.push((pred, v));
                if def[v.as_u32() as usize] != pred.as_u32() {
                    stack.push(pred);
                }
            }
        }
    }
    (live_in, live_out)
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
            func.visit(inst, |v, role| {
                if role.is_def() {
                    def[v.as_u32() as usize] = block.as_u32();
                }
            });
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
