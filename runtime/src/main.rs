//! The program `kiln`: a finalizer of vISA, and a host on which what it makes can be run.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
