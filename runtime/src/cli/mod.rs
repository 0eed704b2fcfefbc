//! The command line: what the user says, and what is answered.
//!
//! Each command takes its arguments and does all its work before it writes anything
//! ([`output`]), so that a failure leaves no files behind. A failure is one diagnostic on standard
//! error ([`report`]), of `check` as many as there are, and exit code 1; a command line that cannot
//! be understood is exit code 2. Of several modules to compile or files to list, one that fails keeps no
//! other from being written.

#[cfg(unix)]
mod bench;
mod check;
mod compile;
mod convert;
mod corpus;
mod cost;
mod disasm;
mod input;
mod inspect;
#[cfg(unix)]
mod measure;
mod output;
mod pressure;
mod progress;
mod report;
mod run;
mod run_stats;
mod stats;
mod sweep;
mod verify;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use kiln_runtime::pipeline::{self, Tier};
use kiln_runtime::session::Error;
use kiln_target::platform::{self, Generation, PLATFORMS, Platform, VISA_ONLY};
use miette::{MietteHandlerOpts, Report};

/// Finalizes vISA, Intel's virtual instruction set, to Gen machine code; runs it and lists it.
#[derive(Debug, Parser)]
#[command(name = "kiln", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(unix)]
    Bench(bench::Args),
    Check(check::Args),
    Compile(compile::Args),
    Convert(convert::Args),
    Cost(cost::Args),
    Run(run::Args),
    Disasm(disasm::Args),
    Inspect(inspect::Args),
    #[cfg(unix)]
    #[command(hide = true)]
    Measure(measure::Args),
    Pressure(pressure::Args),
    Sweep(sweep::Args),
    Verify(verify::Args),
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    // Lines are wrapped for a reader, but not for a program that looks for a message.
    let wrap = std::io::stderr().is_terminal();
    // It can only fail if there is a handler already.
    let _ = miette::set_hook(Box::new(move |_| {
        Box::new(MietteHandlerOpts::new().wrap_lines(wrap).build())
    }));

    let result = match Cli::parse().command {
        #[cfg(unix)]
        Command::Bench(args) => bench::bench(&args),
        #[cfg(unix)]
        Command::Measure(args) => measure::measure(&args),
        Command::Check(args) => return check::check(&args),
        Command::Compile(args) => compile::compile(&args),
        Command::Convert(args) => convert::convert(&args).map(|()| ExitCode::SUCCESS),
        Command::Cost(args) => cost::cost(&args),
        Command::Run(args) => run::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Disasm(args) => disasm::disasm(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Pressure(args) => pressure::pressure(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Verify(args) => verify::verify(&args),
    };
    match result {
        Ok(code) => code,
        Err(report) => {
            output::print_error(&format!("{report:?}"));
            ExitCode::FAILURE
        }
    }
}

/// Takes a name of a platform whose machine code is known.
fn platform_parser() -> impl TypedValueParser<Value = &'static Platform> {
    PossibleValuesParser::new(machines())
        .try_map(|name| platform::find(&name).ok_or("no such platform"))
}

/// Takes a tier by its number.
fn tier_parser() -> impl TypedValueParser<Value = Tier> {
    PossibleValuesParser::new(["0", "2"]).map(|level| match level.as_str() {
        "0" => Tier::Quick,
        _ => Tier::Best,
    })
}

/// Takes the name of a pass that may be left out.
fn pass_parser() -> impl TypedValueParser<Value = &'static str> {
    PossibleValuesParser::new(pipeline::passes()).try_map(|name| {
        let mut passes = pipeline::passes();
        passes.find(|pass| *pass == name).ok_or("no such pass")
    })
}

/// Takes a name of a platform whose vISA is known.
fn generation_parser() -> impl TypedValueParser<Value = Generation> {
    let others = VISA_ONLY
        .iter()
        .map(|(names, _)| value(names[0], &names[1..]));
    PossibleValuesParser::new(machines().chain(others)).try_map(|name| {
        let named = platform::named(&name).ok_or("no such platform")?;
        Ok::<_, &str>(named.generation)
    })
}

fn machines() -> impl Iterator<Item = PossibleValue> {
    PLATFORMS.iter().map(|p| value(p.name, p.aliases))
}

fn value(name: &'static str, aliases: &'static [&'static str]) -> PossibleValue {
    PossibleValue::new(name).aliases(aliases.iter().copied())
}

/// A file does not hold what is looked for.
fn no_kernel<'a>(path: &Path, name: Option<&str>, names: impl Iterator<Item = &'a str>) -> Report {
    let error = match name {
        Some(name) => Error::NoSuchKernel {
            wanted: name.to_string(),
            names: names.map(str::to_string).collect(),
        },
        None => Error::NoKernel,
    };
    report::file(path, &error)
}
