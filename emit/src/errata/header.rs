//! Registers of the thread's header, which an interruption of the thread restores: code that overwrites them must not
//! be interrupted.

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::footprint;
use crate::platform::Platform;

/// True if the code overwrites a register of the header on a platform that interrupts threads.
pub fn is_overwritten(program: &Program, platform: &Platform) -> bool {
    let mut insts = program.blocks.iter().flatten();
    let overwrites = |register: u16| register < platform.header_registers;
    platform.needs(Erratum::PreemptionKeepsHeader)
        && insts.any(|inst| {
            footprint::of(inst, platform)
                .writes
                .registers()
                .any(overwrites)
        })
}
