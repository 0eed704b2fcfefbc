//! Exit codes. Scripts depend on them, so a code keeps its meaning.
//!
//! `kiln help` prints the table. A failure's code follows from that of its diagnostic; of several failures the lowest
//! code counts.

use std::process::ExitCode;

use miette::{Report, Severity};

use super::{output, report};

/// Ends of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Done,
    Wrong,
    /// Clap's exit code, too.
    Usage,
    File,
    Unsupported,
    /// The exit code of a panic.
    Fault,
    /// The end of a program that was run, with its own code.
    Other(u8),
}

impl Exit {
    /// Ends whose codes mean the same for each verb.
    pub const ALL: [Exit; 6] = [
        Exit::Done,
        Exit::Wrong,
        Exit::Usage,
        Exit::File,
        Exit::Unsupported,
        Exit::Fault,
    ];

    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Wrong => 1,
            Exit::Usage => 2,
            Exit::File => 3,
            Exit::Unsupported => 4,
            Exit::Fault => 101,
            Exit::Other(code) => code,
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "success: everything was done, and no check found an error",
            Exit::Wrong => "an input has errors, or a check found one",
            Exit::Usage => "the command line cannot be understood; nothing was done",
            Exit::File => "a file cannot be read or written",
            Exit::Unsupported => {
                "an input is valid, but Kiln does not compile it for this platform"
            }
            Exit::Fault => "an internal error: please report it with the input",
            Exit::Other(_) => "the end of the program that was run",
        }
    }

    /// The exit of a failure: the lowest of its errors.
    pub fn of(failure: &Report) -> Exit {
        let is_error = |one: &&Report| matches!(one.severity(), None | Some(Severity::Error));
        let errors = report::each(failure).iter().filter(is_error);
        errors.map(Exit::of_one).min().unwrap_or(Exit::Wrong)
    }

    fn of_one(failure: &Report) -> Exit {
        let code = failure.code().map(|code| code.to_string());
        match code.as_deref() {
            Some(report::WRONG_LIMIT | report::WRONG_OPTIONS) => Exit::Usage,
            Some(report::NO_ACCESS) => Exit::File,
            Some(report::UNSUPPORTED) => Exit::Unsupported,
            Some(report::FAULT) => Exit::Fault,
            Some(code) if kiln_genx::error::Code::is_unsupported(code) => Exit::Unsupported,
            Some(code) if kiln_genx::error::Code::is_fault(code) => Exit::Fault,
            _ => Exit::Wrong,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Prints all failures; returns the exit.
pub fn say(failures: &[Report]) -> Exit {
    for failure in failures {
        output::say(failure);
    }
    failures.iter().map(Exit::of).min().unwrap_or(Exit::Done)
}

/// Table of the codes and their meanings.
pub fn table() -> String {
    let line = |exit: Exit| format!("  {:>3}  {}\n", exit.code(), exit.meaning());
    Exit::ALL.into_iter().map(line).collect()
}
