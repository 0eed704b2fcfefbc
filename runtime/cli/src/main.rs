//! The program `kiln`: a finalizer of vISA, and a host on which what it makes can be run.
//!
//! A command with one result does all its work before it writes anything ([`output`]), so that a failure leaves no
//! files behind; `compile` writes each module's files when they are made, and one that fails keeps no other from being
//! written. Results go to standard output as a report, failures to standard error as diagnostics ([`report`]): both
//! for readers or as JSON ([`Format`]). Exit codes are in [`exit`].

#[cfg(unix)]
mod bench;
mod cache;
mod check;
mod compile;
mod convert;
mod corpus;
mod cost;
mod disasm;
mod exit;
mod genx_ir;
mod input;
mod inspect;
#[cfg(unix)]
mod measure;
mod object;
mod output;
mod passes;
mod platforms;
mod pressure;
mod progress;
mod relink;
mod report;
mod run;
mod run_stats;
mod shell;
mod stats;
mod sweep;
mod verify;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use kiln_compile::passes::optional_passes;
use kiln_compile::{Error, Tier};
use miette::{MietteHandlerOpts, Report, ReportHandler};

use exit::Exit;

/// Finalizes vISA, Intel's virtual instruction set, to Gen machine code; runs it and lists it.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, after_help = EXAMPLES)]
struct Cli {
    /// Form of the report on standard output and of diagnostics on standard error: JSON is one document
    /// there, and a line for each diagnostic here
    #[arg(
        long,
        global = true,
        value_name = "FORM",
        default_value = "text",
        hide_possible_values = true
    )]
    format: Format,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  kiln compile examples/saxpy/saxpy.visaasm -p skl --emit asm -o -
  kiln run examples/saxpy/saxpy.zebin --launch examples/saxpy/launch.yaml

`kiln help VERB` has the rest, with examples. `-` is standard input or output.";

/// The form of what is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For readers
    Text,
    /// For programs
    Json,
}

// The options of all verbs take longer to build than a small kernel to compile: only those of the one that is meant
// are.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Compile a corpus, and compare with another finalizer
    ///
    /// A process a kernel, one after the other: instructions, bytes, spills and estimated cycles of what was made,
    /// time and peak memory; then all kernels in one call of ours. The other finalizer takes the command line of
    /// the reference's, GenX_IR.
    #[cfg(unix)]
    Bench(bench::Args),
    /// Look into a code cache (see compile --cache), or empty it
    Cache(cache::Args),
    /// Say all that is wrong with vISA
    Check(check::Args),
    /// Finalize vISA to machine code
    ///
    /// Several files are one module if one of them calls what another defines, and modules of their own
    /// otherwise, each with outputs beside its first file. With -o or --kernel they are one module.
    Compile(compile::Args),
    /// Print completions for a shell
    Completions(shell::CompletionsArgs),
    /// Write vISA in its other form
    Convert(convert::Args),
    /// Estimate the cycles of machine code
    ///
    /// A thread is taken to have its execution unit for itself, and each loop to go round ten times unless
    /// there are counts of a run.
    Cost(cost::Args),
    /// List machine code
    Disasm(disasm::Args),
    /// Take the command line of the reference finalizer
    ///
    /// For scripts that call GenX_IR: its flags, and the files that it would write, in the current folder:
    /// STEM.dat for -binary, STEM.asm for -output, STEM.visaasm for -dumpcommonisa; -asmOutput gives another STEM,
    /// -outputCisaBinaryName names a binary object to write. An input is never replaced. What a flag would change that Kiln does not have is
    /// noted on standard error. Exit codes are Kiln's.
    GenxIr(genx_ir::Args),
    /// Show what calls what in vISA
    Inspect(inspect::Args),
    /// Write manual pages
    Man(shell::ManArgs),
    /// Run a program several times and print what it took as JSON
    #[cfg(unix)]
    #[command(hide = true)]
    Measure(measure::Args),
    /// List the passes of the compiler, in the order in which they run
    ///
    /// Each with the form of the code after it, which says what verifier runs, and whether --without leaves it out; then
    /// the attempts: runs of the whole list that are made if an earlier one fails.
    Passes(passes::Args),
    /// Show how many registers live along the code
    ///
    /// The registers are those that live before allocation, each value with the whole unit that it is given.
    /// With the plot of each kernel and function comes a table of what lives where most does, or at an
    /// instruction of choice, and since when.
    Pressure(pressure::Args),
    /// Replace the code of an object file's kernels by ours
    ///
    /// The vISA is what the reference compiler dumps when it makes the object file
    /// (IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=DIR). A kernel's file is found by the name and the number of channels
    /// of the kernel in it.
    Relink(relink::Args),
    /// Execute a kernel's machine code on the host
    Run(run::Args),
    /// Compile for several sizes of the register file, and compare
    ///
    /// A table has a line for each size, allocator and pass left out: the sums over all kernels that compile with
    /// every one of them. The files have a line for each kernel.
    Sweep(sweep::Args),
    /// Say what is wrong with machine code
    ///
    /// Bytes that are no instructions, broken rules of the platform, and dependencies that no annotation covers.
    Verify(verify::Args),
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let matches = match program().try_get_matches() {
        Ok(matches) => matches,
        Err(help) if !help.use_stderr() => {
            let printed = output::print(&help.render().to_string());
            return printed
                .map_or_else(|e| exit::say(&[e]), |_| Exit::Done)
                .into();
        }
        Err(error) => error.exit(),
    };
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    let format = cli.format;
    // Lines are wrapped for a reader, but not for a program that looks for a message.
    let wrap = std::io::stderr().is_terminal();
    // It can only fail if there is a handler already.
    let _ = miette::set_hook(Box::new(move |_| -> Box<dyn ReportHandler> {
        match format {
            Format::Text => Box::new(MietteHandlerOpts::new().wrap_lines(wrap).build()),
            Format::Json => Box::new(report::Lines),
        }
    }));

    let result = match &cli.command {
        #[cfg(unix)]
        Command::Bench(args) => bench::bench(args, format),
        #[cfg(unix)]
        Command::Measure(args) => measure::measure(args),
        Command::Cache(args) => cache::cache(args, format),
        Command::Check(args) => check::check(args, format),
        Command::Compile(args) => compile::compile(args, format),
        Command::Completions(args) => shell::completions(args, program()),
        Command::Convert(args) => convert::convert(args),
        Command::Cost(args) => cost::cost(args, format),
        Command::Disasm(args) => disasm::disasm(args, format),
        Command::GenxIr(args) => genx_ir::genx_ir(args),
        Command::Inspect(args) => inspect::inspect(args, format),
        Command::Man(args) => shell::man(args, program()),
        Command::Passes(args) => passes::passes(args, format),
        Command::Pressure(args) => pressure::pressure(args, format),
        Command::Relink(args) => relink::relink(args, format),
        Command::Run(args) => run::run(args, format),
        Command::Sweep(args) => sweep::sweep(args, format),
        Command::Verify(args) => verify::verify(args, format),
    };
    let exit = result.unwrap_or_else(|failure| exit::say(&[failure]));
    exit.into()
}

/// The command line, with the tables that its help has.
fn program() -> clap::Command {
    let (exits, platforms) = (exit::table(), platforms::table());
    let after = format!(
        "{EXAMPLES}\n\nExit codes:\n{exits}\nPlatforms, and other names of them, in either case:\n{platforms}"
    );
    Cli::command().after_long_help(after.trim_end().to_string())
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
    PossibleValuesParser::new(optional_passes()).try_map(|name| {
        let mut passes = optional_passes();
        passes.find(|pass| *pass == name).ok_or("no such pass")
    })
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
    report::module(path, &error)
}

#[cfg(test)]
#[path = "tests/main.rs"]
mod tests;
