//! Workarounds for a platform's errata in finished code.
//!
//! Takes blocks of instructions with physical registers and changes what the target's row asks for. A message whose
//! first payload begins at a certain register is not interrupted. The address registers are cleared at the start if
//! some instruction has an address for each row. Code for a platform without errata stays as it is.

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Place, Reg, RegFile, Src, Type};
use crate::platform::Platform;

/// Applies the platform's workarounds to a function's code.
pub fn run(program: &mut Program, platform: &Platform) {
    let mut rows = false;
    for inst in program.blocks.iter_mut().flatten() {
        if inst.op.is_send() && platform.needs(Erratum::NoPreemptFromR2) {
            let from = inst.srcs.first().and_then(first_register);
            inst.opts.no_preempt |= from == Some(2);
        }
        rows |= inst.srcs.iter().any(is_by_rows);
    }
    let clears = rows && platform.needs(Erratum::AddressesCleared);
    if let (true, Some(entry)) = (clears, program.blocks.first_mut()) {
        entry.insert(0, cleared_addresses());
    }
}

fn first_register(src: &Src) -> Option<u32> {
    match src {
        Src::Reg(src) => match src.place {
            Place::Direct(reg) if reg.file == RegFile::Grf => Some(reg.num),
            _ => None,
        },
        Src::Imm { .. } => None,
    }
}

/// True if each row of the operand has an address of its own.
fn is_by_rows(src: &Src) -> bool {
    matches!(src, Src::Reg(src)
        if matches!(src.place, Place::Indirect { .. }) && src.region.vstride.is_none())
}

fn cleared_addresses() -> Inst {
    let mut mov = Inst::new(Op::Mov, 16);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(Reg::new(RegFile::Addr, 0, 0), 1, Type::Uw));
    mov.srcs.push(Src::imm(Type::Uw, 0));
    mov
}
