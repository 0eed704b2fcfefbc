//! Ends of loops: `while` is not predicted right directly after another instruction of control flow.

use crate::assemble::Program;
use crate::inst::{Inst, Op};
use crate::platform::Platform;

/// Puts a nop between an instruction of control flow and a `while` after it (Mesa, `brw_to_binary.cpp`). A `while` begins a
/// block, since channels wait there, and the block before falls through to it.
pub(super) fn separate(program: &mut Program, _: &Platform) {
    let falls = |inst: &Inst| matches!(inst.op, Op::Join | Op::Endif);
    for at in 1..program.blocks.len() {
        let is_while = |inst: &Inst| inst.op == Op::While;
        if !program.blocks[at].first().is_some_and(is_while) {
            continue;
        }
        let before = &mut program.blocks[at - 1];
        if before.last().is_none_or(falls) {
            before.push(Inst::new(Op::Nop, 1));
        }
    }
}
