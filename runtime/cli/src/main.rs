//! The program `kiln`: a finalizer of vISA, and an executor of its machine code.
//!
//! A command with one result does all its work before it writes anything ([`output`]), so that a failure leaves no
//! files. `compile` writes each module's files as soon as they are made; a failure does not stop the others. Results
//! go to standard output as a report, failures to standard error as diagnostics ([`report`]): both as text or as JSON
//! ([`Format`]). Exit codes are in [`exit`].

mod asm;
#[cfg(unix)]
mod bench;
mod cache;
mod check;
mod choices;
mod compile;
mod control_flow;
mod convert;
mod corpus;
mod cost;
mod diff;
mod directives;
mod disasm;
mod driver_cache;
mod dump;
mod exit;
mod facts;
mod finalize;
mod genx_ir;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod gpu;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod gpu_both;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod gpu_code;
mod grfs;
mod input;
mod inspect;
mod layered;
mod live;
#[cfg(unix)]
mod measure;
mod names;
mod object;
mod output;
mod page;
mod passes;
mod platforms;
mod pressure;
mod progress;
mod reduce;
mod report;
mod run;
mod run_stats;
mod shell;
mod stats;
mod sweep;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod translate;
mod variables;
mod verify;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use kiln_compile::passes::optional_passes;
use kiln_compile::{Error, Tier};
use kiln_emit::zebin::{FUNCTIONS, Zebin};
use miette::{MietteHandlerOpts, Report, ReportHandler};

use exit::Exit;
use input::Input;

/// Finalizes vISA, Intel's virtual instruction set, to Gen machine code; runs and lists machine code.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, after_help = EXAMPLES)]
struct Cli {
    /// Form of results and diagnostics: with json, standard output is one document, and standard error has one line
    /// for each diagnostic
    #[arg(
        long,
        global = true,
        value_name = "FORM",
        default_value = "text",
        hide_possible_values = true
    )]
    format: Format,
    /// Show names of C++, as kernels of SYCL have them, as they are in object files
    #[arg(long, global = true, hide_short_help = true)]
    no_demangle: bool,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  kiln compile examples/saxpy/saxpy.visaasm -p skl --emit asm -o -
  kiln run examples/saxpy/saxpy.zebin --launch examples/saxpy/launch.yaml

`kiln help VERB` has the rest, with examples. `-` is standard input or output.";

/// Forms of results and diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}

// Building the options of all verbs takes longer than compiling a small kernel, so only those of the chosen verb are
// built.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Make machine code of a listing
    ///
    /// The listing is in the language of `kiln disasm` and of the reference disassembler. An instruction is compact exactly
    /// if its line says {Compacted}. The code is checked as by `kiln verify` before it is written.
    Asm(asm::Args),
    /// Compile a corpus, and compare with another finalizer
    ///
    /// Each kernel is compiled in a process of its own, one after the other. Counted are instructions, bytes, spills
    /// and estimated cycles of the code, time and peak memory; in the end Kiln compiles all kernels in one call. The
    /// other finalizer must take the command line of GenX_IR.
    #[cfg(unix)]
    Bench(bench::Args),
    /// Inspect or clear a code cache (see compile --cache)
    Cache(cache::Args),
    /// Report all errors and warnings in vISA
    Check(check::Args),
    /// Compile vISA, LLVM IR or SPIR-V to machine code
    ///
    /// Files that call each other's functions are one module, whose outputs are written beside its first file. With -o
    /// or --kernel all files are one module.
    Compile(compile::Args),
    /// Print completions for a shell
    Completions(shell::CompletionsArgs),
    /// Convert vISA between text and binary
    Convert(convert::Args),
    /// Estimate the cycles of machine code
    ///
    /// The model assumes one thread on its execution unit, and ten iterations of each loop unless counts of a run are
    /// given.
    Cost(cost::Args),
    /// Compare the figures of two builds
    ///
    /// Totals over the kernels of both and over those that are affected, sums of what grew and of what shrank, and the
    /// kernels that changed most.
    Diff(diff::Args),
    /// List machine code
    Disasm(disasm::Args),
    /// Make the code of an object file's kernels
    ///
    /// The vISA is that of the object file's own sections (ocloc -internal_options "-emit-visa-only
    /// -emit-zebin-visa-sections"), or with --visa the dump that the reference compiler makes together with the object file
    /// (IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=DIR), where a kernel's file is found by the name and SIMD size of the
    /// kernel in it. Code that is there is replaced.
    #[command(visible_alias = "relink")]
    Finalize(finalize::Args),
    /// Accept the command line of GenX_IR
    ///
    /// For scripts that call GenX_IR: its flags, and the files that it would write, in the current folder: STEM.dat
    /// for -binary, STEM.asm for -output, STEM.visaasm for -dumpcommonisa; -asmOutput gives another STEM,
    /// -outputCisaBinaryName names a binary object to write. An input is never replaced. Flags without effect are
    /// listed on standard error. Exit codes are Kiln's.
    GenxIr(genx_ir::Args),
    /// Run a program on a virtual Intel GPU
    ///
    /// The driver is Intel's own, unchanged: it meets a device that is not there, whose machine code is executed here. At
    /// the end a line for each process says what ran.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Gpu(gpu::Args),
    /// Show the call graph of vISA, or control flow as a picture
    Inspect(inspect::Args),
    /// Show the live registers of machine code
    ///
    /// A listing with the number of general registers, flags, accumulators and addresses that live at each instruction, and
    /// the values that live at the peak, each with the instructions that write and read it.
    Live(live::Args),
    /// Write manual pages
    Man(shell::ManArgs),
    /// Run a program several times and print time and memory as JSON
    #[cfg(unix)]
    #[command(hide = true)]
    Measure(measure::Args),
    /// List the passes of the compiler, in order
    ///
    /// Each pass has the form of the code after it, which decides the verifier that runs, and whether --without can
    /// leave it out. The attempts follow: runs of the whole list that are made if an earlier one fails.
    Passes(passes::Args),
    /// List what is known of platforms
    ///
    /// Each fact has its value on each platform, or on one platform of choice. The second table has the rules of
    /// encoding families, of which a platform has those of its own. Values are as in the source.
    Platforms(facts::Args),
    /// Show the register pressure of code
    ///
    /// The pressure is that before allocation, and each value counts with its whole allocation unit. A plot for each
    /// kernel and function is followed by a table of the values that are live at the peak, or at an instruction of
    /// choice, with their definition points.
    Pressure(pressure::Args),
    /// Write a page about machine code
    ///
    /// One HTML file for a browser, without outside parts: source, vISA and machine code side by side, with live registers, cycles,
    /// what each instruction waits for, spills, the register file along the code, control flow and values. Two builds are
    /// shown beside each other.
    Report(page::Args),
    /// Make a failing input small
    ///
    /// Lines of vISA are removed as long as a command says that the failure is still there.
    Reduce(reduce::Args),
    /// Execute a kernel's machine code on the host
    Run(run::Args),
    /// Compile with several register limits, and compare
    ///
    /// The table has a line for each limit, allocator and pass left out: sums over the kernels that compile with all
    /// of them. The files have a line for each kernel.
    Sweep(sweep::Args),
    /// List the host's code for a kernel
    ///
    /// The code that `run` executes for each instruction, with those that the interpreter executes. It is made for the
    /// float mode in which most of the kernel runs.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Translate(translate::Args),
    /// Check machine code
    ///
    /// Reports bytes that are no instructions, broken rules of the platform, and dependencies that no annotation
    /// covers.
    Verify(verify::Args),
}

/// Parses the command line and runs the verb.
pub fn main() -> ExitCode {
    let parsed = program().try_get_matches();
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(help) if !help.use_stderr() => {
            let printed = output::print(&help.render().to_string());
            return printed
                .map_or_else(|e| exit::say(&[e]), |_| Exit::Done)
                .into();
        }
        Err(error) if wants_json() => {
            set_form(Format::Json);
            let said = error.render().to_string();
            let said = said.trim_start_matches("error: ").trim_end();
            return none_made(&report::usage(said)).into();
        }
        Err(error) => error.exit(),
    };
    let format = cli.format;
    set_form(format);
    if cli.no_demangle {
        stats::keep_mangled();
    }
    let result = match &cli.command {
        Command::Asm(args) => asm::asm(args, format),
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
        Command::Diff(args) => diff::diff(args, format),
        Command::Disasm(args) => disasm::disasm(args, format),
        Command::Finalize(args) => finalize::finalize(args, format),
        Command::GenxIr(args) => genx_ir::genx_ir(args),
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        Command::Gpu(args) => gpu::gpu(args),
        Command::Inspect(args) => inspect::inspect(args, format),
        Command::Live(args) => live::live(args, format),
        Command::Man(args) => shell::man(args, program()),
        Command::Passes(args) => passes::passes(args, format),
        Command::Platforms(args) => facts::facts(args, format),
        Command::Pressure(args) => pressure::pressure(args, format),
        Command::Report(args) => page::page(args, format),
        Command::Reduce(args) => reduce::reduce(args, format),
        Command::Run(args) => run::run(args, format),
        Command::Sweep(args) => sweep::sweep(args, format),
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        Command::Translate(args) => translate::translate(args, format),
        Command::Verify(args) => verify::verify(args, format),
    };
    let exit = result.unwrap_or_else(|failure| match format {
        Format::Json if cli.command.has_document() => none_made(&failure),
        _ => exit::say(&[failure]),
    });
    exit.into()
}

/// Sets the form of diagnostics.
fn set_form(format: Format) {
    // Lines are wrapped for people, but not for programs that search for a message.
    let wrap = std::io::stderr().is_terminal();
    // Setting the hook fails only if there is one already.
    let _ = miette::set_hook(Box::new(move |_| -> Box<dyn ReportHandler> {
        match format {
            Format::Text => Box::new(MietteHandlerOpts::new().wrap_lines(wrap).build()),
            Format::Json => Box::new(report::Lines),
        }
    }));
}

/// True if the command line asks for JSON, which is known of one that cannot be understood, too.
fn wants_json() -> bool {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let apart = words
        .windows(2)
        .any(|two| two[0] == "--format" && two[1] == "json");
    apart || words.iter().any(|word| word == "--format=json")
}

/// Says a failure of a command as JSON, and `null` for its document.
fn none_made(failure: &Report) -> Exit {
    let exit = exit::say(std::slice::from_ref(failure));
    // A standard output that takes nothing may be the failure.
    let _ = output::print("null\n");
    exit
}

impl Command {
    /// True if the result is a document with `--format json`.
    fn has_document(&self) -> bool {
        match self {
            Command::Completions(_)
            | Command::Convert(_)
            | Command::GenxIr(_)
            | Command::Man(_) => false,
            #[cfg(unix)]
            Command::Measure(_) => false,
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Command::Gpu(_) => false,
            _ => true,
        }
    }
}

/// The command line, with the tables in its help.
fn program() -> clap::Command {
    let (exits, platforms) = (exit::table(), platforms::table());
    let after = format!(
        "{EXAMPLES}\n\nExit codes:\n{exits}\nPlatforms, and other names of them, in either case:\n{platforms}"
    );
    Cli::command().after_long_help(after.trim_end().to_string())
}

/// Parses a tier from its number.
fn tier_parser() -> impl TypedValueParser<Value = Tier> {
    PossibleValuesParser::new(["0", "2"]).map(|level| match level.as_str() {
        "0" => Tier::Quick,
        _ => Tier::Best,
    })
}

/// Parses the name of a pass that may be left out.
fn pass_parser() -> impl TypedValueParser<Value = &'static str> {
    PossibleValuesParser::new(optional_passes()).try_map(|name| {
        let mut passes = optional_passes();
        passes.find(|pass| *pass == name).ok_or("no such pass")
    })
}

/// The name of the kernel that is chosen: the only one, if none is named.
///
/// # Errors
/// The zebin has no such kernel, or several where none is named.
fn chosen_kernel(input: &Input, zebin: &Zebin, name: Option<&str>) -> Result<String, Report> {
    let names = zebin.kernels.iter().map(|k| k.name.as_str());
    let names: Vec<_> = names.filter(|name| *name != FUNCTIONS).collect();
    match (name, names.as_slice()) {
        (None, [only]) => Ok((*only).to_string()),
        (None, [_, _, ..]) => Err(report::usage(format_args!(
            "{}: choose a kernel with --kernel: {}",
            input.name,
            names.join(", ")
        ))),
        (Some(name), _) if names.contains(&name) => Ok(name.to_string()),
        _ => Err(no_kernel(&input.path, name, names.iter().copied())),
    }
}

/// The error that a file has no kernel of that name.
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
