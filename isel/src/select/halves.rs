//! Two halves of a routine's blocks at the same time.
//!
//! Takes blocks in the order in which they are selected, and gives what selecting one after the other gives, with the same
//! numbers. Of a block that was selected before, another one only sees which registers hold its values. In the second half
//! registers of the cells' sizes stand for those of the first, which are put in their place afterwards.

use kiln_ir::func as ir;
use kiln_machine::halves::{self, Before};
use kiln_machine::inst::VReg;
use smallvec::SmallVec;

use super::{Select, Selected, has_code};

/// How many of the blocks are the first half, if there are many instructions.
pub(super) fn middle(ir: &ir::Function, order: &[ir::Block]) -> Option<usize> {
    halves::middle(order.iter().map(|&b| ir.blocks[b].insts.len()))
}

impl Select<'_, '_> {
    /// Blocks one after the other, or the first so many and the others at the same time.
    pub(super) fn in_order(&mut self, order: &[ir::Block], middle: Option<usize>) -> Vec<Selected> {
        // What comes before all blocks goes on in the first of them.
        let Some(middle) = middle.filter(|&middle| middle > 0) else {
            return order.iter().map(|&b| self.selected(b)).collect();
        };
        let (first, second) = order.split_at(middle);
        let blocks = std::mem::take(&mut self.out.blocks);
        let before = Before::of(&self.out);
        let (mut other, known) = self.behind(first);
        let (mut selected, others) = rayon::join(
            || self.in_order(first, None),
            || other.in_order(second, None),
        );
        self.out.blocks = blocks;
        let known: Vec<VReg> = known
            .iter()
            .map(|&value| self.values[value].expand().unwrap_or(VReg::NOTHING))
            .collect();
        let numbers = before.append(&mut self.out, other.out, &known);
        for (value, v) in other.values.iter() {
            if let Some(v) = v.expand() {
                self.values[value] = numbers.reg(v).into();
            }
        }
        for mut block in others {
            block.insts.iter_mut().for_each(|inst| numbers.inst(inst));
            if let Some(pred) = block.term.pred_mut() {
                numbers.place(&mut pred.flag);
            }
            selected.push(block);
        }
        self.errors.append(&mut other.errors);
        selected
    }

    /// What goes on behind blocks that are not selected yet, and the values that they define: a register for each of these
    /// is behind those that there are.
    fn behind(&self, blocks: &[ir::Block]) -> (Self, Vec<ir::Value>) {
        let ir = self.ir;
        let insts = || blocks.iter().flat_map(|&b| ir.block_insts(b));
        let has_code = |inst: &ir::Inst| has_code(ir.visa(*inst).op);
        let last = insts().rfind(has_code);
        let mut other = Select {
            out: self.out.clone(),
            code: Vec::new(),
            values: self.values.clone(),
            touched: SmallVec::new(),
            stores: Vec::new(),
            at: last.unwrap_or(self.at),
            errors: Vec::new(),
            ..*self
        };
        let mut known = Vec::new();
        for write in insts().flat_map(|inst| ir.writes(inst)) {
            other.values[write.new] = other.cell_reg(write.cell).into();
            known.push(write.new);
        }
        (other, known)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kiln_frontend::text;
    use kiln_target::platform;

    use super::*;
    use crate::select::{Calls, Room, select_from};

    #[test]
    fn halves_are_the_whole() {
        let target = &platform::SKL;
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/tests/kernels");
        let (mut compared, mut routines) = (0, 0);
        for dir in std::fs::read_dir(kernels).expect("the kernels") {
            let dir = dir.expect("an entry").path();
            let path = dir.join(dir.file_name().expect("a name"));
            let Ok(source) = std::fs::read_to_string(path.with_extension("visaasm")) else {
                continue;
            };
            let module = text::parse(&source).expect("a module");
            for object in &module.objects {
                let Ok(func) = kiln_ir::build::build(object, target) else {
                    continue;
                };
                // Where there are several, they are of a few blocks: each of these is tried.
                let count = |routine: &ir::RoutineData| {
                    routine.blocks.end.as_u32() - routine.blocks.start.as_u32()
                };
                let parts = match func.routines.len() {
                    1 => 8,
                    _ => func.routines.values().map(count).max().unwrap_or(1) as usize,
                };
                for in_memory in [false, true] {
                    let room = Room {
                        grfs: target.grf_count,
                        scratch_base: 0,
                        in_memory,
                        interruptible: false,
                    };
                    let selected = |part: Option<usize>| {
                        let middle = |_: &ir::Function, order: &[ir::Block]| {
                            part.map(|part| order.len() * part / parts)
                        };
                        let functions = select_from(&func, target, &Calls::BY_NAME, room, &middle);
                        format!("{functions:?}")
                    };
                    let whole = selected(None);
                    for part in 0..=parts {
                        let halves = selected(Some(part));
                        let path = path.display();
                        assert!(halves == whole, "{path}, {part} of {parts} parts first");
                    }
                    compared += 1;
                    routines += func.routines.len();
                }
            }
        }
        assert!(
            compared > 200 && routines > compared,
            "only {compared} kernels, {routines} routines"
        );
    }
}
