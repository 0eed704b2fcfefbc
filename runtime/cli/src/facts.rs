//! `kiln platforms`: every fact that code asks for, by platform and by encoding family.

use std::collections::BTreeMap;
use std::fmt::Write;

use kiln_platform::facts::Table;
use kiln_platform::platform::{self, Platform};
use kiln_platform::rules;
use miette::Report;
use serde::Serialize;
use serde_json::Value;

use super::Format;
use super::exit::Exit;
use super::output::Outputs;
use super::platforms::Machine;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln platforms
  kiln platforms -p bmg --format json")]
pub struct Args {
    /// Only this platform, and the rules of its family
    #[arg(short, long, value_parser = Machine, hide_possible_values = true)]
    platform: Option<&'static Platform>,
}

/// Values of each fact, by platform and by family.
#[derive(Serialize)]
struct Facts {
    platforms: BTreeMap<&'static str, BTreeMap<&'static str, Value>>,
    families: BTreeMap<&'static str, BTreeMap<&'static str, Value>>,
}

/// Prints the facts.
///
/// # Errors
/// Standard output cannot be written.
pub fn facts(args: &Args, format: Format) -> Result<Exit, Report> {
    let (mut platforms, mut families) = (platform::table(), rules::table());
    if let Some(only) = args.platform {
        platforms.columns.retain(|(name, _)| *name == only.name);
        let family = only.family.name();
        families.columns.retain(|(name, _)| *name == family);
    }
    let facts = Facts {
        platforms: values(&platforms),
        families: values(&families),
    };
    let mut outputs = Outputs::default();
    outputs.report(format, &facts, || {
        format!("{}\n{}", text(&platforms), text(&families))
    })?;
    outputs.write()?;
    Ok(Exit::Done)
}

/// The columns of a table. Numbers and truth values stay what they are, other values are text.
fn values(table: &Table) -> BTreeMap<&'static str, BTreeMap<&'static str, Value>> {
    let value = |text: &String| serde_json::from_str(text).unwrap_or(Value::String(text.clone()));
    let names = || table.facts.iter().map(|fact| fact.name);
    let columns = table.columns.iter();
    columns
        .map(|(key, texts)| (*key, names().zip(texts.iter().map(value)).collect()))
        .collect()
}

/// A line for each fact and each run of keys with the same value.
fn text(table: &Table) -> String {
    let width = table.facts.iter().map(|fact| fact.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for (number, fact) in table.facts.iter().enumerate() {
        let mut name = fact.name;
        for (first, last, value) in table.runs(number) {
            let keys = match first == last {
                true => first.to_string(),
                false => format!("{first}..{last}"),
            };
            let _ = writeln!(text, "{name:width$}  {keys:15}  {value}");
            name = "";
        }
    }
    text
}
