//! Errata of the machines and the rules that their code must keep, one row each.
//!
//! [`ROWS`] says where an erratum is, from which source it is known, what code must do and who does it. [`UPSTREAM`]
//! goes through the public lists name by name, so that none is forgotten; [`page`] is docs/errata.md. A pass asks `platform.needs(Erratum::X)`: the
//! bits of a platform and stepping are made from the rows once, when this crate is compiled.

mod page;
mod rows;
mod upstream;

pub use page::{page, platforms_of};
pub use rows::{Erratum, ROWS};
pub use upstream::{Class, Fate, List, UPSTREAM};

use crate::platform::Model;

/// A revision of a chip, such as A0 or B1; later revisions are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stepping(u8);

impl Stepping {
    pub const A0: Self = Self(0x00);
    pub const B0: Self = Self(0x10);
    pub const C0: Self = Self(0x20);
    pub const D0: Self = Self(0x30);
    pub const H0: Self = Self(0x70);
    /// Later than any revision.
    const NEVER: Self = Self(0xff);

    /// Reads a letter with or without a digit, in either case (`B0`, `b`); none if it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let (letter, digit) = match text.as_bytes() {
            [letter] => (letter, b'0'),
            [letter, digit] => (letter, *digit),
            _ => return None,
        };
        let letter = letter.to_ascii_uppercase();
        let known = (b'A'..=b'H').contains(&letter) && digit.is_ascii_digit();
        known.then(|| Self((letter - b'A') << 4 | (digit - b'0')))
    }
}

impl std::fmt::Display for Stepping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = char::from(b'A' + (self.0 >> 4));
        write!(f, "{letter}{}", self.0 & 15)
    }
}

/// The row of an erratum's name, in upper or lower case.
pub fn named(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The revisions of a platform that have an erratum: from one up to another, without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    pub platform: Model,
    pub from: Stepping,
    until: Stepping,
}

impl Affected {
    /// The first revision without the erratum; none if all have it.
    pub fn until(&self) -> Option<Stepping> {
        (self.until != Stepping::NEVER).then_some(self.until)
    }

    const fn includes(&self, platform: Model, stepping: Stepping) -> bool {
        let in_time = self.from.0 <= stepping.0 && stepping.0 < self.until.0;
        in_time && self.platform as u8 == platform as u8
    }
}

/// All revisions of platforms.
const fn all<const N: usize>(platforms: [Model; N]) -> [Affected; N] {
    let mut affected = [between(Model::Skl, Stepping::A0, Stepping::NEVER); N];
    let mut at = 0;
    while at < N {
        affected[at].platform = platforms[at];
        at += 1;
    }
    affected
}

/// The revisions of a platform from one up to another, without it.
const fn between(platform: Model, from: Stepping, until: Stepping) -> Affected {
    Affected {
        platform,
        from,
        until,
    }
}

/// Treatment of an erratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Code is made for it.
    Made {
        /// Path of the pass in the project.
        pass: &'static str,
        /// Path of the check of finished code in the project.
        check: &'static str,
    },
    /// Code never has what it is about.
    NotNeeded {
        reason: &'static str,
        /// Path of the check or the test that says so.
        check: &'static str,
    },
    /// Deliberately not made.
    Refused { reason: &'static str },
}

/// The option of the reference finalizer that turns a workaround on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    pub option: &'static str,
    /// Decision of the driver when it compiles for OpenCL.
    pub driver: &'static str,
}

/// An erratum or rule.
#[derive(Debug)]
pub struct Row {
    pub erratum: Erratum,
    /// Public identifier: a workaround's number or name, or the reference's name of the fact.
    pub name: &'static str,
    pub affected: &'static [Affected],
    /// File and function, or manual.
    pub source: &'static str,
    /// Duty of code on an affected platform.
    pub must: &'static str,
    pub switch: Option<Switch>,
    pub status: Status,
}

impl Row {
    /// True if some revision of the platform has it.
    pub fn is_of(&self, platform: Model) -> bool {
        self.affected.iter().any(|one| one.platform == platform)
    }
}

/// A platform's revision and its errata.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errata {
    stepping: Stepping,
    /// A bit for each erratum, by its number.
    bits: u128,
}

impl Errata {
    /// Errata of a platform's revision.
    pub const fn of(platform: Model, stepping: Stepping) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < ROWS.len() {
            let row = &ROWS[at];
            let mut one = 0;
            while one < row.affected.len() {
                if row.affected[one].includes(platform, stepping) {
                    bits |= 1 << row.erratum as u32;
                }
                one += 1;
            }
            at += 1;
        }
        Self { stepping, bits }
    }

    /// All of these but one.
    pub const fn without(self, erratum: Erratum) -> Self {
        Errata {
            bits: self.bits & !(1 << erratum as u32),
            ..self
        }
    }

    pub const fn has(self, erratum: Erratum) -> bool {
        self.bits >> erratum as u32 & 1 == 1
    }

    pub const fn stepping(self) -> Stepping {
        self.stepping
    }

    /// A bit for each erratum, by its number.
    pub const fn bits(self) -> u128 {
        self.bits
    }
}

/// The revision, which has the errata.
impl std::fmt::Debug for Errata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.stepping)
    }
}

#[cfg(test)]
#[path = "tests/errata.rs"]
mod tests;
