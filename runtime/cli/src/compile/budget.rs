//! Budgets of kernels: limits on figures, which a build must keep.
//!
//! A kernel over its budget is an error, and its module is not written. The error names the values that cost most, or the
//! most expensive blocks, with their places in the source.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kiln_compile::Compiled;
use kiln_compile::pressure::{Profile, Stored};
use kiln_emit::cost::{self, Weights};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use miette::Report;
use serde::Deserialize;

use crate::cost::Figures;
use crate::input::Input;
use crate::report;

#[derive(Debug, Default, clap::Args)]
pub struct BudgetArgs {
    /// Fail if a kernel has more bytes of spill slots
    #[arg(long, value_name = "BYTES")]
    max_spill_bytes: Option<u64>,
    /// Fail if a kernel has more estimated cycles
    #[arg(long, value_name = "CYCLES")]
    max_cycles: Option<u64>,
    /// Limits of all kernels and of some, in YAML (docs/guide-offline.md)
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
}

/// Limits of a kernel.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    spill_bytes: Option<u64>,
    cycles: Option<u64>,
    instructions: Option<u64>,
    bytes: Option<u64>,
}

/// A file of limits.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    all: Limits,
    #[serde(default)]
    kernels: BTreeMap<String, Limits>,
}

/// The limits of a command line.
#[derive(Debug, Default)]
pub struct Budget {
    /// Limits that hold whatever the file says.
    given: Limits,
    file: File,
}

impl BudgetArgs {
    /// True if there is a limit.
    pub fn is_some(&self) -> bool {
        self.max_spill_bytes.is_some() || self.max_cycles.is_some() || self.budget.is_some()
    }

    /// The file with limits.
    pub fn file(&self) -> Option<&Path> {
        self.budget.as_deref()
    }

    /// Reads the limits.
    ///
    /// # Errors
    /// The file cannot be read, or is no budget.
    pub fn read(&self) -> Result<Budget, Report> {
        let file = match &self.budget {
            Some(path) => {
                let input = Input::open(path)?;
                kiln_emit::yaml::check(&input).map_err(|e| report::file(path, &e))?;
                serde_norway::from_slice(&input).map_err(|e| report::file(path, &e))?
            }
            None => File::default(),
        };
        Ok(Budget {
            given: Limits {
                spill_bytes: self.max_spill_bytes,
                cycles: self.max_cycles,
                ..Limits::default()
            },
            file,
        })
    }
}

/// Blocks and values in an error.
const SHOWN: usize = 5;

impl Budget {
    /// An error for each figure of a kernel that is over its budget.
    pub fn check(
        &self,
        input: &str,
        kernel: &Compiled,
        platform: &'static Platform,
    ) -> Vec<Report> {
        let own = self
            .file
            .kernels
            .get(&kernel.name)
            .copied()
            .unwrap_or_default();
        let limit = |of: fn(&Limits) -> Option<u64>| {
            let file = of(&own).or_else(|| of(&self.file.all));
            of(&self.given).into_iter().chain(file).min()
        };
        let figures = Figures::of(&kernel.code, platform);
        let rows: [(&str, f64, Option<u64>); 4] = [
            (
                "bytes of spill slots",
                kernel.allocation.spill_bytes.into(),
                limit(|l| l.spill_bytes),
            ),
            ("estimated cycles", figures.cycles, limit(|l| l.cycles)),
            (
                "instructions",
                kernel.instructions as f64,
                limit(|l| l.instructions),
            ),
            (
                "bytes of code",
                kernel.code.len() as f64,
                limit(|l| l.bytes),
            ),
        ];
        let over = rows
            .into_iter()
            .filter(|(_, found, limit)| limit.is_some_and(|l| *found > l as f64));
        let error = |(what, found, limit): (&str, f64, Option<u64>)| {
            let name = &kernel.name;
            let limit = limit.unwrap_or_default();
            let said =
                format!("{input}: {name}: {found:.0} {what}, more than the {limit} of its budget");
            let help = match what {
                "bytes of spill slots" => values(kernel),
                _ => blocks(kernel, platform),
            };
            report::over_budget(&said, &help)
        };
        over.map(error).collect()
    }
}

/// The spill slots that cost most, with the places of their first and last messages.
fn values(kernel: &Compiled) -> String {
    let all = kernel.profiles.iter();
    let mut slots: Vec<(&Profile, &Stored)> = all
        .flat_map(|p| p.stored.iter().map(move |slot| (p, slot)))
        .collect();
    slots.sort_by_key(|(_, slot)| std::cmp::Reverse(slot.cost));
    let mut text = String::from("the values that cost most:");
    for (profile, slot) in slots.iter().take(SHOWN) {
        let place = |point: usize| {
            profile.points.get(point).map_or_else(String::new, |point| {
                let source = point.source.map(|(file, line)| {
                    let file = profile.files.get(file as usize).map_or("", String::as_str);
                    format!(", {file}:{line}")
                });
                let visa = point
                    .visa
                    .map_or_else(|| "-".to_string(), |visa| visa.to_string());
                format!("instruction {visa}{}", source.unwrap_or_default())
            })
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n{}: {} GRFs, {} stores and {} loads of cost {}, from {} to {}",
            slot.variables.join(", "),
            slot.grfs,
            slot.stores,
            slot.loads,
            slot.cost,
            place(slot.first),
            place(slot.last)
        );
    }
    text
}

/// The most expensive blocks, with the place of their first instruction.
fn blocks(kernel: &Compiled, platform: &'static Platform) -> String {
    let insts = listing::insts(&kernel.code, platform);
    let offsets: Vec<u32> = (insts.iter())
        .scan(0, |at, inst| Some(std::mem::replace(at, *at + inst.size())))
        .collect();
    let mut blocks = cost::estimate(&insts, platform, Weights::Loops).blocks;
    blocks.sort_by(|a, b| {
        let of = |block: &cost::Block| block.weight * block.cycles.sum();
        of(b).total_cmp(&of(a)).then(a.first.cmp(&b.first))
    });
    let mut text = String::from("the blocks that cost most:");
    for block in blocks.iter().take(SHOWN) {
        let offset = offsets.get(block.first).copied().unwrap_or_default();
        let lines = &kernel.lines.lines;
        let row = lines
            .partition_point(|line| line.offset <= offset)
            .checked_sub(1);
        let row = row.map(|row| &lines[row]);
        let visa = row
            .and_then(|row| row.visa)
            .map_or_else(|| "-".to_string(), |visa| visa.to_string());
        let source = row
            .and_then(|row| row.source)
            .map_or_else(String::new, |source| {
                format!(
                    ", {}:{}",
                    kernel.lines.file(source).unwrap_or_default(),
                    source.line
                )
            });
        let _ = write!(
            text,
            "\nbyte {offset}, instruction {visa}{source}: {:.0} cycles, {} instructions in {} loops",
            block.weight * block.cycles.sum(),
            block.instructions,
            block.loops
        );
    }
    text
}
