//! Messages that must not be interrupted: those whose first payload begins at r2.

use crate::assemble::Program;
use crate::inst::{Place, Src};
use crate::platform::Platform;

/// Gives the messages `{NoPreempt}`.
pub(super) fn forbid(program: &mut Program, _: &Platform) {
    for inst in program.blocks.iter_mut().flatten() {
        let from = match inst.srcs.first() {
            Some(Src::Reg(src)) => src.place,
            _ => continue,
        };
        let is_r2 = matches!(from, Place::Direct(reg) if super::general(reg) && reg.num == 2);
        inst.opts.no_preempt |= inst.op.is_send() && is_r2;
    }
}
