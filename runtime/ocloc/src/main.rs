//! The program `kiln-ocloc`: ocloc's command line, with Kiln in place of the finalizer.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use kiln_ocloc::command::{self, Call};
use kiln_ocloc::front::Program;
use kiln_ocloc::{compile, is_strict, kept, refusals, unread, without_change};

/// Exit codes: lower bytes of ocloc's codes for a failed build (-11) and for a file that cannot be written (-5151), and that of
/// shells for a program that is not there.
const BUILD_FAILURE: u8 = 245;
const INVALID_FILE: u8 = 225;
const NO_PROGRAM: u8 = 127;

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let program = match Program::find() {
        Ok(program) => program,
        Err(error) => return failed(&error, NO_PROGRAM),
    };
    let texts = words.iter().map(|word| word.to_str().map(str::to_string));
    let arguments: Option<Vec<String>> = texts.collect();
    let Some(arguments) = arguments else {
        return as_it_was(&program, &words);
    };
    let call = match command::read(&arguments) {
        Call::Compile(call) => call,
        Call::Kept(word) if is_strict() => {
            eprint!("{}", kept(unread(word)));
            return ExitCode::from(BUILD_FAILURE);
        }
        Call::Kept(word) => return as_it_was_with_line(&program, &words, &kept(unread(word))),
        Call::Other => return as_it_was(&program, &words),
    };
    let done = match compile::compile(&program, &call) {
        Ok(Some(done)) => done,
        Ok(None) => return as_it_was(&program, &words),
        Err(error) if is_strict() => return failed(&error, NO_PROGRAM),
        Err(error) => return as_it_was_with_line(&program, &words, &kept(error)),
    };
    let lines = refusals(&done.kept);
    if !lines.is_empty() && is_strict() {
        eprint!("{lines}");
        return ExitCode::from(BUILD_FAILURE);
    }
    if let Err(error) = compile::write(&call.folder, &done.outcome.files) {
        return failed(&error, INVALID_FILE);
    }
    let said = without_change(&done.outcome.said, &arguments);
    // A reader that goes away early is no failure.
    let _ = io::stdout().write_all(&said);
    let _ = io::stderr().write_all(&done.outcome.warned);
    eprint!("{lines}");
    ExitCode::SUCCESS
}

fn failed(error: &io::Error, code: u8) -> ExitCode {
    eprintln!("kiln-ocloc: {error}");
    ExitCode::from(code)
}

/// Makes the call as it was, and then says a line if ocloc did not refuse it.
fn as_it_was_with_line(program: &Program, words: &[OsString], line: &str) -> ExitCode {
    match program.command(words).status() {
        Ok(status) => {
            if status.success() {
                eprint!("{line}");
            }
            // A signal has no code.
            ExitCode::from(status.code().map_or(1, |code| code as u8))
        }
        Err(error) => failed(&named(error, program), NO_PROGRAM),
    }
}

/// An error of starting a program, with the program's name.
fn named(error: io::Error, program: &Program) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", program.0.display()))
}

/// Makes the call as it was: this process becomes ocloc.
fn as_it_was(program: &Program, words: &[OsString]) -> ExitCode {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        failed(&named(program.command(words).exec(), program), NO_PROGRAM)
    }
    #[cfg(not(unix))]
    as_it_was_with_line(program, words, "")
}
