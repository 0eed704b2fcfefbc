//! Execution with checks of registers and dependencies, in the strict mode, and with a trace.

use kiln_emit::inst::Inst;
use kiln_emit::verify::scoreboard::Facts;

use super::hardware::{Hardware, Uncertain};
use super::trace::Trace;
use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::interpret::step::step;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::{Status, Thread};

/// Actions beside the execution.
pub struct Watched<'a> {
    pub scoreboard: Option<&'a Facts<'a>>,
    pub group: [u32; 3],
    pub trace: Option<&'a Trace<'a>>,
    pub hardware: Option<&'a Hardware<'a>>,
}

/// Executes instructions with all that is watched. What is uncertain about the thread is needed in the strict mode.
pub fn watched_steps(
    thread: &mut Thread,
    program: &Decoded,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
    watched: &Watched,
    mut uncertain: Option<&mut Uncertain>,
) -> Result<(), Cause> {
    thread.update_timestamp();
    for _ in 0..limit {
        let index = thread.ip;
        // Channels that continue here count as active.
        thread.wake_channels();
        let mut strict = watched.hardware.zip(uncertain.as_deref_mut());
        if let Some((hardware, uncertain)) = &mut strict
            && !hardware.before(thread, uncertain, shared)?
        {
            thread.ip += 1;
            thread.executed += 1;
            continue;
        }
        let mode = thread.mode;
        let enabled = program.op(index).map_or(0, |op| thread.enabled(op));
        if let Some(op) = program.op(index) {
            thread.check(op)?;
            if let Some(facts) = watched.scoreboard {
                thread.check_dependencies(facts, program, index, enabled << op.chan_off)?;
            }
        }
        step(thread, program, shared, counts)?;
        if let Some((hardware, uncertain)) = strict {
            hardware.after(thread, uncertain, shared, index, mode)?;
        }
        if let Some(trace) = watched.trace.filter(|_| thread.status != Status::Paired) {
            trace.report(watched.group, thread, program, index, enabled);
        }
        if thread.status != Status::Running {
            break;
        }
    }
    Ok(())
}

impl Thread {
    /// Checks that an instruction about to be executed for some channels waits for the accesses it depends on.
    fn check_dependencies(
        &mut self,
        facts: &Facts,
        program: &Decoded,
        index: u32,
        channels: u32,
    ) -> Result<(), Cause> {
        let (Some(board), Some(_)) = (&mut self.board, program.inst(index)) else {
            return Ok(());
        };
        let Some(finding) = board.execute(facts, index as usize, channels) else {
            return Ok(());
        };
        let first = finding.first as u32;
        let at = program.op(first).map_or(0, |op| op.at);
        let inst = program.inst(first).map(Inst::to_string);
        Err(Cause::Hazard {
            at,
            inst: inst.unwrap_or_default(),
            finding,
        })
    }
}
