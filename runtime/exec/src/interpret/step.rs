//! The interpreter: fetches an operation, and executes it by the part that its path names.

use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::code::operation::Path;
use crate::messages::send;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::{Status, Thread};

/// Executes up to `limit` instructions; fewer if the thread waits or ends.
pub fn steps(
    thread: &mut Thread,
    program: &Decoded,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
) -> Result<(), Cause> {
    thread.update_timestamp();
    steps_on(thread, program, shared, limit, counts)
}

/// As [`steps`], with the time unchanged.
pub fn steps_on(
    thread: &mut Thread,
    program: &Decoded,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
) -> Result<(), Cause> {
    for _ in 0..limit {
        step(thread, program, shared, counts)?;
        if thread.status != Status::Running {
            break;
        }
    }
    Ok(())
}

/// Executes one instruction.
#[inline(always)]
pub fn step(
    thread: &mut Thread,
    program: &Decoded,
    shared: &mut Shared,
    counts: &mut Counts,
) -> Result<(), Cause> {
    let index = thread.ip;
    let op = program
        .op(index)
        .ok_or(Cause::NoInstruction(program.end()))?;
    if op.wakes && thread.waiting != 0 {
        thread.wake_channels();
    }
    let lanes = thread.enabled(op).count_ones();
    match &op.path {
        Path::Branch => thread.branch(op, program)?,
        Path::Wait | Path::Barrier => {
            match op.path {
                Path::Wait => thread.wait(op)?,
                _ => thread.wait_at_barrier(op)?,
            }
            if thread.status == Status::Waiting {
                // An instruction that waits was not executed.
                return Ok(());
            }
        }
        Path::Systolic(systolic) if systolic.is_shared() => {
            // A shared operation is executed when the other thread of the pair has reached it.
            thread.status = Status::Paired;
            return Ok(());
        }
        Path::Send(send) => {
            send::send(thread, shared, op, send)?;
            thread.ip += 1;
        }
        _ => {
            thread.execute(op)?;
            thread.ip += 1;
        }
    }
    thread.executed += 1;
    counts.executed(index, lanes);
    Ok(())
}
