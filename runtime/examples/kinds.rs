//! Which kinds of instructions the executor is shown to execute right, and which not.
//!
//! `kinds` looks at the list that the project keeps, `kinds DIR` at the machine code (`.dat`) in a
//! directory; `kinds DIR --list` prints the kinds found there as the list has them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;

#[path = "../tests/ops/compare.rs"]
mod compare;
#[path = "../tests/ops/compute.rs"]
mod compute;
#[path = "../tests/ops/coverage.rs"]
mod coverage;
#[path = "../tests/ops/elements.rs"]
mod elements;
#[path = "../tests/ops/exact.rs"]
mod exact;
#[path = "../tests/ops/flow.rs"]
mod flow;
#[path = "../tests/ops/instance.rs"]
mod instance;
#[path = "../tests/ops/kind.rs"]
mod kind;
#[path = "../tests/ops/messages.rs"]
mod messages;
#[path = "../tests/ops/model.rs"]
mod model;
#[path = "../tests/ops/random.rs"]
mod random;
#[path = "../tests/ops/real.rs"]
mod real;

/// How often each kind is found in a directory's machine code, by name.
fn found(dir: &Path) -> Result<BTreeMap<String, (Inst, u64)>, Box<dyn Error>> {
    let mut kinds = BTreeMap::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "dat") {
            continue;
        }
        let code = std::fs::read(&path)?;
        for entry in entries(&code, coverage::skl()) {
            let inst = entry.inst.map_err(|e| format!("{}: {e}", path.display()))?;
            let kind = kind::kind(&inst);
            kinds.entry(kind.to_string()).or_insert((kind, 0)).1 += 1;
        }
    }
    Ok(kinds)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let kinds = match args.next() {
        Some(dir) => found(Path::new(&dir))?,
        None => {
            let listed = coverage::listed()?.into_iter();
            listed.map(|k| (k.to_string(), (k, 1))).collect()
        }
    };
    if args.next().is_some_and(|a| a == "--list") {
        for (kind, _) in kinds.values() {
            println!("{}", coverage::line(kind)?);
        }
        return Ok(());
    }
    let executed = coverage::executed()?;
    for failure in &executed.failures {
        println!("FAILS: {failure}");
    }
    let mut by = BTreeMap::new();
    let mut uncovered = 0;
    for (name, (kind, count)) in &kinds {
        match coverage::cover(kind, &executed) {
            Ok(how) => {
                *by.entry(how).or_insert(0) += 1;
                println!("{how:7} {count:8}  {name}");
            }
            Err(why) => {
                uncovered += 1;
                println!("NOT COVERED: {why}\n        {count:8}  {name}");
            }
        }
    }
    let by: Vec<_> = by.iter().map(|(how, n)| format!("{n} by {how}")).collect();
    let by = by.join(", ");
    println!("{} kinds: {by}; {uncovered} not covered", kinds.len());
    if uncovered > 0 || !executed.failures.is_empty() {
        return Err("some kinds are not covered, or programs fail".into());
    }
    Ok(())
}
