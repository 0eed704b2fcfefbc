//! `kiln passes`: the list of passes, in the order in which they run, and the attempts to run it.

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
    attempts: Vec<&'static str>,
}

/// A pass, the form of the code after it, and whether it is optional.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    level: String,
    optional: bool,
}

/// Prints the list.
///
/// # Errors
/// Standard output cannot be written.
pub fn passes(_: &Args, format: Format) -> Result<Exit, Report> {
    let passes = PASSES.iter().map(|pass| Row {
        name: pass.name,
        level: format!("{:?}", pass.level).to_lowercase(),
        optional: pass.is_optional,
    });
    let list = List {
        passes: passes.collect(),
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
        let _ = writeln!(text, "\nattempts: {}", self.attempts.join("; "));
        text
    }
}
