//! Insertion of instructions into a block, each moved once.

use crate::inst::{Inst, Op};

/// Inserts instructions, each with the index of the one that it comes in front of, ascending; the block's length is
/// the index of its end. The list is empty afterwards.
pub(crate) fn all(insts: &mut Vec<Inst>, made: &mut Vec<(usize, Inst)>) {
    let mut from = insts.len();
    insts.resize(from + made.len(), Inst::new(Op::Nop, 1));
    let mut to = insts.len();
    // From the end on, each instruction is moved once.
    while let Some((before, inst)) = made.pop() {
        while from > before {
            (from, to) = (from - 1, to - 1);
            insts.swap(from, to);
        }
        to -= 1;
        insts[to] = inst;
    }
}
