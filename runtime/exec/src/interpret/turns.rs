//! Turns of threads, and the engine that interprets.

use super::step::steps;
use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::Thread;

/// Execution of the turns of a worker's threads.
pub trait Turns {
    /// Prepares for a group, whose memory is in its first state.
    fn start_group(&mut self, _shared: &Shared) {}

    /// Executes up to `limit` instructions; fewer if the thread waits or ends.
    fn turn(
        &mut self,
        thread: &mut Thread,
        program: &Decoded,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause>;

    /// Looks at what a group has left, also one that has failed.
    ///
    /// # Errors
    /// Engines that are compared differ.
    fn end_group(&mut self, _shared: &Shared, _counts: &Counts) -> Result<(), Cause> {
        Ok(())
    }

    /// Adds what it has counted itself.
    fn end(&mut self, _counts: &mut Counts) {}
}

/// The interpreter.
pub struct Interpreter;

impl Turns for Interpreter {
    fn turn(
        &mut self,
        thread: &mut Thread,
        program: &Decoded,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        steps(thread, program, shared, limit, counts)
    }
}
