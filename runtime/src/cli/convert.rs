//! `kiln convert`: vISA from one of its forms to the other.

use std::path::{Path, PathBuf};

use kiln_frontend::verify::{Finding, Severity, verify};
use kiln_frontend::{binary, print};
use kiln_runtime::source;
use miette::{Report, miette};

use super::input::Input;
use super::output::Outputs;
use super::report;

/// Write vISA in its other form
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Binary or text vISA, `-` for standard input
    input: PathBuf,
    /// File to write: binary if it ends in .isa, text if in .visaasm
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Why nothing was written.
pub fn convert(args: &Args) -> Result<(), Report> {
    let output = &args.output;
    let form = form(output).ok_or_else(|| {
        miette!(
            "{}: a name that ends in .isa or .visaasm is expected",
            report::name(output)
        )
    })?;
    let input = Input::open(&args.input)?;
    let module = source::read(&input).map_err(|e| report::input(&input, &e))?;
    let error = |finding: &&Finding| finding.severity() == Severity::Error;
    if let Some(finding) = verify(&module).iter().find(error) {
        return Err(report::finding(&input, &module, finding));
    }
    let bytes = match form {
        Form::Binary => binary::write(&module).map_err(|e| report::file(&input.path, &e))?,
        Form::Text => print::print(&module).into_bytes(),
    };
    let mut outputs = Outputs::new([args.input.as_path()]);
    outputs.add(output, bytes)?;
    outputs.write()
}

enum Form {
    Binary,
    Text,
}

/// The form that a file's name asks for.
fn form(output: &Path) -> Option<Form> {
    match output.extension()?.to_str()? {
        "isa" => Some(Form::Binary),
        "visaasm" => Some(Form::Text),
        _ => None,
    }
}
