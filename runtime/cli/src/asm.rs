//! `kiln asm`: listings back to machine code.
//!
//! The result is raw machine code, or an object file in which it takes the place of a kernel's or function's code
//! ([`into`]).

mod into;

use std::path::PathBuf;

use kiln_compile::info;
use kiln_emit::platform::Platform;
use kiln_emit::read::{Assembly, ReadError, assemble};
use kiln_emit::zebin::Zebin;
use miette::Report;
use serde::Serialize;

use super::disasm::unit::Unit;
use super::exit::Exit;
use super::input::Input;
use super::output::Outputs;
use super::platforms::Machine;
use super::{Format, report, verify};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln disasm examples/saxpy/saxpy.zebin -o saxpy.asm
  kiln asm saxpy.asm -p skl -o saxpy.dat
  kiln asm saxpy.asm --into examples/saxpy/saxpy.zebin -o changed.zebin")]
pub struct Args {
    /// Listing, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Platform of the code [default: that of the object file of --into]
    #[arg(short, long, value_parser = Machine, required_unless_present = "into")]
    platform: Option<&'static Platform>,
    /// Replace the code of a kernel in this object file, which is written anew unless -o names another file
    #[arg(long, value_name = "OBJECT")]
    into: Option<PathBuf>,
    /// Kernel or function of the object file whose code is replaced, if there are several
    #[arg(long, value_name = "NAME", requires = "into")]
    kernel: Option<String>,
    /// Write code that breaks rules of the platform or lacks a wait, too
    #[arg(long)]
    unchecked: bool,
    /// File to write [default: standard output, or the object file of --into]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Result of the command.
#[derive(Serialize)]
struct Done {
    platform: &'static str,
    instructions: usize,
    /// Bytes of the code.
    bytes: usize,
    /// The kernel or function whose code was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was written.
pub fn asm(args: &Args, format: Format) -> Result<Exit, Report> {
    let input = Input::open(&args.file)?;
    let text = std::str::from_utf8(&input)
        .map_err(|_| report::file(&args.file, &"this is no text: a listing is expected"))?;
    let mut outputs = Outputs::new([args.file.as_path()]);
    let Some(object) = &args.into else {
        let Some(platform) = args.platform else {
            return Err(report::usage("name the platform with --platform"));
        };
        let read = read(args, &input, text, platform)?;
        let unit = Unit::of_code(read.code.clone());
        check(args, &input, &unit, &read, platform)?;
        let path = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
        let done = done(&read, platform, None);
        outputs.add(&path, read.code)?;
        return finish(outputs, format, &done);
    };
    let file = Input::open(object)?;
    let is_none = |e: &dyn std::fmt::Display| report::file(object, e);
    let zebin = Zebin::parse(&file).map_err(|e| is_none(&e))?;
    let platform = args.platform.or_else(|| info::platform_of(&zebin));
    let platform = platform.ok_or_else(|| {
        report::usage(format_args!(
            "{}: it does not say for which known platform it was made; use --platform",
            file.name
        ))
    })?;
    let mut zebin = info::zebin(&file, platform).map_err(|e| is_none(&e))?;
    let read = read(args, &input, text, platform)?;
    let place = into::find(object, &zebin, args.kernel.as_deref(), &read)?;
    check(args, &input, &place.unit, &read, platform)?;
    into::replace(&mut zebin, &place, &read, platform).map_err(|e| is_none(&e))?;
    let bytes = zebin.write().map_err(|e| is_none(&e))?;
    let path = args.output.as_ref().unwrap_or(object);
    outputs.add(path, bytes)?;
    let done = done(&read, platform, Some(place.name));
    finish(outputs, format, &done)
}

fn finish(mut outputs: Outputs, format: Format, done: &Done) -> Result<Exit, Report> {
    let text = || format!("{} instructions, {} bytes\n", done.instructions, done.bytes);
    if !(format == Format::Json && outputs.stdout_taken()) {
        outputs.report(format, done, text)?;
    }
    outputs.write()?;
    Ok(Exit::Done)
}

fn done(read: &Assembly, platform: &Platform, replaced: Option<String>) -> Done {
    Done {
        platform: platform.name,
        instructions: read.places.len(),
        bytes: read.code.len(),
        replaced,
    }
}

fn read(
    args: &Args,
    input: &Input,
    text: &str,
    platform: &'static Platform,
) -> Result<Assembly, Report> {
    let read = assemble(text, platform, args.unchecked);
    let read = read.map_err(|errors| report::listing(input, &errors))?;
    match read.code.is_empty() {
        true => Err(report::file(&args.file, &"there is no instruction")),
        false => Ok(read),
    }
}

/// Checks the code as `kiln verify` does, as part of the unit that it is to be.
fn check(
    args: &Args,
    input: &Input,
    unit: &Unit,
    read: &Assembly,
    platform: &'static Platform,
) -> Result<(), Report> {
    if args.unchecked {
        return Ok(());
    }
    let unit = unit.with_code(read.code.clone());
    let found = verify::findings(&unit, platform);
    let error = |(offset, what): (Option<u32>, String)| match offset.and_then(|at| read.place(at)) {
        Some(at) => ReadError { at, len: 0, what },
        None => ReadError {
            at: read.places[0].1,
            len: 0,
            what,
        },
    };
    let errors: Vec<ReadError> = found.into_iter().take(20).map(error).collect();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(report::listing(input, &errors)),
    }
}
