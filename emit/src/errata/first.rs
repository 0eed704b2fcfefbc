//! The first instruction of a kernel, which a thread without channels must execute, too.

use super::ends_thread;
use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Reg, Src, Type};
use crate::platform::Platform;

/// Puts a move into null that ignores the mask before a first instruction that does not (IGC, `addEmaskSetupProlog`).
pub(super) fn unmask(program: &mut Program, _: &Platform) {
    let is_kernel = program.blocks.iter().flatten().any(ends_thread);
    let first = program.blocks.iter().flatten().next();
    let waits = |inst: &Inst| matches!(inst.op, Op::Nop | Op::Sync(_));
    if !is_kernel || first.is_none_or(|first| first.no_mask || waits(first)) {
        return;
    }
    let mut mov = Inst::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    mov.srcs.push(Src::imm(Type::Ud, 0));
    program.blocks[0].insert(0, mov);
}
