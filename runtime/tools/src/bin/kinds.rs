//! Coverage of kinds of instructions: which ones the executor is shown to execute right.
//!
//! `kinds [CORPUS] [-p PLATFORM] [--all]` takes the kinds in the machine code of the project's object files, of all
//! platforms or of one, and the kinds of real programs: those that the project lists, or those in CORPUS/PLATFORM
//! (`.dat`). It prints the uncovered kinds; with `--all`, every kind with its evidence; with `--list`, the kinds that
//! no object file has, in the form of the lists in `tests/ops/kinds`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use coverage::Kinds;
use kiln_emit::platform::{self, Platform};

#[path = "../../../exec/tests/ops/compare.rs"]
mod compare;
#[path = "../../../exec/tests/ops/compute.rs"]
mod compute;
#[path = "../../../exec/tests/ops/coverage.rs"]
mod coverage;
#[path = "../../../exec/tests/ops/elements.rs"]
mod elements;
#[path = "../../../exec/tests/ops/evidence.rs"]
mod evidence;
#[path = "../../../exec/tests/ops/exact.rs"]
mod exact;
#[path = "../../../exec/tests/ops/flow.rs"]
mod flow;
#[path = "../../../exec/tests/ops/instance.rs"]
mod instance;
#[path = "../../../exec/tests/ops/kind.rs"]
mod kind;
#[path = "../../../exec/tests/ops/messages.rs"]
mod messages;
#[path = "../../../exec/tests/ops/model.rs"]
mod model;
#[path = "../../../exec/tests/ops/random.rs"]
mod random;
#[path = "../../../exec/tests/ops/real.rs"]
mod real;

/// The kinds in the machine code (`.dat`) of a directory.
fn found(dir: &Path, platform: &'static Platform) -> Result<Kinds, Box<dyn Error>> {
    let mut kinds = Kinds::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "dat") {
            let code = std::fs::read(&path)?;
            coverage::add(&mut kinds, &code, platform)
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(kinds)
}

/// The kinds to be covered on a platform, and their sources.
fn asked(
    corpus: Option<&Path>,
    platform: &'static Platform,
) -> Result<(Kinds, String), Box<dyn Error>> {
    let mut kinds = coverage::of_object_files(platform)?;
    let dir = corpus.map(|corpus| corpus.join(platform.name));
    let from = match dir.filter(|dir| dir.exists()) {
        Some(dir) => {
            for (name, (kind, count)) in found(&dir, platform)? {
                kinds.entry(name).or_insert((kind, 0)).1 += count;
            }
            format!("object files and {}", dir.display())
        }
        None => {
            let listed = coverage::listed(platform)?;
            let from = match listed.len() {
                0 => "object files".to_string(),
                n => format!("object files and the list of {n} kinds"),
            };
            for kind in listed {
                let name = kind::name(&kind, platform);
                kinds.entry(name).or_insert((kind, 1));
            }
            from
        }
    };
    Ok((kinds, from))
}

/// Prints the evidence for each kind; returns the number of kinds without any.
fn report(
    kinds: &Kinds,
    platform: &'static Platform,
    from: &str,
    all: bool,
) -> Result<usize, Box<dyn Error>> {
    let executed = evidence::executed(platform)?;
    for failure in &executed.failures {
        println!("FAILS: {failure}");
    }
    let mut by = BTreeMap::new();
    let mut uncovered = 0;
    for (name, (kind, count)) in kinds {
        match evidence::cover(kind, platform, &executed) {
            Ok(how) => {
                *by.entry(how).or_insert(0) += 1;
                if all {
                    println!("{how:7} {count:8}  {name}");
                }
            }
            Err(why) => {
                uncovered += 1;
                println!("NOT COVERED: {why}\n        {count:8}  {name}");
            }
        }
    }
    let by: Vec<_> = by.iter().map(|(how, n)| format!("{n} by {how}")).collect();
    println!(
        "{}: {} kinds ({from}): {}; {uncovered} not covered",
        platform.name,
        kinds.len(),
        by.join(", ")
    );
    Ok(uncovered + executed.failures.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut corpus, mut platforms, mut list, mut all) = (None, Vec::new(), false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--list" => list = true,
            "--all" => all = true,
            "-p" => platforms.extend(args.next()),
            dir => corpus = Some(PathBuf::from(dir)),
        }
    }
    if platforms.is_empty() {
        platforms = coverage::platforms().map(|p| p.name.to_string()).collect();
    }
    if corpus.is_none() {
        println!("without a corpus: the project's object files, and its lists of a corpus's kinds");
    }
    let mut missing = 0;
    for name in platforms {
        let platform = platform::find(&name).ok_or_else(|| format!("{name}: no platform"))?;
        let (kinds, from) = asked(corpus.as_deref(), platform)?;
        if list {
            let own = coverage::of_object_files(platform)?;
            for (name, (kind, _)) in &kinds {
                if !own.contains_key(name) {
                    println!("{}", evidence::line(kind, platform)?);
                }
            }
            continue;
        }
        missing += report(&kinds, platform, &from, all)?;
    }
    match missing {
        0 => Ok(()),
        _ => Err("some kinds are not covered, or programs fail".into()),
    }
}
