//! Engines: what executes a thread's turns.
//!
//! The interpreter is the definition. Translated code gives the same registers, memory, figures and errors, and ends a
//! turn at the same instruction. Both can be run beside each other and compared ([`Engine::Both`]).

use super::program::Program;
use crate::interpret::turns::{Interpreter, Turns};

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

impl Engine {
    /// The engine of one worker.
    pub fn start<'a>(self, program: &'a Program) -> Box<dyn Turns + 'a> {
        self.native(program).unwrap_or(Box::new(Interpreter))
    }

    #[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
    fn native<'a>(self, program: &'a Program) -> Option<Box<dyn Turns + 'a>> {
        use crate::translate::both::Both;
        use crate::translate::engine::Translated;
        match self {
            Engine::Interpret => None,
            Engine::Auto => Some(Box::new(Translated::later(
                program,
                program.translations(),
            )?)),
            Engine::Translate => Some(Box::new(Translated::new(program, program.translations())?)),
            Engine::Both => Some(Box::new(Both::new(program, program.translations())?)),
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
