//! Dead code elimination: instructions without used results, unused results beside a condition, unused block
//! parameters.
//!
//! Takes machine IR in SSA form and leaves equivalent IR. Marks registers backwards from instructions with effects
//! through their operands, each register once. Messages stay: whether one only loads is not known here. If the flag
//! of an instruction is its only used result, its destination becomes null; if the destination is, the condition
//! goes.

use cranelift_entity::EntityRef as _;
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Dst, Inst, Opcode, Src, VReg};
use kiln_machine::liveness::uses_of;
use kiln_platform::isa::Op;
use kiln_platform::op::Props;
use kiln_platform::rules::{keeps_places, rules};

/// The definition of a register.
#[derive(Clone, Copy)]
enum Def {
    /// At entry, or none.
    Other,
    Param(Block, u32),
    Inst(Block, u32),
}

/// Live registers and instructions.
struct Live {
    /// For each register.
    registers: Vec<bool>,
    /// For each instruction, block after block.
    insts: Vec<bool>,
}

/// Removes dead instructions and dead block parameters.
pub fn run(func: &mut Function, graph: &Graph) {
    let live = live(func, graph);
    let dead = |v: VReg| !live.registers[v.index()];
    let mut wanted = live.insts.iter().copied();
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for &block in &blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain_mut(|inst| {
            let wanted = wanted.next().unwrap_or(true);
            if wanted {
                trim(func, inst, dead);
            }
            wanted
        });
        func.blocks[block].insts = insts;
    }
    for &block in &blocks {
        let mut succs = std::mem::take(&mut func.blocks[block].succs);
        for edge in &mut succs {
            let params = &func.blocks[edge.to].params;
            let mut n = 0;
            edge.args.retain(|_| {
                n += 1;
                !dead(params[n - 1])
            });
        }
        func.blocks[block].succs = succs;
    }
    for &block in &blocks {
        func.blocks[block].params.retain(|&v| !dead(v));
    }
}

fn live(func: &Function, graph: &Graph) -> Live {
    let mut starts = Vec::with_capacity(func.blocks.len());
    let mut count = 0;
    for data in func.blocks.values() {
        starts.push(count);
        count += data.insts.len();
    }
    let Seen {
        defs,
        effects: mut insts,
        wanted,
    } = Seen::new(func);
    let mut live = vec![false; func.regs.len()];
    let mut work = Vec::new();
    let mut want = |v: VReg, work: &mut Vec<VReg>| {
        if !std::mem::replace(&mut live[v.index()], true) {
            work.push(v);
        }
    };
    for v in wanted {
        want(v, &mut work);
    }
    while let Some(v) = work.pop() {
        match defs[v.index()] {
            Def::Other => {}
            Def::Inst(block, n) => {
                let wanted = &mut insts[starts[block.index()] + n as usize];
                if std::mem::replace(wanted, true) {
                    continue;
                }
                let inst = &func.blocks[block].insts[n as usize];
                uses_of(func, inst, |v| want(v, &mut work));
            }
            Def::Param(block, n) => {
                for &pred in graph.preds(block) {
                    let edges = func.blocks[pred].succs.iter().filter(|e| e.to == block);
                    for edge in edges {
                        want(edge.args[n as usize], &mut work);
                    }
                }
            }
        }
    }
    Live {
        registers: live,
        insts,
    }
}

/// Facts of all instructions.
struct Seen {
    /// For each register.
    defs: Vec<Def>,
    /// For each instruction: true if it has an effect.
    effects: Vec<bool>,
    /// Operands of instructions with an effect, and of terminators.
    wanted: Vec<VReg>,
}

impl Seen {
    fn new(func: &Function) -> Seen {
        let mut defs = vec![Def::Other; func.regs.len()];
        let count = func.blocks.values().map(|data| data.insts.len()).sum();
        let (mut effects, mut wanted) = (Vec::with_capacity(count), Vec::new());
        for (block, data) in func.blocks.iter() {
            for (n, &v) in data.params.iter().enumerate() {
                defs[v.index()] = Def::Param(block, n as u32);
            }
            for (n, inst) in data.insts.iter().enumerate() {
                func.visit_definitions(inst, |v, _| {
                    defs[v.index()] = Def::Inst(block, n as u32);
                });
                let effect = has_effect(inst);
                effects.push(effect);
                if effect {
                    uses_of(func, inst, |v| wanted.push(v));
                }
            }
            // An argument is live if its parameter is.
            wanted.extend(data.term.pred().and_then(|p| p.flag.as_virt()));
            if let Term::GotoForward { free_flag, .. } = data.term {
                wanted.extend(free_flag.as_virt());
            }
        }
        Seen {
            defs,
            effects,
            wanted,
        }
    }
}

/// True if the instruction must stay although its results are unused.
pub(super) fn has_effect(inst: &Inst) -> bool {
    let Opcode::Gen(op) = inst.op else {
        return inst.op != Opcode::Undef;
    };
    let machine = |dst: &Dst| dst.indirect.is_some() || dst.reg.as_phys().is_some();
    op.is(Props::EFFECT)
        || inst.only_waits()
        || op.is(Props::WRITES_ACC)
        || inst.opts.acc_wr_en
        || inst.dst.as_ref().is_some_and(machine)
        || inst.cond.is_some_and(|c| c.flag.as_phys().is_some())
}

/// Drops the destination or the flag, if the other one alone is used.
fn trim(func: &Function, inst: &mut Inst, dead: impl Fn(VReg) -> bool) {
    let op = inst.gen_op();
    let (Some(dst), Some(cond)) = (&mut inst.dst, &inst.cond) else {
        return;
    };
    let Some(op) = op.filter(|op| !op.is_send() && !op.is_macro()) else {
        return;
    };
    let Some(flag) = cond.flag.as_virt() else {
        return;
    };
    let base = dst.reg.base();
    let result = func.registers(&base);
    // Sources lie as the destination does if channels keep their place, which a null register at its start may not.
    let placed = rules(func.target.family).in_place
        && inst.exec_size > 1
        && (dst.hstride != 1 || dst.reg.byte() != 0)
        && keeps_places(dst.ty, inst.srcs.iter().map(Src::ty));
    if dead(flag) {
        if !matches!(op, Op::Cmp | Op::Cmpn | Op::Sel | Op::Csel) {
            inst.cond = None;
        }
    } else if dst.indirect.is_none()
        && !placed
        && !result.is_empty()
        && result
            .iter()
            .all(|&v| dead(v) && func.regs[v].class == Class::Grf)
    {
        *dst = Dst::null(dst.ty);
    }
}
