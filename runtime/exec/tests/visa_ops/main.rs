//! Every supported operation, compiled and run, against a model of vISA.
//!
//! [`bench`] wraps instructions into a kernel, [`case`] makes random instructions of the operations that [`ops`]
//! lists, and [`model`] computes their results. [`access`] has memory messages, [`flow`] whole programs, [`special`]
//! operations that fit none of these, [`forms`] every opcode. [`reference`] compares the same cases with the reference
//! finalizer's code. For more cases: `CASES=3000 cargo test --test visa_ops`, and `PROGRAMS=3000`.
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/run.rs"]
mod run;

mod access;
mod bench;
mod case;
mod flow;
mod forms;
mod guard;
mod images;
mod memory;
mod model;
mod ops;
mod random;
mod reference;
mod special;

use case::Case;
use kiln_emit::platform::Platform;
use random::Random;

/// Number of cases to try: the environment variable, or else `usual`.
fn cases(variable: &str, usual: u32) -> u32 {
    let set = std::env::var(variable).ok().and_then(|n| n.parse().ok());
    set.unwrap_or(usual)
}

/// Random cases of every operation that the target has.
fn try_all(target: &'static Platform, count: u32) {
    let mut failures = Vec::new();
    let rows = ops::ROWS.iter().enumerate();
    for (n, row) in rows.filter(|(_, row)| row.is_on(target)) {
        for seed in 0..count {
            let mut r = Random((n as u64) << 32 | u64::from(seed));
            let case = Case::random(&mut r, row, target);
            if let Err(why) = case.check() {
                failures.push(format!("{why}\n  {}", case.describe()));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_operation_computes_what_the_specification_says() {
    try_all(common::skl(), cases("CASES", 100));
}

#[test]
fn every_operation_computes_the_same_without_integers_of_64_bits() {
    try_all(common::target("icllp"), cases("CASES", 100));
}

#[test]
fn every_operation_computes_the_same_where_the_code_has_a_scoreboard() {
    try_all(common::target("tgllp"), cases("CASES", 40));
}
