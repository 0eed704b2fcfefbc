//! `kiln passes`: the lists of passes over LLVM IR and vISA, in the order in which they run, and the attempts to run each.

use std::fmt::Write;

use kiln_compile::attempt::ATTEMPTS;
use kiln_compile::passes;
use miette::Report;
use serde::Serialize;

use super::Format;
use super::exit::Exit;
use super::output::Outputs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln passes
  kiln compile examples/saxpy/saxpy.visaasm -p skl --without schedule --emit asm -o -")]
pub struct Args {}

/// The rules that the verifier of LLVM IR demands after each pass over it.
const GENX_VERIFIER: &str = "LLVM IR";

#[derive(Serialize)]
struct List {
    passes: Vec<Row>,
    genx_attempts: Vec<&'static str>,
    attempts: Vec<&'static str>,
}

/// A pass, the form of the code after it, the rules that its verifier demands there, and whether it is optional.
#[derive(Serialize)]
struct Row {
    name: String,
    level: String,
    verifier: &'static str,
    optional: bool,
}

/// Prints the list.
///
/// # Errors
/// Standard output cannot be written.
pub fn passes(_: &Args, format: Format) -> Result<Exit, Report> {
    let genx = kiln_genx::passes::PASSES.iter().map(|pass| Row {
        name: format!("genx:{}", pass.name),
        level: "genx".to_string(),
        verifier: GENX_VERIFIER,
        optional: false,
    });
    let passes = passes::list().map(|pass| Row {
        name: pass.name.to_string(),
        level: format!("{:?}", pass.level).to_lowercase(),
        verifier: pass.level.verifier(),
        optional: pass.is_optional,
    });
    let genx_attempts = kiln_genx::attempt::ATTEMPTS.iter();
    let list = List {
        passes: genx.chain(passes).collect(),
        genx_attempts: genx_attempts.map(|attempt| attempt.name).collect(),
        attempts: ATTEMPTS.iter().map(|attempt| attempt.name).collect(),
    };
    let mut outputs = Outputs::default();
    outputs.report(format, &list, || list.text())?;
    outputs.write()?;
    Ok(Exit::Done)
}

impl List {
    fn text(&self) -> String {
        let width = self
            .passes
            .iter()
            .map(|row| row.name.len())
            .max()
            .unwrap_or(0);
        let mut text = format!("{:width$}  optional  {:9}  verified\n", "pass", "level");
        for Row {
            name,
            level,
            verifier,
            optional,
        } in &self.passes
        {
            let optional = if *optional { "yes" } else { "" };
            let _ = writeln!(text, "{name:width$}  {optional:8}  {level:9}  {verifier}");
        }
        let _ = writeln!(text, "\ngenx attempts: {}", self.genx_attempts.join("; "));
        let _ = writeln!(text, "attempts: {}", self.attempts.join("; "));
        text
    }
}
