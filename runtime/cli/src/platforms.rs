//! Names of platforms on the command line, from [`kiln_platform::platform`].
//!
//! Each verb knows all names, in upper and lower case. For a platform that it cannot use, the error says what is known
//! of it; for an unknown name, which name may be meant.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use kiln_platform::errata::{self, Erratum, ROWS, Stepping};
use kiln_platform::platform::{self, Generation, Named, PLATFORMS, Platform, VISA_ONLY};

/// Minimum similarity of a suggested name, from 0 to 1 (Jaro-Winkler).
const MIN_SIMILARITY: f64 = 0.75;

/// Parses the name of a platform whose machine code is known.
#[derive(Clone)]
pub struct Machine;

/// Parses the name of a platform whose vISA is known.
#[derive(Clone)]
pub struct Visa;

impl TypedValueParser for Machine {
    type Value = &'static Platform;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<&'static Platform, Error> {
        named(command, value)?.platform.ok_or_else(|| {
            let what = only_visa(&value.to_string_lossy());
            command.clone().error(ErrorKind::InvalidValue, what)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(machines().map(value)))
    }
}

impl TypedValueParser for Visa {
    type Value = Generation;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Generation, Error> {
        Ok(named(command, value)?.generation)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(machines().chain(others()).map(value)))
    }
}

/// Each file with each platform of a command line, or once without one, where the file says its own.
pub fn turns<'a>(
    files: &'a [PathBuf],
    platforms: &[&'static Platform],
) -> Vec<(&'a PathBuf, Option<&'static Platform>)> {
    let known: Vec<Option<&'static Platform>> = match platforms {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    let all = files
        .iter()
        .flat_map(|file| known.iter().map(move |one| (file, *one)));
    all.collect()
}

fn named(command: &Command, value: &OsStr) -> Result<Named, Error> {
    let name = value.to_string_lossy();
    platform::named(&name).ok_or_else(|| {
        command
            .clone()
            .error(ErrorKind::InvalidValue, unknown(&name))
    })
}

#[derive(Debug, clap::Args)]
pub struct Revision {
    /// Revision of the platform, such as B0, whose errata count [default: the one that is sold]
    #[arg(long, value_name = "REVISION", value_parser = stepping)]
    stepping: Option<Stepping>,
    /// Erratum that the platform is taken not to have, such as Wa_1808850743: it shows what a workaround does
    #[arg(long, value_name = "NAME", value_parser = erratum)]
    without_erratum: Vec<Erratum>,
}

impl Revision {
    /// The platform in the revision, without the errata that are left out.
    pub fn of(&self, platform: &'static Platform) -> &'static Platform {
        let platform = self
            .stepping
            .map_or(platform, |stepping| platform.in_revision(stepping));
        let left_out = self.without_erratum.iter();
        platform.with(left_out.fold(platform.errata, |all, &erratum| all.without(erratum)))
    }
}

fn erratum(name: &str) -> Result<Erratum, String> {
    let unknown = || {
        let meant = alike(name, ROWS.iter().map(|row| row.name));
        let meant = meant.map_or(String::new(), |meant| format!(": is `{meant}` meant?"));
        format!("`{name}` is no erratum of `kiln platforms --errata`{meant}")
    };
    errata::named(name)
        .map(|row| row.erratum)
        .ok_or_else(unknown)
}

fn stepping(text: &str) -> Result<Stepping, String> {
    Stepping::parse(text).ok_or_else(|| format!("`{text}` is no revision: A0 to H9"))
}

/// Dialect of LLVM IR for GenX.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Variant {
    /// Kernels in !genx.kernels
    Document,
    /// Functions of the calling convention spir_kernel with "VCFunction"
    Carrier,
}

impl From<Variant> for kiln_genx::Variant {
    fn from(variant: Variant) -> kiln_genx::Variant {
        match variant {
            Variant::Document => kiln_genx::Variant::Document,
            Variant::Carrier => kiln_genx::Variant::Carrier,
        }
    }
}

/// The error for an unknown name.
pub fn unknown(name: &str) -> String {
    let list: Vec<&str> = machines().chain(others()).map(|(name, _)| name).collect();
    let list = list.join(", ");
    match meant(name) {
        Some(meant) => format!("`{name}` is no platform: is `{meant}` meant? All: {list}"),
        None => format!("`{name}` is no platform: {list}"),
    }
}

/// The error for a platform whose machine code is unknown.
pub fn only_visa(name: &str) -> String {
    let list: Vec<&str> = machines().map(|(name, _)| name).collect();
    let list = list.join(", ");
    format!("of `{name}` only the vISA is known, for `kiln check`; machine code is known of {list}")
}

/// The most similar name.
fn meant(name: &str) -> Option<&'static str> {
    let all = machines().chain(others());
    let names =
        all.flat_map(|(name, aliases)| std::iter::once(name).chain(aliases.iter().copied()));
    alike(&name.to_ascii_lowercase(), names)
}

/// The most similar of several words, if any is similar enough.
pub fn alike<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|other| (strsim::jaro_winkler(word, other), other))
        .filter(|(like, _)| *like > MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, other)| other)
}

fn machines() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    PLATFORMS.iter().map(|p| (p.name, p.aliases))
}

fn others() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    VISA_ONLY.iter().map(|(names, _)| (names[0], &names[1..]))
}

fn value((name, aliases): (&'static str, &'static [&'static str])) -> PossibleValue {
    PossibleValue::new(name).aliases(aliases.iter().copied())
}

/// A line for each platform: its name, its aliases, and the features it has.
pub fn table() -> String {
    let machine = |p: &Platform| {
        let does = if p.compiles {
            "compile, run, list"
        } else {
            "run, list"
        };
        (p.name, p.aliases, does)
    };
    let other = |(name, aliases)| (name, aliases, "check");
    let all = PLATFORMS.iter().map(machine).chain(others().map(other));
    all.map(|(name, aliases, does)| format!("  {name:<7}{:<28}{does}\n", aliases.join(" ")))
        .collect()
}
