//! The same random cases as machine code of the reference finalizer leaves them.
//!
//! `reference.txt` has a summary of what its code left for some cases of every operation, in the order of
//! [`ROWS`]: nothing for those that it refuses, and where it is wrong (`.ci/sweep` says so), the word
//! `wrong`. With its program in `REFERENCE`, `.ci/sweep` compares as many as one likes and writes the file.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::case::Case;
use crate::ops::ROWS;
use crate::random::Random;
use crate::{cases, common};

/// Cases of each operation in the file.
const SAMPLE: u32 = 12;
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/visa_ops/reference.txt");

fn case(row: usize, seed: u32) -> Case {
    let mut r = Random((row as u64) << 32 | u64::from(seed));
    Case::random(&mut r, &ROWS[row], common::skl())
}

#[test]
fn the_references_code_leaves_the_same() {
    let table = fs::read_to_string(TABLE).unwrap();
    let mut lines = table.lines();
    let mut compared = 0;
    for (n, row) in ROWS.iter().enumerate() {
        for seed in 0..SAMPLE {
            let case = case(n, seed);
            let line = lines.next().unwrap_or("");
            let told = line.split_whitespace().last().unwrap_or("");
            assert!(line.starts_with(row.op), "{line}: expected {}", row.op);
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
    assert!(compared > 800, "only {compared} compared");
}

/// With `REFERENCE` and `FOLDER` for its files; without, there is nothing to compare with.
#[test]
fn live() {
    let (Ok(tool), Ok(folder)) = (std::env::var("REFERENCE"), std::env::var("FOLDER")) else {
        return;
    };
    let mut table = String::new();
    let (mut compared, mut refused, mut differ) = (0, 0, 0);
    for (n, row) in ROWS.iter().enumerate() {
        for seed in 0..cases("CASES", SAMPLE) {
            let case = case(n, seed);
            let code = finalize(Path::new(&folder), &tool, &case.bench().text());
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
                let _ = writeln!(table, "{} {told}", row.op);
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
