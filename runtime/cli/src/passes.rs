//! `kiln passes`: the lists of passes over LLVM IR and vISA, in the order in which they run, and the attempts to run each.

use std::fmt::Write;

use kiln_compile::attempt::ATTEMPTS;
use kiln_compile::passes::PASSES;
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

#[derive(Serialize)]
struct List {
    passes: Vec<Row>,
    genx_attempts: Vec<&'static str>,
    attempts: Vec<&'static str>,
}

/// A pass, the form of the code after it, and whether it is optional.
#[derive(Serialize)]
struct Row {
    name: String,
    level: String,
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
        optional: false,
    });
    let passes = PASSES.iter().map(|pass| Row {
        name: pass.name.to_string(),
        level: format!("{:?}", pass.level).to_lowercase(),
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
        let mut text = format!("{:width$}  {:9}  optional\n", "pass", "verified");
        for Row {
            name,
            level,
            optional,
        } in &self.passes
        {
            let optional = if *optional { "yes" } else { "" };
            let line = format!("{name:width$}  {level:9}  {optional}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let _ = writeln!(text, "\ngenx attempts: {}", self.genx_attempts.join("; "));
        let _ = writeln!(text, "attempts: {}", self.attempts.join("; "));
        text
    }
}
