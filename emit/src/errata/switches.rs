//! Thread switches that the hardware needs where it keeps no scoreboard: at writes of the thread's state, and after
//! calls.

use super::read;
use crate::assemble::Program;
use crate::inst::{Inst, Op, Place, Reg, RegFile, Target};
use crate::platform::Platform;

/// Gives `{Switch}` to writes of registers without a scoreboard.
pub(super) fn at_state(program: &mut Program, _: &Platform) {
    use RegFile::{Control, Debug, Ip, Notification, StackPointer, State, Timestamp};
    for inst in program.blocks.iter_mut().flatten() {
        let Some(Place::Direct(reg)) = inst.dst.map(|dst| dst.place) else {
            continue;
        };
        inst.opts.switch |= matches!(
            reg.file,
            Control | State | StackPointer | Timestamp | Ip | Debug | Notification
        );
    }
}

/// Switches threads at the entry of a routine that returns, and after each call.
pub(super) fn after_calls(program: &mut Program, _: &Platform) {
    let returns = program
        .blocks
        .iter()
        .flatten()
        .any(|inst| inst.op == Op::Ret);
    super::insert(program, |block, at| {
        let before = block.get(at.checked_sub(1)?)?;
        let switched = block[at].opts.switch;
        (calls(before) && !switched).then(switch)
    });
    let entered = |program: &Program| {
        let first = program.blocks.first().and_then(|entry| entry.first());
        first.is_some_and(|first| first.opts.switch)
    };
    if returns && !entered(program) {
        program.blocks[0].insert(0, switch());
    }
    for at in 1..program.blocks.len() {
        let ends = program.blocks[at - 1].last().is_some_and(calls);
        let block = &mut program.blocks[at];
        if ends && !block.first().is_some_and(|first| first.opts.switch) {
            block.insert(0, switch());
        }
    }
}

fn calls(inst: &Inst) -> bool {
    let to_address = inst.op == Op::Jmpi && inst.jip == Some(Target::Reg);
    matches!(inst.op, Op::Call | Op::Calla) || to_address
}

fn switch() -> Inst {
    let mut mov = read(1, Reg::grf(0));
    mov.opts.switch = true;
    mov
}
