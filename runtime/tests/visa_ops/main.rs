//! Every operation that is selected, compiled and run, against a model of vISA.
//!
//! [`bench`] wraps instructions into a kernel, [`case`] makes random instructions of the operations
//! that [`ops`] lists, [`model`] says what they compute.

#[path = "../common/mod.rs"]
mod common;

mod bench;
mod case;
mod flow;
mod model;
mod ops;
mod random;
mod special;

use case::Case;
use random::Random;

#[test]
fn every_operation_computes_what_the_specification_says() {
    let count: u64 = std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let mut failures = Vec::new();
    for (n, row) in ops::ROWS.iter().enumerate() {
        for seed in 0..count {
            let mut r = Random((n as u64) << 32 | seed);
            let case = Case::random(&mut r, row);
            if let Err(why) = case.check() {
                failures.push(format!("{why}\n  {}", case.describe()));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
