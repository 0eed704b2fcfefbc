//! The thread's state: control, state and message registers, which instructions in flight may change.
//!
//! Takes blocks without annotations. Leaves no access to such a register in front of a branch or at the end of a block:
//! the instruction after an access waits for it, which a branch does too late (IGC, `SWSB_G4IR.cpp`, `insertSync`).

use super::facts::places;
use super::place::sync;
use crate::assemble::Program;
use crate::insert;
use crate::inst::{Inst, Place, RegFile, SyncFn};

/// Separates accesses to the thread's state from branches.
pub(super) fn separate(program: &mut Program) {
    for block in &mut program.blocks {
        let branches = |at: usize| block.get(at).is_none_or(|next| next.op.is_branch());
        let separated = |(at, inst)| accesses_state(inst) && branches(at + 1);
        let found = block.iter().enumerate().filter(|&found| separated(found));
        let mut syncs = found
            .map(|(at, _)| (at + 1, sync(SyncFn::Nop, 0)))
            .collect();
        insert::all(block, &mut syncs);
    }
}

/// True if an operand is a register of the thread's state.
pub(crate) fn accesses_state(inst: &Inst) -> bool {
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
