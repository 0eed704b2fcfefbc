//! Software scoreboard annotations: the pass that makes code wait for its dependencies on Gen12 and later, where the
//! hardware no longer detects hazards itself.
//!
//! Takes the blocks of a program with physical registers, subroutines included, whose branches name blocks. Guarantees
//! the same instructions in the same order, each with the distances and tokens that it needs, and `sync` only where no
//! instruction can carry a wait. Moves into null are added only for an erratum. Annotations that the code has are replaced; code for platforms that detect hazards
//! in hardware stays as it is. It is the last pass before assembly: nothing may move afterwards.
//!
//! A `sync` comes after an access to the thread's state that a branch or the end of a block follows, because the next
//! instruction must wait for it and these cannot.
//!
//! The method is that of the reference finalizer in outline (`visa/LocalScheduler/SWSB_G4IR.cpp`, public), with state
//! by token instead of by message, so that time is linear:
//! 1. `facts`: the unit of each instruction and the registers that it reads and writes.
//! 2. `distance`: waits for instructions that finish in order. A branch ends them all, so that one walk suffices.
//! 3. `flow`: tokens of instructions that finish out of order, and waits for them, by a fixpoint over blocks.
//! 4. `place`: annotations; waits that do not fit go to an earlier instruction or a `sync`.
//! 5. `late_reads`: moves that read payloads again, where the platform has that erratum.
//!
//! The static checker ([`crate::verify::scoreboard`]) verifies the result; it shares tables with this pass, but no
//! code.

mod distance;
mod facts;
mod flow;
mod late_reads;
mod place;
mod registers;
mod state;
mod units;

use std::ops::Range;

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::encoding::spec;
use crate::platform::Platform;

pub(crate) use state::accesses_state;
pub(crate) use units::{PIPES, Unit, Units};

/// Annotates a program. `indirect` has the general registers that its indirect operands may access.
pub fn run(program: &mut Program, platform: &Platform, indirect: &[Range<u32>]) {
    let (Some(swsb), Some(units)) = (spec(platform).swsb, Units::new(platform)) else {
        return;
    };
    if platform.needs(Erratum::StateWriteBeforeFlow) {
        state::separate(program);
    }
    let code = facts::Code::new(program, platform, swsb, units, indirect);
    let distances = distance::distances(&code);
    let waits = flow::Solver::new(&code, program).solve();
    place::place(program, &code, &distances, &waits);
    if platform.needs(Erratum::SendReadsLate) {
        late_reads::read_again(program, platform, units);
    }
}
