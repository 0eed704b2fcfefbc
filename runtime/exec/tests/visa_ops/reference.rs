//! Results of the random cases in machine code of the reference finalizer.
//!
//! `reference.txt` has a hash of the results of its code for some cases of every operation and message, in the order
//! of [`ROWS`] and [`access::forms`]: empty for those that it refuses, and `wrong` for those that it compiles wrong
//! (`.ci/sweep` tells). With its program in `REFERENCE`, `.ci/sweep` compares any number of cases and writes the file.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::access::{self, Access};
use crate::case::Case;
use crate::ops::ROWS;
use crate::random::Random;
use crate::{cases, common};

/// Cases of each operation in the file.
const SAMPLE: u32 = 12;
const TABLE: &str = "visa_ops/reference.txt";

/// True if the file has results of an operation.
pub fn has(op: &str) -> bool {
    let table = kiln_corpus::text(TABLE);
    table.lines().any(|line| {
        line.split_once(' ').is_some_and(|(of, told)| {
            of.split('.').next() == Some(op) && u64::from_str_radix(told, 16).is_ok()
        })
    })
}

/// A case that both compilers compile.
pub trait Trial {
    fn text(&self) -> String;
    /// Hash of the results of our code, or of other code.
    fn result(&self, code: Option<&[u8]>) -> Result<u64, String>;
    /// Compares the results of our code with the model.
    fn check(&self) -> Result<(), String>;
    fn describe(&self) -> String;
}

/// Hash of bytes.
pub fn hash<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Operations and messages by name, with a constructor of cases.
type Make = Box<dyn Fn(u32) -> Box<dyn Trial>>;

fn kinds() -> Vec<(&'static str, Make)> {
    let seeded = |n: usize, seed: u32| Random((n as u64) << 32 | u64::from(seed));
    let mut all: Vec<(&'static str, Make)> = Vec::new();
    for (n, row) in ROWS.iter().enumerate() {
        let make = move |seed| -> Box<dyn Trial> {
            Box::new(Case::random(&mut seeded(n, seed), row, common::skl()))
        };
        all.push((row.op, Box::new(make)));
    }
    for (n, form) in access::forms().enumerate() {
        let make = move |seed| -> Box<dyn Trial> {
            Box::new(Access::random(
                &mut seeded(n + 1000, seed),
                form,
                common::skl(),
            ))
        };
        all.push((form.op, Box::new(make)));
    }
    all
}

#[test]
fn the_references_code_leaves_the_same() {
    let table = kiln_corpus::text(TABLE);
    let mut lines = table.lines();
    let mut compared = 0;
    for (op, make) in kinds() {
        for seed in 0..SAMPLE {
            let case = make(seed);
            let line = lines.next().unwrap_or("");
            let told = line.split_whitespace().last().unwrap_or("");
            assert!(line.starts_with(op), "{line}: expected {op}");
            let Ok(expected) = u64::from_str_radix(told, 16) else {
                continue;
            };
            compared += 1;
            let ours = case
                .result(None)
                .unwrap_or_else(|e| panic!("{e}\n{}", case.describe()));
            assert_eq!(ours, expected, "{seed}: {}", case.describe());
        }
    }
    assert_eq!(lines.next(), None);
    assert!(compared > 1500, "only {compared} compared");
}

/// Needs `REFERENCE`, and `FOLDER` for its files; without them there is nothing to compare with.
#[test]
fn live() {
    let (Ok(tool), Ok(folder)) = (std::env::var("REFERENCE"), std::env::var("FOLDER")) else {
        return;
    };
    let mut table = String::new();
    let (mut compared, mut refused, mut differ) = (0, 0, 0);
    for (op, make) in kinds() {
        for seed in 0..cases("CASES", SAMPLE) {
            let case = make(seed);
            let code = finalize(Path::new(&folder), &tool, &case.text());
            let told = match code.map(|code| case.result(Some(&code))) {
                Some(Ok(theirs)) => {
                    compared += 1;
                    let ours = case.result(None);
                    if ours == Ok(theirs) {
                        format!("{theirs:016x}")
                    } else {
                        differ += 1;
                        let right = case.check().map_or_else(
                            |e| format!("ours is wrong: {e}"),
                            |()| "ours is right".into(),
                        );
                        println!("{seed}: {right}: {}", case.describe());
                        "wrong".to_string()
                    }
                }
                Some(Err(error)) => {
                    differ += 1;
                    println!("{seed}: the reference's code: {error}: {}", case.describe());
                    "wrong".to_string()
                }
                None => {
                    refused += 1;
                    "refused".to_string()
                }
            };
            if seed < SAMPLE {
                let _ = writeln!(table, "{op} {told}");
            }
        }
    }
    println!("{compared} cases compared, {differ} differ, {refused} refused by the reference");
    fs::write(Path::new(&folder).join("reference.txt"), table).unwrap();
}

/// The reference finalizer's machine code.
fn finalize(folder: &Path, tool: &str, text: &str) -> Option<Vec<u8>> {
    let (input, output) = (folder.join("bench.visaasm"), folder.join("bench.dat"));
    let _ = fs::remove_file(&output);
    fs::write(&input, text).ok()?;
    let mut command = Command::new(tool);
    command
        .current_dir(folder)
        .arg(&input)
        .args(["-platform", "SKL", "-binary"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?;
    fs::read(output).ok()
}
