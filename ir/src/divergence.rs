//! Divergent code: blocks that some channels of a thread run while others do not.
//!
//! Takes an object and its control flow. A branch diverges if its predicate differs between channels; the blocks from it
//! to where all its paths meet again (its immediate postdominator) are divergent, with what they call. A loop that
//! channels leave one by one is such a region, and so is all that follows a return under a predicate.
//!
//! Values that all channels share are found by a fixed point: immediates, single elements that all channels read,
//! predicates and whole variables that are written from such values alone, outside of divergent code. Everything else
//! differs (Karrenberg and Hack's divergence analysis, without strides).

use kiln_visa::module::{Combine, Exec, Inst, Object, Operand, Predicate, Region, Type, Var};
use kiln_visa::opcode::{Field, Opcode};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::cfg::{Cfg, Exit};

/// By block of the graph: the first branch, as the index of its instruction, that makes it divergent.
pub fn of(object: &Object, graph: &Cfg) -> Vec<Option<u32>> {
    let regions = Regions::new(graph);
    let mut values = Values::new(object);
    loop {
        let blocks = divergent(object, graph, &regions, &values);
        if !values.grow(graph, &blocks) {
            return blocks;
        }
    }
}

/// The divergent blocks while these values differ.
fn divergent(object: &Object, graph: &Cfg, regions: &Regions, values: &Values) -> Vec<Option<u32>> {
    let mut blocks: Vec<Option<u32>> = vec![None; graph.blocks.len()];
    for (b, block) in graph.blocks.iter().enumerate() {
        let (Exit::Branch { inst: Some(at), .. } | Exit::Diverge { inst: at, .. }) = block.exit
        else {
            continue;
        };
        if block.exit.falls_through() && values.diverges(&object.insts[at]) {
            for inside in regions.of(graph, b) {
                let known = blocks[inside].get_or_insert(at as u32);
                *known = (at as u32).min(*known);
            }
        }
    }
    // Callers first.
    for &r in graph.bottom_up.iter().rev() {
        for b in graph.routines[r].clone() {
            if let (Some(at), Some(callee)) = (blocks[b], graph.blocks[b].call) {
                for inside in graph.routines[callee].clone() {
                    blocks[inside].get_or_insert(at);
                }
            }
        }
    }
    blocks
}

/// By block: where all paths from it meet again.
struct Regions {
    meets: Vec<Option<usize>>,
}

impl Regions {
    fn new(graph: &Cfg) -> Regions {
        let count = graph.blocks.len();
        let edges = (0..count).flat_map(|b| {
            let is_end = graph.blocks[b].exit == Exit::Ret;
            let succs = graph.logical_succs(b).chain(is_end.then_some(count));
            succs.map(move |to| (to as u32, b as u32))
        });
        let mut reversed: DiGraph<(), ()> = DiGraph::from_edges(edges);
        while reversed.node_count() <= count {
            reversed.add_node(());
        }
        let doms = simple_fast(&reversed, NodeIndex::new(count));
        let meets = (0..count).map(|b| {
            let at = doms.immediate_dominator(NodeIndex::new(b))?.index();
            (at < count).then_some(at)
        });
        Regions {
            meets: meets.collect(),
        }
    }

    /// The blocks from a branch to where its paths meet, without that block.
    fn of(&self, graph: &Cfg, branch: usize) -> Vec<usize> {
        let mut open: Vec<usize> = graph.logical_succs(branch).collect();
        let mut inside: Vec<usize> = Vec::new();
        let mut seen = vec![false; graph.blocks.len()];
        while let Some(b) = open.pop() {
            if Some(b) != self.meets[branch] && !std::mem::replace(&mut seen[b], true) {
                inside.push(b);
                open.extend(graph.logical_succs(b));
            }
        }
        inside
    }
}

/// The values that differ between channels.
struct Values<'a> {
    object: &'a Object,
    /// By root variable.
    vars: Vec<bool>,
    /// By root variable: the execution of its writes, which are to be alike.
    written: Vec<Option<Exec>>,
    predicates: Vec<bool>,
}

impl<'a> Values<'a> {
    fn new(object: &'a Object) -> Values<'a> {
        let mut values = Values {
            object,
            vars: vec![false; object.vars.len()],
            written: vec![None; object.vars.len()],
            predicates: vec![false; object.predicates.len()],
        };
        let predefined = kiln_visa::module::predefined::VAR_COUNT;
        values
            .vars
            .iter_mut()
            .take(predefined)
            .for_each(|var| *var = true);
        // A variable without a write may hold any contents.
        let mut writes = vec![false; object.vars.len()];
        let mut compares = vec![false; object.predicates.len()];
        for (operand, _) in object.insts.iter().flat_map(results) {
            match *operand {
                Operand::General { var, .. } => {
                    writes[object.root(var).0.as_u32() as usize] = true;
                }
                Operand::Predicate(of) => compares[of.pred.as_u32() as usize] = true,
                _ => {}
            }
        }
        values
            .vars
            .iter_mut()
            .zip(writes)
            .for_each(|(var, is_written)| *var |= !is_written);
        let predicates = values.predicates.iter_mut().zip(compares);
        predicates.for_each(|(pred, is_written)| *pred |= !is_written);
        for (var, _) in crate::access::input_vars(object) {
            values.vars[object.root(var).0.as_u32() as usize] = true;
        }
        for var in crate::access::address_taken(object) {
            values.vars[var.as_u32() as usize] = true;
        }
        values
    }

    fn is_predicate(&self, pred: Predicate) -> bool {
        self.predicates
            .get(pred.as_u32() as usize)
            .is_none_or(|differs| *differs)
    }

    /// True if channels of the branch decide on their own.
    fn diverges(&self, inst: &Inst) -> bool {
        inst.op != Opcode::Jmp
            && inst.exec.size > 1
            && inst
                .pred
                .is_some_and(|of| of.combine == Combine::None && self.is_predicate(of.pred))
    }

    /// True if a source is the same for all channels.
    fn is_shared(&self, inst: &Inst, operand: &Operand) -> bool {
        match operand {
            Operand::Imm { ty, .. } => !matches!(ty, Type::V | Type::Uv | Type::Vf),
            Operand::General { var, region, .. } => {
                let root = self.object.root(*var).0.as_u32() as usize;
                *region == Region::SCALAR || inst.exec.size == 1 || !self.vars[root]
            }
            Operand::Indirect { region, .. } => *region == Region::SCALAR || inst.exec.size == 1,
            Operand::Predicate(of) => !self.is_predicate(of.pred),
            _ => false,
        }
    }

    /// True if what the instruction computes is the same for all channels.
    fn computes_shared(&self, inst: &Inst) -> bool {
        let sources = inst.operands.iter().zip(inst.op.row().operands);
        let mut sources = sources.filter(|(_, field)| !matches!(field, Field::Dst(_)));
        let is_plain = |field: &Field| matches!(field, Field::Src(_) | Field::Number(..));
        let pred = inst
            .pred
            .is_none_or(|of| of.combine != Combine::None || !self.is_predicate(of.pred));
        // The bits of a number are a predicate: one a channel.
        let is_bits = inst.op == Opcode::Setp;
        pred && sources.all(|(operand, field)| {
            is_plain(field)
                && match operand {
                    Operand::Field(_) => true,
                    Operand::Imm { bits, .. } if is_bits => *bits == 0,
                    _ => !is_bits && self.is_shared(inst, operand),
                }
        })
    }

    /// Adds the values that differ because of others or of divergent code. True if there are more than before.
    fn grow(&mut self, graph: &Cfg, blocks: &[Option<u32>]) -> bool {
        let mut any = false;
        loop {
            let mut changed = false;
            for (b, block) in graph.blocks.iter().enumerate() {
                for at in block.insts.clone() {
                    changed |= self.visit(&self.object.insts[at as usize], blocks[b].is_some());
                }
            }
            any |= changed;
            if !changed {
                return any;
            }
        }
    }

    fn visit(&mut self, inst: &Inst, is_divergent: bool) -> bool {
        let mut changed = false;
        for (operand, _) in results(inst) {
            let is_shared = !is_divergent && self.computes_shared(inst);
            let differs = match *operand {
                Operand::Predicate(of) => {
                    let differs = self.predicates.get_mut(of.pred.as_u32() as usize);
                    let is_shared = is_shared || inst.exec.size == 1;
                    differs.map(|differs| (differs, is_shared))
                }
                Operand::General { var, row, col, .. } => {
                    let (root, offset): (Var, u32) = self.object.root(var);
                    let root = root.as_u32() as usize;
                    let whole = (row, col, offset) == (0, 0, 0) && inst.exec.size > 1;
                    let exec = *self.written[root].get_or_insert(inst.exec);
                    let is_shared = is_shared && whole && exec == inst.exec;
                    Some((&mut self.vars[root], is_shared))
                }
                Operand::Raw { var, .. } => {
                    let root = self.object.root(var).0.as_u32() as usize;
                    Some((&mut self.vars[root], false))
                }
                _ => None,
            };
            if let Some((differs, is_shared)) = differs
                && !is_shared
                && !*differs
            {
                *differs = true;
                changed = true;
            }
        }
        changed
    }
}

/// The operands that an instruction writes.
fn results(inst: &Inst) -> impl Iterator<Item = (&Operand, &Field)> {
    let operands = inst.operands.iter().zip(inst.op.row().operands);
    operands.filter(|(_, field)| matches!(field, Field::Dst(_) | Field::RawDst))
}
