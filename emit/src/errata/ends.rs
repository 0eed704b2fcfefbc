//! The end of a thread.

use super::ends_thread;
use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Reg, RegFile, Src, Type};
use crate::platform::Platform;

/// Clears the accumulator before the message that ends the thread.
pub(super) fn clear_accumulator(program: &mut Program, _: &Platform) {
    super::insert(program, |block, at| {
        ends_thread(&block[at]).then(|| {
            let mut mov = Inst::new(Op::Mov, 16);
            mov.no_mask = true;
            mov.dst = Some(Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, Type::F));
            mov.srcs.push(Src::imm(Type::F, 0));
            mov
        })
    });
}

/// Puts a `nop` after the message that ends the thread: nothing may be fetched from after the code.
pub(super) fn append_nop(program: &mut Program, _: &Platform) {
    for block in &mut program.blocks {
        if block.last().is_some_and(ends_thread) {
            block.push(Inst::new(Op::Nop, 1));
        }
    }
}
