//! Registers of the thread's header, which an interruption of the thread restores: code that overwrites them must not
//! be interrupted.

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::footprint;
use crate::inst::Inst;
use crate::platform::Platform;

/// True if the code overwrites a register of the header on a platform that interrupts threads.
pub fn is_overwritten(program: &Program, platform: &Platform) -> bool {
    let mut insts = program.blocks.iter().flatten();
    insts.any(|inst| overwrites(inst, platform))
}

/// True if an instruction overwrites a register of the header on a platform that interrupts threads.
pub fn overwrites(inst: &Inst, platform: &Platform) -> bool {
    let of_header = |register: u16| register < platform.header_registers;
    let footprint = footprint::of(inst, platform);
    platform.needs(Erratum::PreemptionKeepsHeader) && footprint.writes.registers().any(of_header)
}
