//! Engines: what executes a thread's turns.
//!
//! The interpreter is the definition. Translated code gives the same registers, memory, figures and errors, and ends a
//! turn at the same instruction. Both can be run beside each other and compared ([`Engine::Both`]).

use super::error::Cause;
use super::machine::Thread;
use super::memory::Shared;
use super::program::Program;
use super::run::steps;
use super::stats::Counts;

/// The part that executes instructions. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter.
    Interpret,
    /// As `Translate`, but code that hardly runs is not translated.
    #[default]
    Auto,
    /// Code of the host, where it has AVX-512 or AVX2 and allows memory to become executable; the interpreter elsewhere.
    Translate,
    /// Both, each on a copy of thread and memory, compared all along; for tests.
    Both,
}

/// Execution of the turns of a worker's threads.
pub trait Turns {
    /// Prepares for a group, whose memory is in its first state.
    fn start_group(&mut self, _shared: &Shared) {}

    /// Executes up to `limit` instructions; fewer if the thread waits or ends.
    fn turn(
        &mut self,
        thread: &mut Thread,
        program: &Program,
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
struct Interpreter;

impl Turns for Interpreter {
    fn turn(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        steps(thread, program, shared, limit, counts)
    }
}

impl Engine {
    /// The engine of one worker.
    pub(super) fn start<'a>(self, program: &'a Program) -> Box<dyn Turns + 'a> {
        self.native(program).unwrap_or(Box::new(Interpreter))
    }

    #[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
    fn native<'a>(self, program: &'a Program) -> Option<Box<dyn Turns + 'a>> {
        use super::translate::{Both, Translated};
        match self {
            Engine::Interpret => None,
            Engine::Auto => Some(Box::new(Translated::later(program)?)),
            Engine::Translate => Some(Box::new(Translated::new(program)?)),
            Engine::Both => Some(Box::new(Both::new(program)?)),
        }
    }

    #[cfg(not(all(feature = "translate", target_arch = "x86_64", target_os = "linux")))]
    fn native<'a>(self, _program: &'a Program) -> Option<Box<dyn Turns + 'a>> {
        None
    }

    /// True if code of the host executes a program, as far as it is not interpreted by choice.
    pub fn translates(self, program: &Program) -> bool {
        self.native(program).is_some()
    }
}
