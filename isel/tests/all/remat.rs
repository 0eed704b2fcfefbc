//! Rematerialization: by files of input and expected output, by running random functions before and after, and by
//! the pressure that results.

use std::path::Path;

use kiln_isel::remat;
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::pressure::pressure;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::files;
use kiln_machine_testing::random::seeds;
use kiln_machine_testing::run::compare;

use crate::common::legal;

/// Random functions, with one unit less than they need, keep their effects; the pressure falls in most of those
/// that change.
#[test]
fn functions_do_what_they_did_in_fewer_units() {
    let most = |func: &Function| pressure(func, &Graph::new(func)).units.amount;
    let (mut changed, mut fewer, mut more) = (0, 0, 0);
    for seed in 0..seeds() {
        let before = legal(seed);
        let mut after = before.clone();
        remat::run(&mut after, most(&before) - 1, u32::MAX, |_| 0);
        if let Err(e) = verify(&after, Level::Legal, None) {
            panic!("seed {seed}: {e}");
        }
        if let Err(e) = compare(&before, &after) {
            panic!("seed {seed}: {e}");
        }
        changed += u64::from(before.to_string() != after.to_string());
        fewer += u64::from(most(&after) < most(&before));
        more += u64::from(most(&after) > most(&before));
    }
    assert!(changed * 8 > seeds(), "{changed} of {} changed", seeds());
    assert!(fewer > 4 * more, "{fewer} with fewer, {more} with more");
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/remat");
    files::check(&folder, Level::Legal, |func| {
        let before = func.clone();
        remat::run(func, 8, u32::MAX, |callee| callee.into());
        if let Err(e) = compare(&before, func) {
            panic!("{}: {e}", func.name);
        }
    });
}
