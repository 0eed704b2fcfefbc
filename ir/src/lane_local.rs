//! Predicates of which only the active channels matter.
//!
//! Takes a function in SSA form, and leaves out old contents of predicates that no channel wants. Liveness counts a read
//! of a NoMask instruction as one across channels. Where the instruction combines predicates channel by channel, and
//! only masked instructions of the same block read its result, no other channel's bit is wanted: all instructions of a block have
//! the same active channels. (`not (M1_NM, 32) P6 P5` in divisions of floats.)

use cranelift_entity::EntitySet;
use kiln_visa::module as visa;
use kiln_visa::module::{Combine, Operand};
use kiln_visa::opcode::Opcode;

use crate::func::{Block, Cell, Class, Def, Function, Inst, Value};

/// Removes old contents of predicates from writes that need not keep them.
pub(crate) fn forget(func: &mut Function) {
    let mut wanted = wanted_elsewhere(func);
    for b in func.blocks.keys() {
        for inst in func.block_insts(b).rev() {
            visit(func, inst, &mut wanted);
        }
    }
}

/// The predicates that other blocks read than that which defines them.
fn wanted_elsewhere(func: &Function) -> EntitySet<Value> {
    let mut wanted = EntitySet::new();
    for b in func.blocks.keys() {
        let block = &func.blocks[b];
        wanted.extend(
            block
                .succs
                .iter()
                .flat_map(|edge| edge.args.iter().copied()),
        );
        for inst in func.block_insts(b) {
            let read = func.reads(inst).iter().map(|read| read.value);
            let old = func
                .writes(inst)
                .iter()
                .filter_map(|write| write.old.expand());
            wanted.extend(read.chain(old).filter(|&value| !is_of(func, b, value)));
        }
    }
    let results = func.routines.values().flat_map(|routine| &routine.results);
    wanted.extend(results.map(|&(_, value)| value));
    wanted
}

fn is_of(func: &Function, block: Block, value: Value) -> bool {
    match func.values[value].def {
        Def::Inst(inst) => func.blocks[block].insts.contains(&inst.as_u32()),
        _ => false,
    }
}

/// Takes an instruction, and the values of which other channels want something after it. Adds those of which something is
/// wanted before it.
fn visit(func: &mut Function, inst: Inst, wanted: &mut EntitySet<Value>) {
    let visa = func.visa(inst);
    let is_flag = |func: &Function, cell: Cell| func.cells[cell].class == Class::Flag;
    let mut result_wanted = false;
    for n in func.insts[inst.as_u32() as usize].writes.clone() {
        let write = func.write_pool[n as usize];
        if !is_flag(func, write.cell) {
            continue;
        }
        let is_wanted = wanted.contains(write.new);
        let exec = visa.exec;
        let all = exec.offset == 0 && u32::from(exec.size) >= func.cells[write.cell].size;
        if is_wanted {
            wanted.extend(write.old.expand());
        } else if all && visa.pred.is_none() && !exec.no_mask {
            func.write_pool[n as usize].old = None.into();
        }
        result_wanted |= is_wanted;
    }
    if !reads_own(visa, result_wanted) {
        let flags = func
            .reads(inst)
            .iter()
            .filter(|read| is_flag(func, read.cell));
        wanted.extend(flags.map(|read| read.value));
    }
}

/// True if each channel reads its own bit of predicates, for itself.
fn reads_own(visa: &visa::Inst, result_wanted: bool) -> bool {
    let by_channel = matches!(
        visa.op,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
    );
    let mut operands = visa.operands.iter();
    let reads_flags = operands.any(|operand| matches!(operand, Operand::Predicate(_)));
    match visa.exec.no_mask {
        true => by_channel && visa.pred.is_none() && !result_wanted,
        false => {
            let alone = visa.pred.is_none_or(|pred| pred.combine == Combine::None);
            visa.exec.size > 1 && alone && (by_channel || !reads_flags)
        }
    }
}
