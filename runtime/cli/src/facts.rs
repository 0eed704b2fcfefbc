//! `kiln platforms`: every fact that code asks for, by platform and by encoding family.

use std::collections::BTreeMap;
use std::fmt::Write;

use kiln_platform::errata::{ROWS, Row, Status, platforms_of};
use kiln_platform::facts::Table;
use kiln_platform::platform::{self, PLATFORMS, Platform};
use kiln_platform::products::PRODUCTS;
use kiln_platform::rules;
use miette::Report;
use serde::Serialize;
use serde_json::Value;

use super::Format;
use super::exit::Exit;
use super::output::Outputs;
use super::platforms::{Machine, Revision};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln platforms
  kiln platforms -p bmg --format json
  kiln platforms --errata -p dg2 --stepping A0")]
pub struct Args {
    /// Only this platform, and the rules of its family
    #[arg(value_parser = Machine, hide_possible_values = true)]
    name: Option<&'static Platform>,
    /// Another way to name it
    #[arg(short, long, value_parser = Machine, hide_possible_values = true, conflicts_with = "name")]
    platform: Option<&'static Platform>,
    /// The errata, and what is done about them, instead
    #[arg(long)]
    errata: bool,
    #[command(flatten)]
    revision: Revision,
}

impl Args {
    fn only(&self) -> Option<&'static Platform> {
        self.name.or(self.platform)
    }
}

/// An erratum of a platform, or of all.
#[derive(Serialize)]
struct Erratum {
    name: &'static str,
    platforms: String,
    /// The revision, and whether it has the erratum; only with a platform.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    revision: Option<OfRevision>,
    code: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<&'static str>,
    status: Fate,
}

/// A revision, and whether it has an erratum.
#[derive(Serialize)]
struct OfRevision {
    revision: String,
    has: bool,
}

/// Treatment of an erratum.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Fate {
    Made {
        pass: &'static str,
        check: &'static str,
    },
    NotNeeded {
        reason: &'static str,
        check: &'static str,
    },
    Refused {
        reason: &'static str,
    },
}

/// A platform by its names, and what is done for it.
#[derive(Serialize)]
struct Said {
    name: &'static str,
    family: &'static str,
    names: Vec<String>,
    sold_as: &'static [&'static str],
    /// True if vISA is compiled for it; its machine code is listed, assembled, checked and run in any case.
    compiles: bool,
}

impl Said {
    fn of(platform: &Platform) -> Said {
        let row = PRODUCTS.iter().find(|row| row.platform == platform.name);
        let own = platform.aliases.iter().map(ToString::to_string);
        let said = row
            .into_iter()
            .flat_map(|row| row.names)
            .map(ToString::to_string);
        let numbers = row.into_iter().flat_map(|row| row.numbers);
        let numbers = numbers.map(|(version, release)| format!("{version}.{release}"));
        Said {
            name: platform.name,
            family: platform.family.name(),
            names: own.chain(said).chain(numbers).collect(),
            sold_as: row.map_or(&[], |row| row.sold_as),
            compiles: platform.compiles,
        }
    }

    /// The lines of a platform.
    fn text(&self) -> String {
        let Said { name, family, .. } = self;
        let does = match self.compiles {
            true => "compile, run, list, assemble, verify",
            false => "run, list, assemble, verify",
        };
        let mut text = format!("{name} ({family}): {does}\n  {}\n", self.names.join(", "));
        if !self.sold_as.is_empty() {
            text += &format!("  sold as {}\n", self.sold_as.join(", "));
        }
        text
    }
}

/// Values of each fact, by platform and by family.
#[derive(Serialize)]
struct Facts {
    names: Vec<Said>,
    platforms: BTreeMap<&'static str, BTreeMap<&'static str, Value>>,
    families: BTreeMap<&'static str, BTreeMap<&'static str, Value>>,
}

/// Prints the facts.
///
/// # Errors
/// Standard output cannot be written.
pub fn facts(args: &Args, format: Format) -> Result<Exit, Report> {
    if args.errata {
        let only = args.only().map(|platform| args.revision.of(platform));
        return errata(only, format);
    }
    let (mut platforms, mut families) = (platform::table(), rules::table());
    if let Some(only) = args.only() {
        platforms.columns.retain(|(name, _)| *name == only.name);
        let family = only.family.name();
        families.columns.retain(|(name, _)| *name == family);
    }
    let shown = PLATFORMS
        .iter()
        .filter(|p| args.only().is_none_or(|only| only.name == p.name));
    let facts = Facts {
        names: shown.map(Said::of).collect(),
        platforms: values(&platforms),
        families: values(&families),
    };
    let mut outputs = Outputs::default();
    outputs.report(format, &facts, || {
        let names: String = facts.names.iter().map(Said::text).collect();
        format!("{names}\n{}\n{}", text(&platforms), text(&families))
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

fn errata(only: Option<&'static Platform>, format: Format) -> Result<Exit, Report> {
    let rows = ROWS.iter();
    let rows = rows.filter(|row| only.is_none_or(|platform| row.is_of(platform.model)));
    let errata: Vec<Erratum> = rows.map(|row| erratum(row, only)).collect();
    let mut outputs = Outputs::default();
    outputs.report(format, &errata, || {
        errata.iter().map(Erratum::text).collect::<String>()
    })?;
    outputs.write()?;
    Ok(Exit::Done)
}

fn erratum(row: &Row, only: Option<&Platform>) -> Erratum {
    Erratum {
        name: row.name,
        platforms: platforms_of(row),
        revision: only.map(|platform| OfRevision {
            revision: platform.errata.stepping().to_string(),
            has: platform.needs(row.erratum),
        }),
        code: row.must,
        source: row.source,
        option: row.switch.map(|switch| switch.option),
        driver: row.switch.map(|switch| switch.driver),
        status: match row.status {
            Status::Made { pass, check } => Fate::Made { pass, check },
            Status::NotNeeded { reason, check } => Fate::NotNeeded { reason, check },
            Status::Refused { reason } => Fate::Refused { reason },
        },
    }
}

impl Erratum {
    fn text(&self) -> String {
        let mut text = format!("{}  {}\n", self.name, self.platforms);
        if let Some(of) = self.revision.as_ref().filter(|of| !of.has) {
            let _ = writeln!(text, "    not in revision {}", of.revision);
        }
        let _ = writeln!(text, "    code {}", self.code);
        let _ = writeln!(text, "    source: {}", self.source);
        if let (Some(option), Some(driver)) = (self.option, self.driver) {
            let _ = writeln!(text, "    {option}: {driver}");
        }
        let status = match &self.status {
            Fate::Made { pass, check } => format!("made: {pass}, seen by {check}"),
            Fate::NotNeeded { reason, check } => format!("not needed: {reason} ({check})"),
            Fate::Refused { reason } => format!("refused: {reason}"),
        };
        let _ = writeln!(text, "    {status}");
        text
    }
}
