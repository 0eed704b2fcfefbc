//! Address registers that are zero at the start: with an address for each row, those of inactive channels must be
//! within the register file, too.

use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Place, Reg, RegFile, Src, Type};
use crate::platform::Platform;

/// Clears the address registers at the entry if some operand has an address for each row.
pub(super) fn clear(program: &mut Program, _: &Platform) {
    let insts = program.blocks.iter().flatten();
    let rows = insts.flat_map(|inst| &inst.srcs).any(is_by_rows);
    if let (true, Some(entry)) = (rows, program.blocks.first_mut()) {
        entry.insert(0, cleared());
    }
}

fn is_by_rows(src: &Src) -> bool {
    matches!(src, Src::Reg(src)
        if matches!(src.place, Place::Indirect { .. }) && src.region.vstride.is_none())
}

fn cleared() -> Inst {
    let mut mov = Inst::new(Op::Mov, 16);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(Reg::new(RegFile::Addr, 0, 0), 1, Type::Uw));
    mov.srcs.push(Src::imm(Type::Uw, 0));
    mov
}
