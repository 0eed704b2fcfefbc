//! Quotients and powers of the math unit: an instruction after them must not write across a register.

use crate::assemble::Program;
use crate::inst::{Inst, MathFn, Op, Place};
use crate::platform::Platform;

/// Puts a `nop` between `math.fdiv` or `math.pow` and an instruction, no message, whose destination crosses a register.
pub(super) fn separate(program: &mut Program, platform: &Platform) {
    super::insert(program, |block, at| {
        let before = block.get(at.checked_sub(1)?)?;
        let divides = matches!(before.op, Op::Math(MathFn::Fdiv | MathFn::Pow));
        let crosses = divides && crosses_register(&block[at], platform);
        crosses.then(|| Inst::new(Op::Nop, 1))
    });
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
