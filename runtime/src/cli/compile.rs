//! `kiln compile`: vISA in; an object file, raw machine code or a listing out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::Platform;
use kiln_runtime::pipeline::{Compiled, Options, Relocation, Stage};
use miette::{Report, miette};

use super::finalize::{Finalized, finalize};
use super::info::Info;
use super::input::Input;
use super::object::object;
use super::output::{Outputs, is_stdout, print_error};
use super::{grf_limit_parser, platform_parser, report, stats};

/// Finalize vISA to machine code
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Binary or text vISA
    input: PathBuf,
    /// Platform to make code for
    #[arg(short, long, value_parser = platform_parser(), ignore_case = true)]
    platform: &'static Platform,
    /// Zebin or .ze_info document with the kernels' argument layouts
    #[arg(long, value_name = "FILE")]
    info: Option<PathBuf>,
    /// What to write [default: zebin with --info, else bin]
    #[arg(long)]
    emit: Option<Emit>,
    /// File to write, `-` for standard output [default: INPUT with its extension changed]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write figures of every kernel as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Print stages; writes code only if --emit or --output ask for it
    #[arg(long, value_name = "STAGES", value_delimiter = ',')]
    dump: Vec<DumpStage>,
    /// Take this kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Use no more registers than this, 1 to 128
    #[arg(long, value_name = "N", value_parser = grf_limit_parser())]
    grf_limit: Option<u32>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// An object file
    Zebin,
    /// Machine code, one file a kernel
    Bin,
    /// A listing of the machine code
    Asm,
}

impl Emit {
    fn extension(self) -> &'static str {
        match self {
            Emit::Zebin => "zebin",
            Emit::Bin => "bin",
            Emit::Asm => "asm",
        }
    }
}

/// A stage that can be printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DumpStage {
    /// The module as text
    Visa,
    /// The intermediate representation
    Ir,
    /// Selected instructions on virtual registers
    Isel,
    /// Allocated instructions
    Ra,
    /// The machine code's listing
    Asm,
}

impl DumpStage {
    fn stage(self) -> Stage {
        match self {
            DumpStage::Visa => Stage::Visa,
            DumpStage::Ir => Stage::Ir,
            DumpStage::Isel => Stage::Isel,
            DumpStage::Ra => Stage::Ra,
            DumpStage::Asm => Stage::Asm,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Why nothing was written.
pub fn compile(args: &Args) -> Result<(), Report> {
    let mut outputs = Outputs::default();
    let emit = emit(args)?;
    let info = args
        .info
        .as_deref()
        .map(|path| Info::open(path, args.platform))
        .transpose()?;
    let input = Input::open(&args.input)?;
    let options = Options {
        grf_limit: args.grf_limit.unwrap_or(args.platform.grf_count),
        dump: args.dump.iter().map(|d| d.stage()).collect(),
        ..Options::new(args.platform)
    };
    let finalized = finalize(&input, &options, args.kernel.as_deref())?;
    outputs.print(&dumps(&finalized));
    let figures = stats::stats(&finalized, args.platform);

    let mut warning = String::new();
    if let Some(emit) = emit {
        let kernels = &finalized.kernels;
        let output = match &args.output {
            Some(path) => path.clone(),
            None => default_output(args, emit)?,
        };
        match (emit, info) {
            (Emit::Bin, _) => {
                write_bins(&mut outputs, &output, kernels)?;
                warning = unresolved(kernels);
            }
            (Emit::Asm, _) => outputs.add(&output, asm(kernels, args.platform).into_bytes())?,
            (Emit::Zebin, Some(info)) => {
                let path = args.info.as_deref().unwrap_or(&args.input);
                let zebin =
                    object(info, kernels, args.platform).map_err(|e| report::file(path, &e))?;
                outputs.add(
                    &output,
                    zebin.write().map_err(|e| report::file(&output, &e))?,
                )?;
            }
            (Emit::Zebin, None) => return Err(needs_info()),
        }
    }
    if let Some(path) = &args.stats {
        outputs.add(path, stats::json(&figures)?)?;
    }
    if outputs.stdout_taken() && !args.dump.is_empty() {
        return Err(miette!(
            "dumps and a file are both to go to standard output"
        ));
    }
    let quiet = args.output.is_some() || emit.is_none();
    let taken = outputs.stdout_taken();
    if !quiet && !taken {
        outputs.print(&stats::table(&figures));
    }
    outputs.write()?;
    if !warning.is_empty() {
        print_error(&warning);
    }
    if !quiet && taken {
        print_error(&stats::table(&figures));
    }
    Ok(())
}

/// What is to be written, if code is.
fn emit(args: &Args) -> Result<Option<Emit>, Report> {
    match args.emit {
        Some(Emit::Zebin) if args.info.is_none() => Err(needs_info()),
        Some(emit) => Ok(Some(emit)),
        None if args.output.is_none() && !args.dump.is_empty() => Ok(None),
        None if args.info.is_some() => Ok(Some(Emit::Zebin)),
        None => Ok(Some(Emit::Bin)),
    }
}

fn needs_info() -> Report {
    miette!("an object file needs --info: vISA does not say how a kernel's arguments are laid out")
}

/// The input's name with another extension, which must not be a file that was read.
fn default_output(args: &Args, emit: Emit) -> Result<PathBuf, Report> {
    let output = args.input.with_extension(emit.extension());
    let same = |path: &Path| {
        path == output
            || path
                .canonicalize()
                .is_ok_and(|p| output.canonicalize().is_ok_and(|o| o == p))
    };
    if same(&args.input) || args.info.as_deref().is_some_and(same) {
        let output = output.display();
        return Err(miette!(
            "{output} is an input: say with -o where the output is to go"
        ));
    }
    Ok(output)
}

/// One file of machine code a kernel.
fn write_bins(outputs: &mut Outputs, output: &Path, kernels: &[Compiled]) -> Result<(), Report> {
    if let [kernel] = kernels {
        return outputs.add(output, kernel.code.clone());
    }
    if is_stdout(output) {
        return Err(miette!(
            "{} kernels cannot all go to standard output: choose one with --kernel",
            kernels.len()
        ));
    }
    for kernel in kernels {
        outputs.add(&numbered(output, &kernel.name), kernel.code.clone())?;
    }
    Ok(())
}

/// `OUT.NAME.bin` for `OUT.bin`. The name comes from the input: it must not lead elsewhere.
fn numbered(output: &Path, kernel: &str) -> PathBuf {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "_$-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let stem = if output.extension().is_some_and(|e| e == "bin") {
        output.with_extension("")
    } else {
        output.into()
    };
    let mut name = OsString::from(stem);
    name.push(format!(
        ".{}.bin",
        kernel.chars().map(safe).collect::<String>()
    ));
    name.into()
}

/// What raw machine code leaves open, a line an address.
fn unresolved(kernels: &[Compiled]) -> String {
    let mut lines = String::new();
    for Compiled {
        name, relocations, ..
    } in kernels
    {
        for Relocation {
            offset,
            symbol,
            bits,
        } in relocations
        {
            lines.push_str(&format!(
                "warning: {name}: the {bits} bits at offset {offset:#x} are to be the address of {symbol}\n"
            ));
        }
    }
    lines
}

fn asm(kernels: &[Compiled], platform: &'static Platform) -> String {
    kernels
        .iter()
        .map(|kernel| {
            let list = listing::list(&kernel.code, platform, Style::Labels);
            match kernels {
                [_] => list,
                _ => format!("// kernel {}\n{list}", kernel.name),
            }
        })
        .collect()
}

/// The dumps of all kernels, each under a heading.
fn dumps(finalized: &Finalized) -> String {
    let mut out = String::new();
    if let Some(visa) = &finalized.visa {
        out.push_str(visa);
    }
    for kernel in &finalized.kernels {
        for (stage, dump) in &kernel.dumps {
            let stage = format!("{stage:?}").to_lowercase();
            out.push_str(&format!(
                "// {}: {stage}\n{}\n",
                kernel.name,
                dump.trim_end()
            ));
        }
    }
    out
}
