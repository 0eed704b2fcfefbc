//! The thread's state: control, state and message registers, which instructions in flight may change.
//!
//! Takes blocks without annotations. Leaves no access to such a register in front of a branch or at the end of a block:
//! the instruction after an access waits for it, which a branch does too late (IGC, `SWSB_G4IR.cpp`, `insertSync`).

use super::facts::places;
use super::place::sync;
use crate::assemble::Program;
use crate::inst::{Inst, Place, RegFile, SyncFn};

/// Separates accesses to the thread's state from branches.
pub(super) fn separate(program: &mut Program) {
    for block in &mut program.blocks {
        let mut at = 0;
        while at < block.len() {
            let branches = block.get(at + 1).is_none_or(|next| next.op.is_branch());
            at += 1;
            if branches && accesses_state(&block[at - 1]) {
                block.insert(at, sync(SyncFn::Nop, 0));
                at += 1;
            }
        }
    }
}

/// True if an operand is a register of the thread's state.
pub(super) fn accesses_state(inst: &Inst) -> bool {
    places(inst).any(is_state)
}

fn is_state(place: Place) -> bool {
    use RegFile::{
        ChannelEnable, Control, Debug, Ip, MessageControl, StackPointer, State, Timestamp,
    };
    let Place::Direct(reg) = place else {
        return false;
    };
    matches!(
        reg.file,
        ChannelEnable | Control | Debug | Ip | MessageControl | StackPointer | State | Timestamp
    )
}
