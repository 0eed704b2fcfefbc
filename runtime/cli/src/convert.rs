//! `kiln convert`: converts vISA between text and binary, and LLVM IR and SPIR-V to vISA.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kiln_compile::source::{self, Reading};
use kiln_emit::platform::Platform;
use kiln_visa::verify::{Finding, Severity, verify};
use kiln_visa::{binary, print};
use miette::Report;

use super::exit::Exit;
use super::input::Input;
use super::output::{self, Outputs, is_standard};
use super::platforms::{Machine, Variant};
use super::report;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln convert examples/saxpy/saxpy.visaasm -o saxpy.isa
  kiln convert - -o - < examples/saxpy/saxpy.isa")]
pub struct Args {
    /// Binary or text vISA, or LLVM IR or SPIR-V for GenX, `-` for standard input
    input: PathBuf,
    /// File to write, `-` for standard output: binary if its name ends in .isa, text if in .visaasm
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Output format [default: by the extension of -o; on standard output, the other format]
    #[arg(long, value_name = "FORM")]
    to: Option<Form>,
    /// Platform that LLVM IR is compiled for
    #[arg(short, long, default_value = "skl", value_parser = Machine)]
    platform: &'static Platform,
    /// Form of the LLVM IR [default: detected]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<Variant>,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was written.
pub fn convert(args: &Args) -> Result<Exit, Report> {
    let output = &args.output;
    let named = form(output);
    if let (None, None, false) = (args.to, &named, is_standard(output)) {
        return Err(report::usage(format_args!(
            "{}: a name that ends in .isa or .visaasm is expected, or --to",
            report::name(output)
        )));
    }
    let input = Input::open(&args.input)?;
    let form = args.to.or(named).unwrap_or(match source::form(&input) {
        Ok(source::Form::Text(_)) => Form::Isa,
        Ok(source::Form::Binary | source::Form::Genx(_)) | Err(_) => Form::Visaasm,
    });
    let how = Reading {
        variant: args.variant.map(Variant::into),
        ..Reading::new(args.platform)
    };
    let read = source::read(&input, &how).map_err(|e| report::input(&input, &e))?;
    for warning in &read.warnings {
        output::say(&report::genx_warning(&input, warning));
    }
    let module = read.module;
    let error = |finding: &&Finding| finding.severity() == Severity::Error;
    if let Some(finding) = verify(&module).iter().find(error) {
        return Err(report::finding(&input, &module, finding));
    }
    let bytes = match form {
        Form::Isa => binary::write(&module).map_err(|e| report::file(&input.path, &e))?,
        Form::Visaasm => print::print(&module).into_bytes(),
    };
    let mut outputs = Outputs::new([args.input.as_path()]);
    outputs.add(output, bytes)?;
    outputs.write()?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Binary
    Isa,
    /// Text
    Visaasm,
}

/// The format for a file name's extension.
fn form(output: &Path) -> Option<Form> {
    match output.extension()?.to_str()? {
        "isa" => Some(Form::Isa),
        "visaasm" => Some(Form::Visaasm),
        _ => None,
    }
}
