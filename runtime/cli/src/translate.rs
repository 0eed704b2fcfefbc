//! `kiln translate`: the code of the host that `kiln run` executes, beside the machine code it is made of.

use std::fmt::Write as _;
use std::path::PathBuf;

use kiln_compile::info;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::Program;
use kiln_exec::translate::{self, BlockListing, Listing};
use miette::Report;
use serde::Serialize;

use super::exit::Exit;
use super::input::Input;
use super::output::Outputs;
use super::platforms::Machine;
use super::{Format, chosen_kernel, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln translate examples/saxpy/saxpy.zebin
  kiln translate examples/sgemm/sgemm.zebin --format json")]
pub struct Args {
    /// Zebin with the kernel
    file: PathBuf,
    /// Kernel to translate [default: the only one]
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Platform of the code [default: as the zebin says]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// Features of the host that code is made for
    #[arg(long, value_name = "FEATURES", value_enum, default_value_t = Host::Avx512)]
    host: Host,
    /// Form of the result
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Emit::X86)]
    emit: Emit,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Features of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Host {
    /// AVX-512 F, BW, DQ and VL
    Avx512,
    /// AVX2, FMA and F16C
    Avx2,
}

impl Host {
    fn features(self) -> translate::Host {
        match self {
            Host::Avx512 => translate::Host::Avx512,
            Host::Avx2 => translate::Host::Avx2,
        }
    }
}

/// Forms of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// A listing of x86-64
    X86,
}

/// Figures of a translation.
#[derive(Serialize)]
struct Figures {
    kernel: String,
    instructions: usize,
    /// Size of the code and of its constants in bytes.
    bytes: usize,
    constants: usize,
    blocks: Vec<BlockFigures>,
}

#[derive(Serialize)]
struct BlockFigures {
    /// Offset of the first instruction.
    at: u32,
    instructions: usize,
    /// Number of instructions of the host.
    translated: usize,
    called_out: Vec<CalledOut>,
}

/// An instruction that the interpreter executes.
#[derive(Serialize)]
struct CalledOut {
    at: u32,
    instruction: String,
}

/// Runs the command.
///
/// # Errors
/// The file has no such kernel, or memory cannot be made executable.
pub fn translate(args: &Args, format: Format) -> Result<Exit, Report> {
    let Emit::X86 = args.emit;
    let input = Input::open(&args.file)?;
    let refused = |e: &dyn std::fmt::Display| report::file(&input.path, e);
    let zebin = Zebin::parse(&input).map_err(|e| refused(&e))?;
    let platform = args.platform.or_else(|| info::platform_of(&zebin));
    let platform = platform.unwrap_or(&platform::SKL);
    let zebin = info::zebin(&input, platform).map_err(|e| refused(&e))?;
    let kernel = &chosen_kernel(&input, &zebin, args.kernel.as_deref())?;
    let program =
        Program::from_zebin(&zebin, kernel, platform).map_err(|e| report::file(&input.path, &e))?;
    let host = args.host.features();
    let listing = Listing::of(&program, host).map_err(|e| report::file(&input.path, &e))?;
    let mut outputs = Outputs::new([args.file.as_path()]);
    match format {
        Format::Text => outputs.add(&args.output, text(kernel, &listing).into_bytes())?,
        Format::Json => outputs.json(&args.output, &figures(kernel, &listing))?,
    }
    outputs.write()?;
    Ok(Exit::Done)
}

fn figures(kernel: &str, listing: &Listing) -> Figures {
    let block = |block: &BlockListing| {
        let called = block.operations.iter().filter(|o| o.called);
        let code = block.operations.iter().flat_map(|o| &o.code);
        BlockFigures {
            at: block.operations.first().map_or(0, |o| o.at),
            instructions: block.operations.len(),
            translated: code
                .chain(&block.head)
                .filter(|line| !line.is_empty())
                .count(),
            called_out: called
                .map(|o| CalledOut {
                    at: o.at,
                    instruction: o.inst.clone(),
                })
                .collect(),
        }
    };
    Figures {
        kernel: kernel.to_string(),
        instructions: listing.blocks.iter().map(|b| b.operations.len()).sum(),
        bytes: listing.bytes,
        constants: listing.constants,
        blocks: listing.blocks.iter().map(block).collect(),
    }
}

fn text(kernel: &str, listing: &Listing) -> String {
    let mut text = String::new();
    let mut called = 0;
    for block in &listing.blocks {
        if let Some(first) = block.operations.first() {
            let _ = writeln!(text, "\nblock {:#06x}", first.at);
        }
        let lines = |text: &mut String, lines: &[String]| {
            for line in lines.iter().filter(|line| !line.is_empty()) {
                let _ = writeln!(text, "            {line}");
            }
        };
        lines(&mut text, &block.head);
        for operation in &block.operations {
            let mark = if operation.called {
                " ; called out"
            } else {
                ""
            };
            called += usize::from(operation.called);
            let _ = writeln!(text, "  {:#06x} {}{mark}", operation.at, operation.inst);
            lines(&mut text, &operation.code);
        }
    }
    let figures = figures(kernel, listing);
    let _ = writeln!(
        text,
        "\n{kernel}: {} instructions, {called} called out, {} bytes of code, {} of constants",
        figures.instructions, figures.bytes, figures.constants
    );
    text
}
