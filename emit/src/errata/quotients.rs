//! Quotients and powers of the math unit: an instruction after them must not write across a register.

use crate::assemble::Program;
use crate::inst::{Inst, MathFn, Op, Place};
use crate::platform::Platform;

/// Puts a `nop` between `math.fdiv` or `math.pow` and an instruction, no message, whose destination crosses a register.
pub(super) fn separate(program: &mut Program, platform: &Platform) {
    super::insert(program, |block, at| {
        let before = block.get(at.checked_sub(1)?)?;
        let crosses = divides(before) && crosses_register(&block[at], platform);
        crosses.then(|| Inst::new(Op::Nop, 1))
    });
    // From the end of a block the code goes on in the next one that is not empty.
    let mut after = false;
    for block in &mut program.blocks {
        let crosses = |first: &Inst| after && crosses_register(first, platform);
        if block.first().is_some_and(crosses) {
            block.insert(0, Inst::new(Op::Nop, 1));
        }
        after = block.last().map_or(after, divides);
    }
}

fn divides(inst: &Inst) -> bool {
    matches!(inst.op, Op::Math(MathFn::Fdiv | MathFn::Pow))
}

fn crosses_register(inst: &Inst, platform: &Platform) -> bool {
    let Some(dst) = inst.dst.filter(|_| !inst.op.is_send()) else {
        return false;
    };
    let Place::Direct(reg) = dst.place else {
        return false;
    };
    let steps = (u32::from(inst.exec_size) - 1) * u32::from(dst.hstride);
    let end = u32::from(reg.byte) + (steps + 1) * dst.ty.bytes();
    super::general(reg) && end > platform.grf_bytes
}
