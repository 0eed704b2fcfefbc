//! Which registers are wanted where, and how many at most.
//!
//! By virtual register: pieces of registers have registers of their own. Registers that live within one
//! block do not show; the others are followed from each use back to the definition, so that the time
//! and the space are that of the answer.

use crate::func::{Block, Class, Function};
use crate::graph::Graph;
use crate::inst::{Inst, VReg};

/// No block: not defined.
const NONE: u32 = u32::MAX;

/// Registers that live across the boundaries of blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<Vec<VReg>>,
    live_out: Vec<Vec<VReg>>,
}

impl Liveness {
    pub fn new(func: &Function, graph: &Graph) -> Liveness {
        Liveness::of(func, graph, |_| true)
    }

    /// Of the wanted registers: no other is live anywhere. What many registers over many blocks would
    /// take is not spent on those that nobody asks about.
    pub fn of(func: &Function, graph: &Graph, wanted: impl Fn(VReg) -> bool) -> Liveness {
        let blocks = func.blocks.len();
        let def = definitions(func);
        let mut uses = Vec::new();
        for block in func.blocks.keys() {
            let mut seen = |v: VReg| {
                if def[v.as_u32() as usize] != block.as_u32() && wanted(v) {
                    uses.push((v, block));
                }
            };
            for inst in &func.blocks[block].insts {
                uses_of(func, inst, &mut seen);
            }
            term_uses(func, block, seen);
        }
        uses.sort_unstable();
        uses.dedup();

        let mut live = Liveness {
            live_in: vec![Vec::new(); blocks],
            live_out: vec![Vec::new(); blocks],
        };
        let mut stack = Vec::new();
        for (v, block) in uses {
            stack.push(block);
            while let Some(block) = stack.pop() {
                // Registers come in ascending order, so that a set has this one iff it is the last.
                let live_in = &mut live.live_in[block.as_u32() as usize];
                if live_in.last() == Some(&v) {
                    continue;
                }
                live_in.push(v);
                for &pred in graph.preds(block) {
                    let live_out = &mut live.live_out[pred.as_u32() as usize];
                    if live_out.last() == Some(&v) {
                        continue;
                    }
                    live_out.push(v);
                    if def[v.as_u32() as usize] != pred.as_u32() {
                        stack.push(pred);
                    }
                }
            }
        }
        live
    }

    /// Registers defined before `block` that it or a later one reads, ascending. Parameters are defined
    /// in their block.
    pub fn live_in(&self, block: Block) -> &[VReg] {
        &self.live_in[block.as_u32() as usize]
    }

    /// Registers that are wanted after `block`, ascending. Arguments of its edges are wanted at its
    /// end, not after it.
    pub fn live_out(&self, block: Block) -> &[VReg] {
        &self.live_out[block.as_u32() as usize]
    }
}

/// The block that defines each register, by its number; inputs are defined in the entry.
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

/// Calls `f` with each register that the end of a block reads: predicate and arguments.
pub fn term_uses(func: &Function, block: Block, mut f: impl FnMut(VReg)) {
    let data = &func.blocks[block];
    if let Some(v) = data.term.pred().and_then(|p| p.flag.as_virt()) {
        f(v);
    }
    for edge in &data.succs {
        edge.args.iter().copied().for_each(&mut f);
    }
}

/// The most of something that lives at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    pub amount: u32,
    pub block: Block,
    /// Before the instruction of that number, or the terminator.
    pub inst: usize,
}

/// The most general registers that live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Bytes in use.
    pub bytes: Peak,
    /// Registers, each a unit of the target's however little of it is in use.
    pub units: Peak,
}

/// How many general registers live at once, and where that is.
pub fn pressure(func: &Function, live: &Liveness) -> Pressure {
    let start = Peak {
        amount: 0,
        block: func.entry(),
        inst: 0,
    };
    let mut most = Pressure {
        bytes: start,
        units: start,
    };
    let mut now = Now {
        func,
        // The block in which a register was last found to be live, so that nothing is ever cleared.
        live: vec![NONE; func.regs.len()],
        block: NONE,
        bytes: 0,
        units: 0,
    };
    for (block, data) in func.blocks.iter() {
        now.block = block.as_u32();
        (now.bytes, now.units) = (0, 0);
        live.live_out(block).iter().for_each(|&v| now.add(v));
        term_uses(func, block, |v| now.add(v));
        most.see(&now, block, data.insts.len());
        for (i, inst) in data.insts.iter().enumerate().rev() {
            // Results that nobody reads have registers all the same.
            let mut defs = DefsOf::default();
            func.visit(inst, |v, role| {
                if role.is_def() {
                    defs.push(v);
                }
            });
            defs.iter().for_each(|&v| now.add(v));
            most.see(&now, block, i + 1);
            defs.iter().for_each(|&v| now.remove(v));
            uses_of(func, inst, |v| now.add(v));
            most.see(&now, block, i);
        }
        data.params.iter().for_each(|&v| now.add(v));
        if block == func.entry() {
            func.inputs.iter().for_each(|&(v, _)| now.add(v));
        }
        most.see(&now, block, 0);
    }
    most
}

type DefsOf = smallvec::SmallVec<[VReg; 8]>;

struct Now<'a> {
    func: &'a Function,
    live: Vec<u32>,
    block: u32,
    bytes: u32,
    units: u32,
}

impl Now<'_> {
    fn add(&mut self, v: VReg) {
        let state = &mut self.live[v.as_u32() as usize];
        let data = &self.func.regs[v];
        if *state != self.block && data.class == Class::Grf {
            *state = self.block;
            self.bytes += u32::from(data.bytes);
            self.units += 1;
        }
    }

    fn remove(&mut self, v: VReg) {
        let state = &mut self.live[v.as_u32() as usize];
        if *state == self.block {
            *state = NONE;
            self.bytes -= u32::from(self.func.regs[v].bytes);
            self.units -= 1;
        }
    }
}

impl Pressure {
    fn see(&mut self, now: &Now, block: Block, inst: usize) {
        for (peak, amount) in [(&mut self.bytes, now.bytes), (&mut self.units, now.units)] {
            if amount > peak.amount {
                *peak = Peak {
                    amount,
                    block,
                    inst,
                };
            }
        }
    }
}
