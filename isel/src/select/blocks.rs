//! Blocks, terminators and edges of a routine, and the order in which its instructions are selected.
//!
//! Takes a routine of the IR and guarantees its blocks in the function under construction, numbered as in the IR.

use std::ops::Range;

use cranelift_entity::EntityRef;
use kiln_ir::func::{self as ir, Owner};
use kiln_machine::func::{Block, BlockData, Edge, Entered, Term};
use kiln_machine::inst::{Inst, Reg};
use kiln_platform::platform::UNIT_GRFS;
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::{Result, Select};

/// True if an instruction has an effect, rather than a statement about the code.
fn has_code(op: Opcode) -> bool {
    !matches!(
        op,
        Opcode::Label | Opcode::Subroutine | Opcode::Loc | Opcode::File
    )
}

impl Select<'_, '_> {
    /// The counterpart of a block of the routine.
    pub(super) fn own_block(&self, block: ir::Block) -> Block {
        Block::from_u32(block.as_u32() - self.routine.data.blocks.start.as_u32())
    }

    /// The counterparts of all blocks of the routine.
    fn own_blocks(&self) -> impl Iterator<Item = ir::Block> + use<> {
        let Range { start, end } = self.routine.data.blocks;
        (start.as_u32()..end.as_u32()).map(ir::Block::from_u32)
    }

    /// Selects all blocks. Inputs in the units `arrive` are stored to memory first.
    pub(super) fn blocks(&mut self, arrive: &[u32]) {
        let ir = self.ir;
        let Range { start, end } = self.routine.data.blocks;
        let mut blocks = (start.index()..end.index()).rev().map(ir::Block::new);
        self.routine.last_return = blocks.find_map(|b| self.return_of(b));
        if self.out.entered == Entered::Subroutine {
            self.enter_subroutine();
        }
        let dispatched = self.out.entered != Entered::Subroutine;
        for &(cell, value) in ir.entry.iter().filter(|_| dispatched) {
            let at = match (ir.cells[cell].owner, &self.abi.stack) {
                (Owner::Payload { unit }, _) => unit * UNIT_GRFS,
                (Owner::Var { offset, .. }, Some(stack)) => stack.args + offset / self.grf(),
                _ => continue,
            };
            let v = self.cell_reg(cell);
            self.values[value] = v.into();
            self.out.inputs.push((v, Some(at)));
        }
        for &unit in arrive {
            let bytes = self.unit();
            let grf = unit * UNIT_GRFS;
            let known = self.out.inputs.iter().find(|&&(_, at)| at == Some(grf));
            let v = known.map(|&(v, _)| v).unwrap_or_else(|| {
                let v = self.out.grf(bytes);
                self.out.inputs.push((v, Some(grf)));
                v
            });
            let area = self.taken.area;
            if let Some(Err(error)) = area.map(|area| self.keep_input(area, unit * bytes, v)) {
                self.errors.push(error);
            }
        }
        // After the inputs: they are stored in whole units, which may include the header.
        if dispatched && let Err(error) = self.keep_header() {
            self.errors.push(error);
        }
        for b in self.own_blocks() {
            let mut block = BlockData::new(Term::End);
            for &(cell, value) in &ir.blocks[b].params {
                let v = self.cell_reg(cell);
                self.values[value] = v.into();
                block.params.push(v);
            }
            let made = self.out.blocks.push(block);
            debug_assert_eq!(made, self.own_block(b));
        }
        // In the entry block, which is the first in order.
        self.unpack_inputs();
        // Definitions are selected before their uses: in reverse postorder.
        let order = self.order();
        for b in order {
            self.fill_block(b);
        }
        for b in self.own_blocks() {
            self.edges(b);
        }
    }

    /// Selects a block's instructions and its terminator; edges follow when all blocks are selected.
    fn fill_block(&mut self, b: ir::Block) {
        let ir = self.ir;
        let branch = match ir.blocks[b].term {
            ir::Term::Branch { inst, .. } | ir::Term::Goto { inst, .. } => Some(inst),
            _ => None,
        };
        self.code.reserve(ir.blocks[b].insts.len());
        for inst in ir.block_insts(b).filter(|i| Some(*i) != branch) {
            if let Err(error) = self.inst(inst) {
                self.errors.push(error);
            }
        }
        let (term, origin) = self.terminator(b, branch);
        let term_origin = origin.map_or(u32::MAX, |inst| self.origin(inst));
        let b = self.own_block(b);
        let block = &mut self.out.blocks[b];
        block.insts = self.code.to_vec();
        block.term = term;
        block.term_origin = term_origin;
        self.code.clear();
    }

    /// Blocks in reverse postorder of the linear graph, followed by unreachable ones.
    fn order(&self) -> Vec<ir::Block> {
        let blocks = &self.ir.blocks;
        let own = self.own_blocks();
        let index = |b: ir::Block| b.index() - self.routine.data.blocks.start.index();
        let mut seen = vec![false; own.size_hint().0];
        let mut order = Vec::with_capacity(seen.len());
        for start in own {
            if std::mem::replace(&mut seen[index(start)], true) {
                continue;
            }
            let first = order.len();
            let mut stack = vec![(start, 0)];
            while let Some((b, next)) = stack.pop() {
                match blocks[b].succs.get(next) {
                    Some(edge) => {
                        stack.push((b, next + 1));
                        if !std::mem::replace(&mut seen[index(edge.to)], true) {
                            stack.push((edge.to, 0));
                        }
                    }
                    None => order.push(b),
                }
            }
            order[first..].reverse();
        }
        order
    }

    fn edges(&mut self, b: ir::Block) {
        let ir = self.ir;
        let from = self.own_block(b);
        for edge in &ir.blocks[b].succs {
            let mut args = SmallVec::new();
            for (&(cell, _), &value) in ir.blocks[edge.to].params.iter().zip(&edge.args) {
                let known = self.values[value].expand().filter(|_| !value.is_undef());
                args.push(known.unwrap_or_else(|| {
                    let v = self.cell_reg(cell);
                    self.out.blocks[from].insts.push(Inst::undef(v));
                    v
                }));
            }
            let to = self.own_block(edge.to);
            self.out.blocks[from].succs.push(Edge { to, args });
        }
    }

    fn inst(&mut self, inst: ir::Inst) -> Result {
        let visa = self.ir.visa(inst);
        if !has_code(visa.op) {
            return Ok(());
        }
        if let Some(callee) = self.ir.callee(inst) {
            self.call_routine(inst, callee);
            return Ok(());
        }
        self.begin(inst);
        let mut done = self.operation(visa);
        if done.is_ok() && !self.current.stores.is_empty() {
            done = self.write_back();
        }
        self.current.stores.clear();
        self.end();
        done
    }

    /// The terminator of a block, and its vISA instruction.
    fn terminator(&mut self, b: ir::Block, branch: Option<ir::Inst>) -> (Term, Option<ir::Inst>) {
        if let Some(inst) = branch {
            self.begin(inst);
        }
        let pred = branch.and_then(|i| self.ir.visa(i).pred);
        let term = match self.ir.blocks[b].term {
            ir::Term::Jump(_) => Term::Jump,
            ir::Term::Branch { .. } => match pred {
                Some(p) => Term::Branch {
                    pred: self.pred(p, 1),
                },
                None => Term::Jump,
            },
            ir::Term::Goto {
                inst,
                uip,
                backward,
                ..
            } => {
                let exec = self.ir.visa(inst).exec;
                // A goto of one channel means all channels.
                let (exec_size, chan_off) = match exec.size {
                    1 => (self.ir.simd, 0),
                    size => (size, exec.offset),
                };
                let pred = pred.map(|p| self.pred(p, exec_size));
                if backward {
                    Term::GotoBackward {
                        pred,
                        exec_size,
                        chan_off,
                    }
                } else {
                    Term::GotoForward {
                        pred,
                        exec_size,
                        chan_off,
                        uip: self.own_block(uip),
                        free_flag: Reg::NULL,
                    }
                }
            }
            ir::Term::Join { .. } => Term::Join,
            ir::Term::Ret if self.out.entered == Entered::Dispatched => Term::End,
            ir::Term::Ret if self.out.entered == Entered::Subroutine => {
                if self.routine.data.exit.expand() == Some(b) {
                    self.leave_subroutine();
                }
                Term::Return
            }
            ir::Term::Ret => {
                let insts = &self.ir.blocks[b].insts;
                if let Some(last) = insts.clone().last().map(ir::Inst::from_u32) {
                    self.begin(last);
                    self.results();
                    self.end();
                }
                Term::Return
            }
        };
        if branch.is_some() {
            self.end();
        }
        let origin = match (branch, &self.ir.blocks[b].term) {
            // A common end of several returns, or an unreachable block, has no return of its own.
            (None, ir::Term::Ret) => self.return_of(b).or(self.routine.last_return),
            _ => branch,
        };
        (term, origin)
    }

    /// The return at the end of a block, if there is one.
    fn return_of(&self, b: ir::Block) -> Option<ir::Inst> {
        let is_return =
            |inst: &ir::Inst| matches!(self.ir.visa(*inst).op, Opcode::Ret | Opcode::FRet);
        self.ir.block_insts(b).last().filter(is_return)
    }
}
