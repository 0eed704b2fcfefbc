//! Exit codes, which scripts go by: a code keeps its meaning.
//!
//! The table is what `kiln help` prints. A failure's code follows from that of its diagnostic; of several
//! failures the least code counts.

use std::process::ExitCode;

use miette::{Report, Severity};

use super::{output, report};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Done,
    Wrong,
    /// Clap's own, too.
    Usage,
    File,
    Unsupported,
    /// As of a panic.
    Fault,
}

impl Exit {
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
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "all is done, and nothing was found wrong",
            Exit::Wrong => "an input is wrong, or a check that was asked for found something",
            Exit::Usage => "the command line cannot be understood; nothing was done",
            Exit::File => "a file cannot be read or written",
            Exit::Unsupported => {
                "an input is valid, but Kiln does not compile it for this platform"
            }
            Exit::Fault => "a fault of Kiln's: please report it with the input",
        }
    }

    /// What a failure ends in; of several errors in it, the least.
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
            _ => Exit::Wrong,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Says all failures; how the program ends.
pub fn say(failures: &[Report]) -> Exit {
    for failure in failures {
        output::say(failure);
    }
    failures.iter().map(Exit::of).min().unwrap_or(Exit::Done)
}

/// A line for each code.
pub fn table() -> String {
    let line = |exit: Exit| format!("  {:>3}  {}\n", exit.code(), exit.meaning());
    Exit::ALL.into_iter().map(line).collect()
}
